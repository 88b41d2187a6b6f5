"""Modes against effects, trust, secrets, and what a grant covers."""

from pathlib import Path

import pytest
from support.fakes import FakeTool, call, change, harness, look, says, shell
from support.permitted import permitted

from aoci_agent.agent.approval import Answer, Decision, DenyAll, Mode
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import ApprovalAsked, ToolFinished, TurnFinished
from aoci_agent.agent.freshness import unchanged
from aoci_agent.agent.permissions import Permissions
from aoci_agent.agent.rules import Rules
from aoci_agent.agent.ruling import Verdict
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.base.box import Strength
from aoci_agent.tools.tool import Effect, Preview, ToolResult

COMMAND = Preview("command", "make", "make", "make")
ONCE = Decision(Answer.ONCE)
SESSION = Decision(Answer.SESSION)


def asked(permissions: Permissions, effect: Effect, key: str = "k", tool: str = "t") -> Verdict:
    return permissions.judge(tool, effect, Preview("text", tool, key, key)).verdict


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
    permissions = permitted(mode)
    verdicts = [asked(permissions, effect) for effect in (Effect.READ, Effect.EDIT, Effect.RUN)]
    assert verdicts == [read, edit, run]
    assert asked(permissions, Effect.NOTE, "") is Verdict.ALLOW


def test_read_only_wins_over_a_grant() -> None:
    permissions = permitted(Mode.ASK)
    permissions.grant(("t(ls)",))
    assert asked(permissions, Effect.RUN, "ls") is Verdict.ALLOW
    permissions.mode = Mode.READ_ONLY
    assert asked(permissions, Effect.RUN, "ls") is Verdict.DENY


@pytest.mark.gate("T02")
@pytest.mark.parametrize("mode", list(Mode))
def test_without_trust_the_mode_is_at_most_ask(mode: Mode) -> None:
    permissions = permitted(mode, trusted=False)
    assert permissions.mode in (Mode.READ_ONLY, Mode.ASK)
    permissions.mode = Mode.FULL_AUTO
    assert permissions.mode is Mode.ASK
    assert permitted(mode, trusted=True).mode is mode


@pytest.mark.gate("T02", "T01")
def test_without_trust_rules_allow_nothing() -> None:
    rules = Rules.parse(allow=["edit", "bash", "test", "t"])
    permissions = permitted(Mode.ASK, rules=rules, trusted=False)
    assert asked(permissions, Effect.EDIT, "a.py", "edit") is Verdict.ASK
    assert asked(permissions, Effect.RUN, "ls", "bash") is Verdict.ASK
    assert asked(permissions, Effect.READ, "a.py", "read") is Verdict.ALLOW
    trusted = permitted(Mode.ASK, rules=rules)
    assert asked(trusted, Effect.EDIT, "a.py", "edit") is Verdict.ALLOW


@pytest.mark.gate("T25")
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.AUTO_EDIT])
def test_running_the_tests_asks_first_and_is_refused_without_trust(mode: Mode) -> None:
    permissions = permitted(mode)
    ruling = permissions.judge(
        "test", Effect.RUN, Preview("command", "test", "pytest -q", "pytest -q")
    )
    assert (ruling.verdict, ruling.always) == (Verdict.ASK, ("test(pytest -q)",))
    assert "the repository's own code" in ruling.reason
    permissions.grant(ruling.always)
    assert asked(permissions, Effect.RUN, "pytest -q", "test") is Verdict.ALLOW
    assert asked(permissions, Effect.RUN, "pytest -q x", "test") is Verdict.ASK
    assert asked(permitted(mode, trusted=False), Effect.RUN, "pytest", "test") is Verdict.DENY


@pytest.mark.parametrize("strength", [Strength.PARTIAL, Strength.NONE])
def test_full_auto_runs_commands_only_in_a_strong_sandbox(strength: Strength) -> None:
    permissions = permitted(Mode.FULL_AUTO, strength=strength)
    assert asked(permissions, Effect.RUN, "make", "bash") is Verdict.ASK
    assert asked(permissions, Effect.EDIT, "a.py", "edit") is Verdict.ALLOW
    assert str(strength) in permissions.judge("bash", Effect.RUN, COMMAND).reason
    bare = permitted(Mode.FULL_AUTO, strength=strength, no_sandbox=True)
    assert asked(bare, Effect.RUN, "make", "bash") is Verdict.ALLOW
    assert "NO SANDBOX" in bare.confinement()


