"""Undo in sessions as the front door builds them: real tools, real record, resumed and gone back in."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from support.net import git, state, users

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.models.scripted import Line, ScriptedModel
from aoci_agent.agent.resume import read
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.errors import ForUser
from aoci_agent.base.places import Places
from aoci_agent.bench import Launch
from aoci_agent.config import Settings
from aoci_agent.policies.conversation import AssistantMessage, ToolCall


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.py").write_text("start\n")
    (root / "data.bin").write_bytes(bytes(range(256)))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    (root / "mine.txt").write_text("never added\n")
    return root


def launch(root: Path) -> Launch:
    env = {"AOCI_AGENT_HOME": str(root.parent / "home"), "HOME": str(root.parent)}
    settings = Settings.model_validate({"mode": Mode.FULL_AUTO, "policy": "grep-read"})
    return Launch(root, settings, Places(env), env, trust=True, no_sandbox=True)


def opened(given: Launch, *lines: Line) -> Session:
    session = open_session(given, DenyAll())
    session.agent.model = ScriptedModel(lines, cost=0.0)
    return session


def bash(command: str) -> AssistantMessage:
    return AssistantMessage("", (ToolCall(command, "bash", f'{{"command": "{command}"}}'),))


def write(path: str, text: str) -> AssistantMessage:
    call = ToolCall(text, "write", f'{{"path": "{path}", "content": "{text}"}}')
    return AssistantMessage("", (call,))


WRECK = "rm -f a.py mine.txt; mkdir d"


async def asked(session: Session, prompt: str) -> None:
    async for _ in session.run(prompt):
        pass


@pytest.mark.gate("R07", "S12", "S13", "P91")
async def test_a_session_goes_back_is_resumed_and_goes_forth_again(shop: Path) -> None:
    given = launch(shop)
    before, mine = state(shop), users(shop)
    done = AssistantMessage("done")
    session = opened(given, write("b.py", "new"), done, done, bash(WRECK), done)
    await asked(session, "write b")
    await asked(session, "wreck it")
    after = state(shop)
    assert b"a.py" not in after
    said = [type(message) for message in session.messages]
    points = await session.rewind.points()
    assert [(point.prompt, point.files) for point in points] == [("wreck it", 2), ("write b", 3)]
    assert all(point.at for point in points)
    await session.rewind.restore(points[1], "both")
    assert state(shop) == before
    assert session.messages == ()
    await session.close()
    (path,) = (shop.parent / "home/data/sessions").glob("*/*.jsonl")
    assert read(path).messages == ()
    later = opened(replace(given, resume=path), done)
    await later.rewind.restore((await later.rewind.points())[0], "both")
    assert state(shop) == after
    assert [type(message) for message in later.messages] == said
    await asked(later, "go on")
    assert users(shop) == mine
    await later.close()
    git(shop, "fsck")


@pytest.mark.gate("R23")
async def test_a_session_that_may_only_look_puts_no_file_back(shop: Path) -> None:
    given = launch(shop)
    done = AssistantMessage("done")
    session = opened(given, write("b.py", "new"), done)
    await asked(session, "write b")
    await session.close()
    (path,) = (shop.parent / "home/data/sessions").glob("*/*.jsonl")
    first = open_session(given, DenyAll())
    second = open_session(replace(given, resume=path), DenyAll())
    assert second.status.mode is Mode.READ_ONLY
    (point,) = await second.rewind.points()
    with pytest.raises(ForUser, match="another session"):
        await second.rewind.restore(point, "code")
    assert (shop / "b.py").exists()
    await first.close()
    await second.rewind.restore(point, "code")
    assert not (shop / "b.py").exists()
    await second.close()


async def test_snapshots_that_cannot_be_read_are_an_error_for_a_person(shop: Path) -> None:
    session = opened(launch(shop), write("b.py", "new"), AssistantMessage("done"))
    await asked(session, "write b")
    (file,) = (shop.parent / "home/data/snapshots").glob("*/snapshots.db")
    with sqlite3.connect(file) as db:
        db.execute("DELETE FROM object")
    db.close()
    with pytest.raises(ForUser, match="no longer kept"):
        await session.rewind.points()
    await session.close()
