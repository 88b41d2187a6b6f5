"""Intent, effect, done: in the record in this order, so that a killed session can be gone on with."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from support.fakes import FakeTool, ListRecorder, call, change, harness, look, says, shell

from aoci_agent.agent.events import Event, Grew, SessionStarted, ToolFinished, ToolStarted
from aoci_agent.agent.record import SessionRecord
from aoci_agent.agent.resume import read
from aoci_agent.agent.sessions import use_of
from aoci_agent.policies.conversation import ToolMessage
from aoci_agent.policies.validity import NOT_STARTED, STARTED
from aoci_agent.tools.tool import Effect, ToolResult

SESSION = SessionStarted("one", "/r", "m", "grep-read", "ask", "", "p", "", "", "")


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


@pytest.mark.gate("R09", "S10")
async def test_a_start_is_written_before_the_effect_and_the_answer_right_behind_it() -> None:
    seen: list[list[Event]] = []

    def act(text: str) -> ToolResult:
        seen.append(list(made.recorder.events))
        return ToolResult(f"did {text}", changed=(text,))

    tool = FakeTool("change", Effect.EDIT, act)
    calls = (call("change", "a"), call("change", "b"))
    made = harness([says("", *calls), says("done")], tool)
    await made.turn()
    for one, before in zip(calls, seen, strict=True):
        assert isinstance(before[-1], ToolStarted)
        assert before[-1].call == one
    first, second = seen[1], made.recorder.events
    assert isinstance(first[-3], Grew)
    assert isinstance(first[-2], ToolFinished)
    grown = [event for event in second if isinstance(event, Grew)]
    answers = [m for event in grown for m in event.messages if isinstance(m, ToolMessage)]
    assert [answer.text for answer in answers] == ["did a", "did b"]
    for at, event in enumerate(second):  # an answer is durable before it is told that it is there
        if isinstance(event, ToolFinished):
            assert isinstance(second[at - 1], Grew)


@pytest.mark.gate("R09", "P93", "S10")
@pytest.mark.parametrize("upto", range(1, 40))
async def test_a_record_that_ends_anywhere_can_be_sent_and_says_what_may_have_happened(
    tmp_path: Path, upto: int
) -> None:
    """Cut behind any event, as `kill -9` does."""
    made = harness(
        [
            says("", call("look", "a"), call("change", "b"), call("shell", "c")),
            says("", call("change", "d"), call("change", "e")),
            says("done"),
        ],
        *(look(), change(), shell()),
    )
    await made.turn()
    record = SessionRecord(tmp_path / "one.jsonl")
    kept = [SESSION, *made.recorder.events][:upto]
    for event in kept:
        record.write(event)
    record.close()
    resumed = read(record.path)
    answers = {m.call_id: m for m in resumed.messages if isinstance(m, ToolMessage)}
    asked = [c.id for m in resumed.messages for c in getattr(m, "calls", ())]
    assert list(answers) == asked
    started = {event.call.id for event in kept if isinstance(event, ToolStarted)}
    for name, answer in answers.items():
        if any(isinstance(e, Grew) and answer in e.messages for e in kept):
            continue
        assert answer.text == (STARTED if name in started else NOT_STARTED)
    finished = [event for event in kept if isinstance(event, ToolFinished)]
    assert all(answers[event.call.id].text == event.result.text for event in finished)


@pytest.mark.gate("P92", "P93", "P94")
async def test_an_interrupted_call_is_told_from_one_that_was_not_begun(tmp_path: Path) -> None:
    class Slow(FakeTool):
        async def run(self, arguments: object) -> ToolResult:
            going.set()
            await asyncio.sleep(60)
            raise AssertionError

    going = asyncio.Event()
    slow = Slow("shell", Effect.RUN, ToolResult)
    made = harness([says("", call("shell", "a"), call("shell", "b")), says("so")], slow)
    record = SessionRecord(tmp_path / "one.jsonl")
    record.write(SESSION)
    made.agent.recorder = record
    task = asyncio.ensure_future(made.turn())
    await going.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await made.turn("go on")
    sent = made.model.requests[-1].messages
    texts = [message.text for message in sent if isinstance(message, ToolMessage)]
    assert texts == [STARTED, NOT_STARTED]
    record.close()
    assert read(record.path).messages == made.agent.conversation.messages
    assert not use_of(record.path).interrupted  # the newest turn came to its end


@pytest.mark.gate("P94")
async def test_an_interrupted_session_is_marked(tmp_path: Path) -> None:
    made = harness([says("done")])
    await made.turn()
    whole = [SESSION, *made.recorder.events]
    for upto, interrupted in ((1, False), (2, True), (len(whole) - 1, True), (len(whole), False)):
        record = SessionRecord(tmp_path / f"{upto}.jsonl")
        for event in whole[:upto]:
            record.write(event)
        record.close()
        assert use_of(record.path).interrupted is interrupted


async def test_ids_that_a_server_uses_again_are_of_their_own_reply(tmp_path: Path) -> None:
    same = replace(call("change", "a"), id="call_0")
    made = harness([says("", same), says("", same), says("done")], change())
    await made.turn()
    events = made.recorder.events
    second = [at for at, event in enumerate(events) if isinstance(event, ToolStarted)][1]
    for upto, text in ((second, NOT_STARTED), (second + 1, STARTED)):
        record = SessionRecord(tmp_path / f"{upto}.jsonl")
        for event in (SESSION, *events[:upto]):
            record.write(event)
        record.close()
        answers = [m.text for m in read(record.path).messages if isinstance(m, ToolMessage)]
        assert answers == ["changed a", text]


async def test_a_start_that_cannot_be_written_begins_nothing() -> None:
    from aoci_agent.base.errors import ForUser

    class Full(ListRecorder):
        def write(self, event: Event) -> None:
            if isinstance(event, ToolStarted):
                raise ForUser("cannot write the session record x.jsonl: full", "free some space")
            super().write(event)

    tool = change()
    made = harness([says("", call("change", "a")), says("so")], tool)
    made.agent.recorder = Full()
    *_, finished = await made.turn()
    assert tool.calls == []
    assert "x.jsonl" in getattr(finished, "message", "")
    made.agent.recorder = ListRecorder()
    *_, finished = await made.turn("again")
    assert getattr(finished, "reason", "") == "done"
