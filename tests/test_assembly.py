"""A session as the front door builds it: real workspace, real index, scripted replies from a file."""

import json
import subprocess
from pathlib import Path

import pytest

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.events import TurnFinished
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.record import read_record
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.errors import BadUsage, BadWorkspace
from aoci_agent.base.places import Places
from aoci_agent.bench import Bench, Launch
from aoci_agent.config import Settings
from aoci_agent.views.status import status_of


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "prices.py").write_text(
        '"""Prices by weight."""\n\n\ndef price(weight):\n    return 2\n'
    )
    subprocess.run(["git", "init", "-q", "-b", "trunk"], cwd=root, check=True)
    return root


def launch(repository: Path, **settings: object) -> Launch:
    env = {"AOCI_AGENT_HOME": str(repository.parent / "home")}
    return Launch(repository, Settings.model_validate(settings), Places(env), env)


def opened(repository: Path, **settings: object) -> Session:
    return open_session(launch(repository, **settings), DenyAll())


def record_of(repository: Path) -> list[dict[str, object]]:
    (file,) = (repository.parent / "home/data/sessions").glob("*/*.jsonl")
    return list(read_record(file))


async def test_without_a_model_the_index_answers_and_a_question_names_the_way_out(
    repository: Path,
) -> None:
    session = opened(repository)
    assert session.status.branch == "trunk"
    assert session.index("").startswith("1 of 1 entries")
    assert session.index("show prices.py").startswith("prices.py[")
    assert "prices.py[" in session.index("weight")
    assert "no entry for nope.py" in session.index("show nope.py")
    assert "the repository keeps no index" in session.index("diff")
    assert "/index diff takes no words behind it" in session.index("diff weight")
    assert "/index update takes no words behind it" in session.index("update prices.py")
    events = [event async for event in session.run("hello")]
    await session.close()
    assert isinstance(events[-1], TurnFinished)
    assert (events[-1].reason, events[-1].turn.steps) == ("model", 0)
    assert "no model is chosen" in events[-1].message


async def test_a_policy_switch_changes_the_prefix_and_back_gives_the_same_bytes(
    repository: Path,
) -> None:
    session = opened(repository)
    with_index = session.agent.conversation.prefix
    session.set_policy("grep-read")
    without = session.agent.conversation.prefix
    session.set_policy("aoci")
    await session.close()
    assert "prices.py[" in with_index.system
    assert "prices.py[" not in without.system
    assert session.agent.conversation.prefix.content_id == with_index.content_id
    with pytest.raises(BadUsage):
        session.set_policy("magic")


async def test_switches_are_in_the_record(repository: Path) -> None:
    session = opened(repository)
    session.set_mode(Mode.READ_ONLY)
    session.set_policy("grep-read")
    session.clear()
    await session.close()
    record = record_of(repository)
    assert [line["type"] for line in record] == [
        "SessionStarted",
        "Notice",
        "Notice",
        "SessionStarted",
        "HistoryRewritten",
    ]
    assert record[0]["prefix_id"] != ""
    assert record[0]["index_id"] != ""
    assert "read-only" in json.dumps(record[1])


async def test_two_sessions_on_the_same_files_have_the_same_prefix(repository: Path) -> None:
    first, second = opened(repository), opened(repository, mode="full-auto", policy="aoci")
    ids = {session.started.prefix_id for session in (first, second)}
    await first.close()
    await second.close()
    assert len(ids) == 1


def test_the_home_directory_is_too_broad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(BadWorkspace, match="too broad"):
        opened(tmp_path)


async def test_a_model_that_does_better_without_tags_sees_none(repository: Path) -> None:
    session = opened(repository, model="ollama/plain", index_tags={"ollama/plain": False})
    shown = session.agent.conversation.prefix
    assert "[tag]" not in str(shown)
    assert "#C:" not in str(shown)
    await session.set_model("ollama/other")
    tagged = session.agent.conversation.prefix
    assert "name[tag]" in str(tagged)
    await session.set_model("ollama/plain-2")
    assert session.agent.conversation.prefix == shown
    session.set_policy("grep-read")
    await session.set_model("ollama/other")
    assert "name[tag]" not in str(session.agent.conversation.prefix)
    await session.close()


async def test_views_are_prepared_before_anybody_asks(repository: Path) -> None:
    bench = Bench(launch(repository))
    await bench.prepare()
    told = status_of(bench.views).views
    bench.close()
    assert (told["lexical"].state, told["graph"].state) == ("fresh", "fresh")


async def test_closing_does_not_wait_for_what_is_being_prepared(repository: Path) -> None:
    session = opened(repository)
    await session.warm()
    await session.close()
    assert not list((repository.parent / "home/cache").glob("*/views/generations/*"))


async def test_what_a_session_derived_is_there_for_the_next(repository: Path) -> None:
    bench = Bench(launch(repository))
    assert {row.path for row in bench.lookups().search("price weight").rows} == {"prices.py"}
    bench.close()
    after = Bench(launch(repository))
    state = status_of(after.views).views["lexical"].state
    after.close()
    assert state == "fresh"


@pytest.mark.parametrize("value", ["0", "1.5", "-1", "inf"])
async def test_a_count_is_limited_on_the_screen_as_on_the_command_line(
    repository: Path, value: str
) -> None:
    session = opened(repository)
    with pytest.raises(BadUsage, match="is no limit of steps"):
        session.account.set_limit("steps", value)
    assert "12 steps" in session.account.set_limit("steps", "12")
    assert "no limit" in session.account.set_limit("steps", "none")
    await session.close()
