"""Modes against effects, and what a grant covers."""

import pytest
from support.fakes import call, change, harness, look, says, shell

from aoci_agent.agent.approval import Answer, Decision, Mode
from aoci_agent.agent.events import ApprovalAsked, ToolFinished, TurnFinished
from aoci_agent.agent.permissions import Permissions, Verdict
from aoci_agent.tools.tool import Effect

ONCE = Decision(Answer.ONCE)
SESSION = Decision(Answer.SESSION)


@pytest.mark.parametrize(
    ("mode", "read", "edit", "run"),
    [
        (Mode.READ_ONLY, "allow", "deny", "deny"),
        (Mode.ASK, "allow", "ask", "ask"),
        (Mode.AUTO_EDIT, "allow", "allow", "ask"),
        (Mode.FULL_AUTO, "allow", "allow", "allow"),
    ],
)
def test_table(mode: Mode, read: str, edit: str, run: str) -> None:
    permissions = Permissions(mode)
    verdicts = [
        permissions.judge("t", effect, "k") for effect in (Effect.READ, Effect.EDIT, Effect.RUN)
    ]
    assert verdicts == [read, edit, run]
    assert permissions.judge("t", Effect.NOTE, "") is Verdict.ALLOW


def test_a_grant_is_for_one_tool_and_one_key() -> None:
    permissions = Permissions(Mode.ASK)
    permissions.grant("bash", "make test")
    assert permissions.judge("bash", Effect.RUN, "make test") is Verdict.ALLOW
    assert permissions.judge("bash", Effect.RUN, "make test; rm -rf x") is Verdict.ASK
    assert permissions.judge("write", Effect.EDIT, "make test") is Verdict.ASK


def test_an_empty_key_can_not_be_granted() -> None:
    permissions = Permissions(Mode.ASK)
    permissions.grant("bash", "")
    assert permissions.judge("bash", Effect.RUN, "") is Verdict.ASK


def test_read_only_wins_over_a_grant() -> None:
    permissions = Permissions(Mode.ASK)
    permissions.grant("bash", "ls")
    permissions.mode = Mode.READ_ONLY
    assert permissions.judge("bash", Effect.RUN, "ls") is Verdict.DENY


async def test_ask_once_asks_again() -> None:
    h = harness(
        [says("", call("shell", "ls", "1")), says("", call("shell", "ls", "2")), says("done")],
        shell(),
        mode=Mode.ASK,
        answers=[ONCE, ONCE],
    )
    await h.turn()
    assert len(h.approver.asked) == 2


async def test_always_in_this_session_asks_no_more() -> None:
    h = harness(
        [says("", call("shell", "ls", "1")), says("", call("shell", "ls", "2")), says("done")],
        shell(),
        mode=Mode.ASK,
        answers=[SESSION],
    )
    await h.turn()
    assert len(h.approver.asked) == 1
    assert h.tools["shell"].calls == ["ls", "ls"]


async def test_denied_calls_do_not_run_and_are_named_at_the_end() -> None:
    h = harness(
        [says("", call("change", "a")), says("could not")],
        change(),
        mode=Mode.ASK,
        answers=[Decision(Answer.DENY, "not that file")],
    )
    events = await h.turn()
    assert h.tools["change"].calls == []
    result = next(e for e in events if isinstance(e, ToolFinished))
    assert result.status == "denied"
    assert "not that file" in result.result.text
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].denied == ("change a: not that file",)


async def test_reads_never_ask() -> None:
    h = harness([says("", call("look", "a")), says("done")], look(), mode=Mode.READ_ONLY)
    events = await h.turn()
    assert not any(isinstance(e, ApprovalAsked) for e in events)
    assert h.tools["look"].calls == ["a"]
