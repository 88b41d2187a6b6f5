"""A session that is over, step by step on the screen."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.fake_session import DIFF
from textual.events import Key
from textual.pilot import Pilot

from aoci_agent.agent import events as happened
from aoci_agent.agent.approval import Answer, Decision
from aoci_agent.agent.events import Event
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.record import SessionRecord
from aoci_agent.agent.recorded_events import event_from, recorded_events
from aoci_agent.policies.conversation import AssistantMessage, ToolCall, UserMessage
from aoci_agent.tools.tool import Preview, ToolResult
from aoci_agent.tui.replay import ReplayApp
from aoci_agent.tui.trajectory import Ending, Trajectory, plain, used

ESCAPE = "\x1b]0;owned\x07[red]not markup[/]"
LOOK = ToolCall("c1", "read", '{"path": "a.py"}')
EDIT = ToolCall("c2", "edit", "{}")


def step(number: int, text: str, *calls: ToolCall) -> list[Event]:
    usage = Usage(100 * number, 50, 0, 7, cost=0.01)
    record = StepRecord(number, "openai/m", "aoci", usage)
    return [
        happened.StepStarted(number, 150),
        happened.Replied(AssistantMessage(text, calls)),
        happened.StepFinished(record, Totals()),
    ]


def ran(call: ToolCall, title: str, result: ToolResult) -> list[Event]:
    return [
        happened.ToolStarted(call, Preview("text", title)),
        happened.ToolFinished(call, result, "done" if result.ok else "failed", 0.2, title),
    ]


EVENTS: tuple[Event, ...] = (
    happened.SessionStarted("s", "/r", "openai/m", "aoci", "full-auto", "", "", "", "", "1"),
    happened.TurnStarted("make it add"),
    *step(1, "I look first.", LOOK),
    *ran(LOOK, "read a.py", ToolResult("1\tthe text of the file", summary="1 line")),
    *step(2, "", EDIT),
    *ran(EDIT, "edit a.py", ToolResult("edited", diff=DIFF)),
    happened.HistoryRewritten("made short", (UserMessage("x"),)),
    *step(3, f"All done. {ESCAPE}"),
    happened.TurnFinished("done", "All done.", Totals(steps=3), seconds=4.0),
)
ENDINGS = (Ending("the hidden check, exit code 0", "5 passed"), Ending("the change", DIFF, "diff"))
WHOLE = Trajectory("add · aoci · passed", EVENTS, ENDINGS)


class Viewer:
    def __init__(self, app: ReplayApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.app.post_message(Key(key, key if len(key) == 1 else None))
            await self.pilot.pause()

    @property
    def screen(self) -> str:
        strips = self.app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
        return "\n".join(strip.text.rstrip() for strip in strips)


@asynccontextmanager
async def viewing(trajectory: Trajectory = WHOLE) -> AsyncGenerator[Viewer]:
    app = ReplayApp(trajectory)
    app.animation_level = "none"
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.pause()
        yield Viewer(app, pilot)


async def test_it_begins_with_the_prompt_and_tells_its_keys() -> None:
    async with viewing() as it:
        for words in (
            "make it add",
            "add · aoci · passed",
            "3 steps follow",
            "n next",
        ):
            assert words in it.screen
        assert "I look first" not in it.screen


async def test_a_step_shows_reply_call_and_what_it_used() -> None:
    async with viewing() as it:
        await it.press("n")
        assert "I look first." in it.screen
        assert "read a.py  1 line" in it.screen
        assert "step 1 of 3 · up 100 down 7 R 50 W 0 hit 33% $0.01" in it.screen
        assert "edit a.py" not in it.screen
        await it.press("right")
        assert "edit a.py" in it.screen
        assert "if quote.discount >= 1:" in it.screen
        assert "history rewritten: made short" in it.screen
        assert "step 2 of 3 · up 200" in it.screen
        assert "so far up 300 down 14 R 100" in it.screen


async def test_behind_the_last_step_stand_the_check_and_the_diff() -> None:
    async with viewing() as it:
        await it.press("n", "n", "n")
        assert "All done." in it.screen
        assert "done · 3 steps" in it.screen
        await it.press("n")
        assert "5 passed" in it.screen
        await it.press("space", "n", "n")
        assert it.screen.count("if quote.discount >= 1:") == 2  # of the call, and of the whole
        assert "the change · so far" in it.screen


async def test_going_back_shows_the_earlier_state_and_forward_again_the_same() -> None:
    async with viewing() as it:
        await it.press("n", "n")
        before = it.screen
        await it.press("n", "n", "p", "left")
        assert it.screen == before
        await it.press("g")
        assert "I look first" not in it.screen
        await it.press("p")
        assert "make it add" in it.screen
        await it.press("G")
        assert "the change · so far" in it.screen


async def test_outputs_open_and_foreign_text_stays_text() -> None:
    async with viewing() as it:
        await it.press("n")
        assert "the text of the file" not in it.screen
        await it.press("ctrl+o")
        assert "the text of the file" in it.screen
        await it.press("n", "n")
        assert "[red]not markup[/]" in it.screen
        assert "\x1b" not in it.screen


async def test_calls_take_the_focus_and_give_it_back() -> None:
    async with viewing() as it:
        await it.press("n", "up", "enter")
        assert "the text of the file" in it.screen
        await it.press("escape")
        assert it.app.focused is None
        await it.press("up", "down")
        assert it.app.focused is None


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+c"])
async def test_it_is_left_with_a_key(key: str) -> None:
    async with viewing() as it:
        await it.press(key)
        assert it.app.return_value == 0


async def test_a_session_nobody_recorded_the_start_of_is_shown() -> None:
    async with viewing(Trajectory("peer", (happened.TurnStarted("go"), *step(1, "hm")))) as it:
        await it.press("G")
        assert "hm" in it.screen
        assert "step 1 of 1" in it.screen


async def test_without_any_event_there_is_still_an_end() -> None:
    async with viewing(Trajectory("nothing", (), ENDINGS)) as it:
        await it.press("n")
        assert "5 passed" in it.screen


def test_the_record_of_a_session_reads_back_as_its_events(tmp_path: Path) -> None:
    record = SessionRecord(tmp_path / "s.jsonl")
    for event in EVENTS:
        record.write(event)
    record.write(happened.ApprovalAnswered("c1", Decision(Answer.DENY, "no")))
    record.close()
    with (tmp_path / "s.jsonl").open("ab") as file:
        file.write(b'{"type": "Unknown"}\n{"type": "StepStarted"}\nbroken')
    *found, answered = recorded_events(tmp_path / "s.jsonl")
    rewritten = next(one for one in EVENTS if isinstance(one, happened.HistoryRewritten))
    bare = happened.HistoryRewritten(rewritten.reason, ())
    assert found == [bare if one is rewritten else one for one in EVENTS]
    assert isinstance(answered, happened.ApprovalAnswered)
    assert event_from({"type": "Grew", "messages": []}) is None


def test_as_text_it_is_all_there_in_order() -> None:
    text = "\n".join(plain(WHOLE))
    words = [
        "add · aoci",
        "> make it add",
        "-- step 1",
        "I look first",
        "* read a.py · done · 1 line",
    ]
    words += ["the text of the file", "-- step 2", "* edit a.py", "+    if quote", "-- step 3"]
    words += ["All done.", "· ended: done", "exit code 0", "5 passed", "-- the change"]
    places = [text.index(word) for word in words]
    assert places == sorted(places)
    assert used(EVENTS).steps == 3


async def test_a_key_that_comes_while_the_screen_closes_does_nothing() -> None:
    app = ReplayApp(WHOLE)
    async with app.run_test() as pilot:
        await pilot.press("n", "n", "q")
    await app.action_go(1)
    assert app.return_value == 0
