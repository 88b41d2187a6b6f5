"""Looking into the index."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from support.desk import Desk

from aoci_agent.aoci.model import Entry, Index, Tag
from aoci_agent.base import tokens
from aoci_agent.base.errors import NotPossible, TryAgain


@dataclass
class FixedIndex:
    current: Index

    def refresh(self, paths: Iterable[str]) -> tuple[Entry, ...]:
        return ()


def entry(path: str, synopsis: str) -> Entry:
    directory, _, name = path.rpartition("/")
    return Entry(directory, name, Tag("S", "core", 5), synopsis=synopsis)


INDEX = Index(
    entries=(
        entry("setup.py", "packaging"),
        entry("src/cache.py", "keeps replies"),
        entry("src/net/client.py", "sends requests and follows redirects"),
        entry("src/network.py", "addresses"),
    )
)


@pytest.fixture
def indexed(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "project", tmp_path / "spill", FixedIndex(INDEX))


async def paths(desk: Desk, query: str) -> list[str]:
    lines = (await desk.call("index", query=query)).text.splitlines()
    return [line.partition("[")[0] for line in lines]


async def test_a_path_gives_its_entry(indexed: Desk) -> None:
    result = await indexed.call("index", query="src/cache.py")
    assert result.text.startswith("src/\ncache.py[")
    assert "keeps replies" in result.text
    assert await paths(indexed, "./src/cache.py") == ["src/", "cache.py"]


async def test_a_directory_gives_its_entries(indexed: Desk) -> None:
    assert await paths(indexed, "src/net") == ["src/net/", "client.py"]
    assert await paths(indexed, "src/") == [
        "src/", "cache.py", "src/net/", "client.py", "src/", "network.py",
    ]  # fmt: skip
    assert "setup.py" in await paths(indexed, ".")


async def test_words_are_searched(indexed: Desk) -> None:
    assert (await paths(indexed, "follow redirects"))[:2] == ["src/net/", "client.py"]
    nothing = await indexed.call("index", query="zebra quagga")
    assert nothing.text == "the index has nothing on zebra quagga: try grep"


async def test_a_big_answer_is_cut(tmp_path: Path) -> None:
    many = [entry(f"src/file{number:04}.py", "some words about it") for number in range(2_000)]
    desk = Desk(tmp_path / "project", tmp_path / "spill", FixedIndex(Index(entries=tuple(many))))
    text = (await desk.call("index", query="src")).text
    assert tokens.count(text) < 3_100
    assert "of 2000 entries shown: name a directory or file below]" in text


async def test_no_index(desk: Desk, tmp_path: Path) -> None:
    empty = Desk(tmp_path / "p2", tmp_path / "spill", FixedIndex(replace(INDEX, entries=())))
    for one in (desk, empty):
        with pytest.raises(NotPossible, match="aoci-agent index build"):
            await one.call("index", query="src")


async def test_an_empty_query(indexed: Desk) -> None:
    with pytest.raises(TryAgain, match="query is empty"):
        await indexed.call("index", query=" ")
