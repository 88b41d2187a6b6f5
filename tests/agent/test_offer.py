"""The committed index is offered to be brought in step, never written unasked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aoci_agent.agent.offer import Offer
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.files import Workspace

INDEX = ".aoci-agent/index.aoci"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "prices.py").write_text('"""Prices."""\n\n\ndef price(weight):\n    return weight\n')
    (root / "stock.py").write_text('"""Stock."""\n\n\ndef left():\n    return 1\n')
    return root


@pytest.fixture
def store(folder: Path, tmp_path: Path) -> Iterator[IndexStore]:
    with Workspace(folder) as workspace:
        yield IndexStore(workspace, None, tmp_path / "cache")


def edited(folder: Path, store: IndexStore) -> frozenset[str]:
    with (folder / "prices.py").open("a") as file:
        file.write("\n\ndef discount(share):\n    return share\n")
    store.refresh(["prices.py"])
    return frozenset(["prices.py"])


def test_an_edit_is_offered_shown_and_written_on_demand(folder: Path, store: IndexStore) -> None:
    store.build()
    before = (folder / INDEX).read_bytes()
    offer = Offer(store)
    assert offer.due(frozenset()) == ""
    assert offer.diff() == "nothing: /index update would write no change"
    told = offer.due(edited(folder, store))
    assert told.startswith(f"{INDEX} is behind by 1 entry: /index diff")
    assert offer.diff().startswith("what /index update would write:\n")
    assert "prices.py  A +discount" in offer.diff()
    assert (folder / INDEX).read_bytes() == before
    assert "prices.py  A +discount" in offer.update()
    assert b"discount" in (folder / INDEX).read_bytes()
    assert offer.due(frozenset(["prices.py"])) == ""
    assert offer.diff() == "nothing: /index update would write no change"


def test_an_edit_that_says_nothing_new_is_not_offered(folder: Path, store: IndexStore) -> None:
    store.build()
    (folder / "prices.py").write_text(
        '"""Prices."""\n\n\ndef price(weight):\n    return weight + 0\n'
    )
    store.refresh(["prices.py"])
    assert Offer(store).due(frozenset(["prices.py"])) == ""


def test_a_repository_without_an_index_is_left_alone(folder: Path, store: IndexStore) -> None:
    store.follow()
    offer = Offer(store)
    assert offer.due(edited(folder, store)) == ""
    assert "aoci-agent index build" in offer.diff()
    assert offer.update() == offer.diff()
    assert not (folder / ".aoci-agent").exists()
