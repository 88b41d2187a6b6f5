"""A session in a folder: trusted or not, alone or not, in a worktree of its own."""

import asyncio
import json
import subprocess
import threading
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import FakeEndpoint, calls, says, serving

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.events import (
    ApprovalAsked,
    Notice,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.errors import BadUsage, ForUser
from aoci_agent.base.places import Places
from aoci_agent.base.snapshots.snapshots import Snapshots
from aoci_agent.bench import Launch
from aoci_agent.config import Settings

EDIT = {"path": "shop.py", "old": "price = 1", "new": "price = 2"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "shop.py").write_text("price = 1\n")
    (folder / "AGENTS.md").write_text("# Rules\n\n- use tabs, MARK\n")
    for words in ("init -q -b main", "add -A", "-c user.name=a -c user.email=a@b commit -qm one"):
        subprocess.run(["git", *words.split()], cwd=folder, check=True)
    return folder


@pytest.fixture
async def endpoint() -> AsyncGenerator[FakeEndpoint]:
    async with serving(says("fine")) as server:
        yield server


def opened(root: Path, endpoint: FakeEndpoint | None = None, **more: Any) -> Session:
    env = {"HOME": str(root.parent), "OPENAI_API_BASE": endpoint.url if endpoint else ""}
    chosen = {"model": "openai/x"} if endpoint else {}
    settings = Settings.model_validate(chosen | more.pop("settings", {}))
    launch = Launch(root, settings, Places(env), env)
    return open_session(replace(launch, **more), DenyAll())


async def turn(session: Session, prompt: str = "go") -> TurnFinished:
    done = [event async for event in session.run(prompt) if isinstance(event, TurnFinished)]
    return done[0]


def rules(session: Session) -> str:
    return session.agent.conversation.prefix.layers[0].text


@pytest.mark.gate("T01", "T02", "P80")
async def test_without_trust_the_mode_is_capped_and_nothing_is_obeyed(root: Path) -> None:
    session = opened(root, settings={"mode": "full-auto"})
    assert session.status.mode is Mode.ASK
    assert "MARK" not in rules(session)
    assert any("not trusted" in notice.text for notice in session.notices)
    with pytest.raises(ForUser, match="needs a trusted folder"):
        session.set_mode(Mode.AUTO_EDIT)
    await session.close()


@pytest.mark.gate("T11")
@pytest.mark.parametrize("trust", [False, True])
async def test_files_for_agents_reach_the_model_unasked_only_with_trust(
    root: Path, *, trust: bool
) -> None:
    (root / "AGENTS.md").write_text("# Rules\n\nThe price of the shop is MARKED.\n")
    async with serving(says("fine")) as server:
        session = opened(root, server, settings={"policy": "eager"}, trust=trust)
        await turn(session, "what is the price of the shop by the rules?")
        await session.close()
        (sent,) = server.posts
    assert ("MARKED" in str(sent.body)) is trust
    assert "shop.py" in str(sent.body)


@pytest.mark.gate("T01", "T02", control=True)
async def test_with_the_flag_for_this_run(root: Path) -> None:
    session = opened(root, settings={"mode": "auto-edit"}, trust=True)
    assert session.status.mode is Mode.AUTO_EDIT
    assert "use tabs, MARK" in rules(session)
    told = [notice.text for notice in session.notices]
    assert [text for text in told if not text.startswith("sandbox ")] == []
    await session.close()


async def test_trust_given_before_the_first_question_is_in_the_rules(
    root: Path, endpoint: FakeEndpoint
) -> None:
    session = opened(root, endpoint)
    told = session.set_trust(trusted=True)
    assert "the project's instructions" in told.split("From the next start on")[0]
    session.set_mode(Mode.AUTO_EDIT)
    await turn(session)
    assert "MARK" in str(endpoint.posts[0].body["messages"][0])
    (root / "AGENTS.md").write_text("changed by somebody")
    await turn(session)
    first, second = (post.body["messages"][0] for post in endpoint.posts)
    assert first == second
    await session.close()
    later = opened(root, endpoint)
    assert later.trust.changed == ("AGENTS.md",)
    await later.close()


async def test_trust_given_later_leaves_the_prefix_as_it_is(
    root: Path, endpoint: FakeEndpoint
) -> None:
    session = opened(root, endpoint)
    await turn(session)
    before = session.agent.conversation.prefix
    told = session.set_trust(trusted=True)
    assert "the project's instructions" in told.split("From the next start on")[1]
    assert session.agent.conversation.prefix == before
    await session.close()
    again = opened(root, endpoint)
    assert "MARK" in rules(again)
    await again.close()


async def test_another_model_keeps_the_instructions(root: Path, endpoint: FakeEndpoint) -> None:
    session = opened(root, endpoint, trust=True)
    await session.set_model("openai/y")
    assert "MARK" in rules(session)
    session.set_policy("grep-read")
    assert "MARK" in rules(session)
    await session.close()


@pytest.mark.gate("R23")
async def test_the_second_session_only_reads_until_the_first_is_over(root: Path) -> None:
    first = opened(root, trust=True)
    second = opened(root, trust=True, settings={"mode": "auto-edit"})
    assert second.status.mode is Mode.READ_ONLY
    assert any("another session (process" in notice.text for notice in second.notices)
    with pytest.raises(ForUser, match="another session"):
        second.set_mode(Mode.ASK)
    await first.close()
    second.set_mode(Mode.AUTO_EDIT)
    assert second.status.mode is Mode.AUTO_EDIT
    await second.close()
    third = opened(root, trust=True)
    assert third.status.mode is Mode.ASK
    await third.close()


@pytest.mark.gate("R23", "R28")
async def test_a_worktree_takes_the_edits_and_the_checkout_stays(
    root: Path, endpoint: FakeEndpoint
) -> None:
    first = opened(root, trust=True)
    endpoint.answers = [
        calls("read", json.dumps({"path": "shop.py"})),
        calls("edit", json.dumps(EDIT)),
        says("done"),
        says("done"),
    ]
    second = opened(root, endpoint, trust=True, worktree=True, settings={"mode": "auto-edit"})
    assert second.status.mode is Mode.AUTO_EDIT
    assert "MARK" in rules(second)
    place = Path(second.started.root)
    assert (await turn(second)).reason == "done"
    assert (place / "shop.py").read_text() == "price = 2\n"
    assert (root / "shop.py").read_text() == "price = 1\n"
    await second.close()
    assert f"uncommitted changes in the worktree {place}" in second.left
    await first.close()
    (record,) = (root.parent / ".local" / "share").glob(f"**/{second.started.session_id}.jsonl")
    again = opened(root, endpoint, trust=True, worktree=True, resume=record)
    assert again.started.root == str(place)
    assert (place / "shop.py").read_text() == "price = 2\n"
    await again.close()
    third = opened(root, trust=True, worktree=True)
    assert any("left by an earlier session" in notice.text for notice in third.notices)
    untouched = Path(third.started.root)
    await third.close()
    assert third.left == ""
    assert not untouched.exists()  # noqa: ASYNC240


@pytest.mark.gate("R28", "P91")
async def test_a_session_goes_on_in_the_folder_it_worked_in_or_not_at_all(
    root: Path, endpoint: FakeEndpoint
) -> None:
    """Its record and its undo are of one folder: `-c` alone does not lead into the checkout."""
    endpoint.answers = [
        *(calls("read", json.dumps({"path": "shop.py"})), calls("edit", json.dumps(EDIT))),
        *(says("done"), says("done"), says("done")),
    ]
    mode = {"mode": "auto-edit"}
    first = opened(root, endpoint, trust=True, worktree=True, settings=mode)
    place = Path(first.started.root)
    await turn(first)
    await first.close()
    (record,) = (root.parent / ".local" / "share").glob(f"**/{first.started.session_id}.jsonl")
    again = opened(root, endpoint, trust=True, resume=record)
    assert again.started.root == str(place)
    assert any(f"goes on in its worktree {place}" in one.text for one in again.notices)
    await again.rewind.restore((await again.rewind.points())[-1])
    assert (place / "shop.py").read_text() == "price = 1\n"
    await turn(again)
    await again.close()  # untouched now: it goes
    assert not place.exists()  # noqa: ASYNC240
    with pytest.raises(BadUsage, match=f"worked in the worktree {place}, which is gone") as gone:
        opened(root, endpoint, trust=True, resume=record)
    assert "--into FOLDER" in gone.value.hint
    anew = opened(root, endpoint, trust=True, resume=record, worktree=True)
    assert anew.started.root == str(place)
    assert any("was gone, and is made anew" in one.text for one in anew.notices)
    await anew.close()


async def test_a_session_of_the_checkout_is_not_gone_on_with_in_a_worktree(
    root: Path, endpoint: FakeEndpoint
) -> None:
    first = opened(root, endpoint, trust=True)
    await turn(first)
    await first.close()
    (record,) = (root.parent / ".local" / "share").glob(f"**/{first.started.session_id}.jsonl")
    with pytest.raises(BadUsage, match="in no worktree"):
        opened(root, endpoint, trust=True, resume=record, worktree=True)
    again = opened(root, endpoint, trust=True, resume=record)
    assert again.started.root == str(root)
    await again.close()


@pytest.mark.gate("P91")
@pytest.mark.parametrize("mode", ["ask", "auto-edit"])
async def test_what_undo_cannot_hold_is_named_before_a_call_that_may_change_it(
    root: Path, endpoint: FakeEndpoint, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the first look takes; calls that read do not wait for it."""
    (root / "big.bin").write_bytes(bytes(10_000_001))
    endpoint.answers = [
        calls("read", json.dumps({"path": "shop.py"})),
        calls("edit", json.dumps(EDIT)),
        says("done"),
    ]
    release = threading.Event()
    take = Snapshots.take

    def late(snapshots: Snapshots) -> Any:
        release.wait(5)
        return take(snapshots)

    monkeypatch.setattr(Snapshots, "take", late)
    session = opened(root, endpoint, trust=True, settings={"mode": mode})
    seen: list[str] = []
    async for event in session.run("go"):
        match event:
            case Notice(text) if "not in the snapshots" in text:
                seen.append(text)
            case ToolStarted(call):
                seen.append(call.name)
            case ApprovalAsked(question):
                seen.append(question.tool)
            case ToolFinished(call) if call.name == "read":
                asyncio.get_running_loop().call_later(0.3, release.set)
            case _:
                pass
    assert seen == [
        "read",
        "not in the snapshots of /rewind: big.bin (too large)",
        "edit",
    ]
    await session.close()


async def test_trust_of_the_folder_is_that_of_its_worktrees(root: Path) -> None:
    session = opened(root)
    session.set_trust(trusted=True)
    await session.close()
    inside = opened(root, worktree=True)
    assert inside.trust.given
    await inside.close()


async def test_a_failed_start_lets_the_next_one_in(root: Path) -> None:
    with pytest.raises(BadUsage):
        opened(root, settings={"policy": "magic"})
    session = opened(root)
    assert session.status.mode is Mode.ASK
    await session.close()
    await asyncio.sleep(0)