@pytest.mark.gate("T12", "S16")
@pytest.mark.parametrize("mode", list(Mode))
def test_secrets_ask_in_every_mode(mode: Mode, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").symlink_to(".env")
    permissions = permitted(
        mode, rules=Rules.parse(allow=["read", "read(*)", "edit"]), root=tmp_path
    )
    for path in (".env", "a/.ENV", "key.pem", "plain.txt", ".aws/credentials"):
        assert asked(permissions, Effect.READ, path, "read") is Verdict.ASK
        assert asked(permissions, Effect.EDIT, path, "edit") is not Verdict.ALLOW
    assert asked(permissions, Effect.READ, ".env.example", "read") is Verdict.ALLOW
    exact = permitted(mode, rules=Rules.parse(allow=["read(.env)"]), root=tmp_path)
    assert asked(exact, Effect.READ, ".env", "read") is Verdict.ALLOW


def test_deny_and_ask_for_files() -> None:
    rules = Rules.parse(
        allow=["edit(docs/**)"], ask=["edit(docs/keep.md)"], deny=["edit(migrations/**)"]
    )
    for mode in (Mode.ASK, Mode.FULL_AUTO):
        permissions = permitted(mode, rules=rules)
        assert asked(permissions, Effect.EDIT, "docs/a.md", "write") is Verdict.ALLOW
        assert asked(permissions, Effect.EDIT, "docs/keep.md", "edit") is Verdict.ASK
        assert asked(permissions, Effect.EDIT, "Migrations/1.sql", "write") is Verdict.DENY
    asking = permitted(Mode.ASK, rules=rules)
    assert asking.judge("edit", Effect.EDIT, Preview("diff", "", "", "docs/keep.md")).always == ()


def test_a_link_is_allowed_with_what_it_leads_to(tmp_path: Path) -> None:
    for name in ("docs", "src"):
        (tmp_path / name).mkdir()
    (tmp_path / "docs/a.md").symlink_to("../src/a.py")
    permissions = permitted(Mode.ASK, rules=Rules.parse(allow=["edit(docs/**)"]), root=tmp_path)
    preview = Preview("diff", "", "", "docs/a.md")
    ruling = permissions.judge("edit", Effect.EDIT, preview)
    assert ruling.always == ("edit(/docs/a.md)", "edit(/src/a.py)")
    permissions.grant(ruling.always)
    assert permissions.judge("edit", Effect.EDIT, preview).verdict is Verdict.ALLOW
    assert asked(permissions, Effect.EDIT, "docs/b.md", "edit") is Verdict.ALLOW


@pytest.mark.gate("P98", "P97")
async def test_the_same_rules_hold_when_nobody_is_there() -> None:
    rules = Rules.parse(allow=["shell(make *)"], deny=["shell(make wipe)"])
    permissions = permitted(Mode.ASK, rules=rules)
    tool = shell()
    dispatcher = Dispatcher(Toolbox((tool,)), permissions, DenyAll(), unchanged)
    calls = tuple(call("shell", text) for text in ("make all", "make wipe", "ls"))
    events = [event async for event in dispatcher.run(calls)]
    done = [event for event in events if isinstance(event, ToolFinished)]
    assert [event.status for event in done] == ["done", "denied", "denied"]
    assert tool.calls == ["make all"]
    assert "rule deny: shell(make wipe)" in done[1].result.text
    assert "nobody is there to approve (mode ask confirms commands)" in done[2].result.text


@pytest.mark.gate("P83")
async def test_a_question_says_why_what_and_what_always_would_grant() -> None:
    h = harness([says("", call("shell", "make", "1")), says("done")], shell(), mode=Mode.ASK)
    await h.turn()
    question = h.approver.asked[0]
    assert question.reason == "mode ask confirms commands"
    assert (question.parts, question.always) == (("make",), ("shell(make)",))
    assert question.box == "sandbox: strong; no network"


async def test_a_read_is_judged_after_what_came_before_it(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=1")

    def link(_: str) -> ToolResult:
        (tmp_path / "notes").symlink_to(".env")
        return ToolResult("linked")

    runs = FakeTool("shell", Effect.RUN, link)
    read = FakeTool("read", Effect.READ, lambda _: ToolResult("KEY=1"))
    permissions = permitted(Mode.FULL_AUTO, root=tmp_path)
    dispatcher = Dispatcher(Toolbox((runs, read)), permissions, DenyAll(), unchanged)
    calls = (call("read", "notes", "1"), call("shell", "x", "2"), call("read", "notes", "3"))
    events = [event async for event in dispatcher.run(calls)]
    done = [event.status for event in events if isinstance(event, ToolFinished)]
    assert done == ["done", "done", "denied"]
    assert read.calls == ["notes"]


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


@pytest.mark.gate("P97")
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
