import asyncio

import pytest
from support.fake_session import (
    Ask,
    Fail,
    FakeSession,
    Hold,
    edited,
    finished,
    may_run,
    ran,
    said,
    step,
)
from support.screens import running

from aoci_agent.agent.approval import Mode
from aoci_agent.agent.events import TextDelta, ToolStarted, TurnFinished
from aoci_agent.agent.meter import Totals
from aoci_agent.base.errors import BadWorkspace, ModelUnavailable
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.tools.tool import Preview
from aoci_agent.tui import signs


async def test_a_turn_from_prompt_to_meter() -> None:
    session = FakeSession(
        [*edited(), step(), *said("All **done** now."), finished("All done now.")]
    )
    async with running(session, (120, 40)) as it:
        await it.send("fix it")
        await it.until_shown("done ·")
        for words in (
            f"{signs.PROMPT} fix it",
            f"edit shop/quotes.py  +2 {signs.MINUS}2",
            "All done now.",
            "1 step",
        ):
            assert words in it.screen
        assert "done · 1 step · 3.2s · $0.021 · up 1.2k down 640 R 58k W 1.9k hit 95%" in it.screen


@pytest.mark.gate("S16")
async def test_a_key_in_a_question_is_neither_shown_nor_sent() -> None:
    key, hold = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5", Hold()
    session = FakeSession([finished()], [hold, finished()], [finished()])
    async with running(session, (160, 40), first=f"first {key}") as it:
        await it.send(f"use {key}")
        await it.send(f"then {key}")
        for words in (f"{signs.PROMPT} first", f"{signs.PROMPT} use", "queued then"):
            await it.until_shown(f"{words} <secret: GitHub token, 40 characters>")
        assert key not in it.screen
        hold.gate.set()
        await it.until(lambda: len(session.prompts) == 3)
    assert key not in repr(session.prompts)


@pytest.mark.gate("P95")
async def test_prompts_sent_while_a_turn_runs_wait_their_turn() -> None:
    hold = Hold()
    session = FakeSession([hold, finished()])
    async with running(session) as it:
        await it.send("one")
        await it.send("two")
        await it.send("three")
        assert session.prompts == ["one"]
        assert "queued two" in it.screen
        hold.gate.set()
        await it.until(lambda: len(session.prompts) == 3)
        assert session.prompts == ["one", "two", "three"]
        assert "queued" not in it.screen


@pytest.mark.gate("P92", "P95")
async def test_escape_interrupts_and_gives_queued_words_back() -> None:
    one = ToolCall("c9", "bash", "{}")
    started = ToolStarted(one, Preview("command", "bash sleep 99", "sleep 99"))
    session = FakeSession([step(), started, TextDelta("half a sen"), Hold()])
    async with running(session, (100, 30)) as it:
        await it.send("go")
        await it.send("next")
        await it.press("d", "escape")
        await it.until_shown("stopped: interrupted")
        assert session.interrupted == 1
        assert session.prompts == ["go"]
        assert it.prompt.text == "next\nd"
        assert "■ bash sleep 99  interrupted" in it.screen
        assert "half a sen" in it.screen
        await it.press("ctrl+c")
        await it.send("again")
        assert session.prompts == ["go", "again"]


async def test_escape_while_nothing_runs_does_nothing() -> None:
    async with running(FakeSession()) as it:
        await it.press("a", "escape")
        assert it.prompt.text == "a"


async def test_escape_on_a_question_denies_and_the_turn_goes_on() -> None:
    session = FakeSession([Ask(may_run()), *said("Then not."), finished()])
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        await it.press("escape")
        await it.until_shown("Then not.")
        assert session.interrupted == 0


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ModelUnavailable("no such endpoint", "start the server"), "✗ no such endpoint"),
        (ZeroDivisionError("boom"), "✗ ZeroDivisionError: boom"),
    ],
)
async def test_an_error_is_one_line_and_the_prompt_comes_back(error: Exception, shown: str) -> None:
    session = FakeSession([Fail(error)])
    async with running(session) as it:
        await it.send("do it")
        await it.until_shown(shown)
        assert it.prompt.text == "do it"
        await it.press("enter")
        assert session.prompts == ["do it", "do it"]


async def test_a_turn_the_model_never_answered_gives_the_prompt_back() -> None:
    message = "the endpoint refuses the key (check ANTHROPIC_API_KEY)"
    session = FakeSession([TurnFinished("model", "", Totals(), message=message)])
    async with running(session, (100, 24)) as it:
        await it.send("do it")
        await it.until_shown(f"✗ {message}")
        assert it.prompt.text == "do it"


async def test_a_session_that_does_not_open_can_be_tried_again() -> None:
    broken = Fail(BadWorkspace("the folder cannot be read", "check its permissions"))
    session = FakeSession(opens=broken)
    async with running(session) as it:
        await it.until_shown("✗ the folder cannot be read")
        assert "Enter tries again" in it.screen
        await it.send("go")
        await it.until(lambda: session.prompts)
        assert session.prompts == ["go"]


async def test_a_limit_is_said() -> None:
    ended = TurnFinished("steps", "", Totals(), message="stopped after 50 steps")
    async with running(FakeSession([ended])) as it:
        await it.send("go")
        await it.until_shown("stopped: steps")
        assert "stopped after 50 steps" in it.screen


async def test_leaving_stops_the_turn() -> None:
    session = FakeSession([Hold()])
    async with running(session) as it:
        await it.send("go")
        await it.press("ctrl+q")
    assert session.interrupted == 1
    assert session.closed


async def test_shift_tab_cycles_the_modes_that_ask_and_only_leaves_full_auto() -> None:
    session = FakeSession()
    async with running(session) as it:
        seen: list[Mode] = []
        for _ in range(4):
            await it.press("shift+tab")
            seen.append(session.status.mode)
            assert str(session.status.mode) in it.screen.splitlines()[-1]
            entry = it.app.query_one("#entry")
            assert entry.has_class(f"mode-{session.status.mode}")
        assert seen == [Mode.AUTO_EDIT, Mode.READ_ONLY, Mode.ASK, Mode.AUTO_EDIT]
        await it.send("/mode full-auto")
        assert session.status.mode is Mode.FULL_AUTO
        await it.until_shown("without asking; Shift+Tab leaves it")
        await it.press("shift+tab")
        assert session.status.mode is Mode.READ_ONLY


@pytest.mark.gate("P78")
async def test_the_last_answer_is_copied_raw() -> None:
    answer = "use `a[/]b` and **this**"
    session = FakeSession([*said(answer), finished(answer)])
    async with running(session) as it:
        await it.send("go")
        await it.press("ctrl+y")
        assert it.app.clipboard == answer
        it.app.copy_to_clipboard("")
        await it.send("/copy")
        assert it.app.clipboard == answer
        assert "copied the last answer" in it.screen


async def test_the_approver_denies_when_no_screen_is_there() -> None:
    session = FakeSession()
    decision = await asyncio.wait_for(session.approver.ask(may_run()), 5)
    assert decision.answer == "deny"


async def test_the_banner_labels_the_whole_run() -> None:
    async with running(FakeSession([*ran(), finished()]), banner="recorded replies") as it:
        await it.send("go")
        assert it.screen.splitlines()[0].strip() == "recorded replies"
