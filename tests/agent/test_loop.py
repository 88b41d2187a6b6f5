"""The loop through its public seam: a scripted model, fake tools, events out."""

import asyncio

import pytest
from support.fakes import FakeTool, call, change, harness, look, says, shell

from aoci_agent.agent.events import (
    Event,
    Grew,
    HistoryRewritten,
    Notice,
    Replied,
    StepFinished,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.models.model import (
    ContextOverflow,
    MalformedReply,
    Provenance,
    Reply,
    StreamCut,
    Usage,
)
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage, ToolCall, ToolMessage, UserMessage
from aoci_agent.tools.tool import Effect, ToolResult


def closing(events: list[Event]) -> TurnFinished:
    assert isinstance(events[-1], TurnFinished)
    return events[-1]


async def test_reads_then_answers() -> None:
    h = harness([says("", call("look", "a")), says("found it")], look())
    events = await h.turn("where is a?")
    assert [type(e) for e in events if not isinstance(e, TextDelta)][:2] != []
    assert isinstance(events[0], TurnStarted)
    assert closing(events).reason == "done"
    assert closing(events).text == "found it"
    assert closing(events).turn.steps == 2
    last = h.model.requests[-1].messages
    assert [type(m) for m in last] == [UserMessage, AssistantMessage, ToolMessage]
    assert last[-1].text == "saw a"


async def test_every_event_but_deltas_reaches_the_recorder_in_order() -> None:
    h = harness([says("", call("look", "a")), says("found it")], look())
    events = await h.turn()
    assert [event for event in h.recorder.events if not isinstance(event, Grew)] == events


async def test_the_record_holds_the_whole_conversation() -> None:
    h = harness([says("", call("look", "a")), says("found it"), says("again")], look())
    await h.turn()
    await h.turn()
    grown = [message for e in h.recorder.events if isinstance(e, Grew) for message in e.messages]
    assert tuple(grown) == h.agent.conversation.messages


async def test_reads_of_one_step_run_together_and_answer_in_call_order() -> None:
    running = 0
    most = 0

    class Slow(FakeTool):
        async def run(self, arguments: object) -> ToolResult:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.01 if "a" in str(arguments) else 0)
            running -= 1
            return ToolResult(str(arguments))

    tool = Slow("look", Effect.READ, lambda text: ToolResult(text))
    h = harness([says("", *(call("look", t) for t in "abc")), says("done")], tool)
    events = await h.turn()
    assert most == 3
    assert [e.call.id for e in events if isinstance(e, ToolFinished)] == [
        "look-a",
        "look-b",
        "look-c",
    ]


async def test_edits_and_commands_run_one_by_one_between_reads() -> None:
    h = harness(
        [says("", call("look", "a"), call("change", "b"), call("look", "c")), says("x"), says("x")],
        look(),
        change(),
    )
    events = await h.turn()
    order = [e.call.name for e in events if isinstance(e, ToolStarted | ToolFinished)]
    assert order == ["look", "look", "change", "change", "look", "look"]


async def test_prefix_is_the_same_object_bytes_in_every_request() -> None:
    h = harness([says("", call("look", "a")), says("one"), says("two")], look())
    await h.turn()
    await h.turn("again")
    assert len({r.prefix.system for r in h.model.requests}) == 1
    for earlier, later in zip(h.model.requests, h.model.requests[1:], strict=False):
        assert later.messages[: len(earlier.messages)] == earlier.messages


async def test_an_edit_without_a_check_is_asked_once_to_run_one() -> None:
    h = harness([says("", call("change", "a.py")), says("done"), says("really done")], change())
    events = await h.turn()
    reminders = [
        m for m in h.model.requests[-1].messages if isinstance(m, UserMessage) and m.harness
    ]
    assert len(reminders) == 1
    assert "a.py" in reminders[0].text
    assert closing(events).text == "really done"


async def test_a_passing_check_after_the_last_edit_needs_no_reminder() -> None:
    h = harness(
        [says("", call("change", "a.py"), call("shell", "tests")), says("done")], change(), shell()
    )
    assert closing(await h.turn()).turn.steps == 2


async def test_a_failing_check_does_not_count() -> None:
    h = harness(
        [says("", call("change", "a.py"), call("shell", "t")), says("done"), says("it fails")],
        change(),
        shell(passed=False),
    )
    assert closing(await h.turn()).text == "it fails"


@pytest.mark.gate("P84")
@pytest.mark.gate("P84", "R15")
async def test_unknown_tool_and_bad_arguments_go_back_to_the_model() -> None:
    bad = (
        ToolCall("1", "lok", "{}"),
        ToolCall("2", "look", '{"text": '),
        ToolCall("3", "look", '{"x": 1}'),
    )
    h = harness([says("", *bad), says("sorry")], look())
    events = await h.turn()
    texts = [e.result.text for e in events if isinstance(e, ToolFinished)]
    assert "Did you mean look?" in texts[0]
    assert "not a complete JSON object" in texts[1]
    assert "x" in texts[2]
    assert h.tools["look"].calls == []
    assert closing(events).reason == "done"


async def test_malformed_calls_are_stored_in_a_form_providers_accept() -> None:
    h = harness([says("", ToolCall("2", "look", '{"text": ')), says("sorry")], look())
    await h.turn()
    stored = [m for m in h.model.requests[-1].messages if isinstance(m, AssistantMessage)]
    assert stored[0].calls[0].arguments == "{}"


@pytest.mark.gate("R15")
async def test_three_replies_in_a_row_without_a_valid_call_stop_the_turn() -> None:
    h = harness([says("", ToolCall(str(i), "nope", f'{{"n": {i}}}')) for i in range(9)], look())
    finished = closing(await h.turn())
    assert finished.reason == "model"
    assert finished.turn.steps == 3


@pytest.mark.gate("R14")
async def test_a_cut_stream_runs_nothing_and_is_asked_again() -> None:
    h = harness([StreamCut("cut", "half an ans"), says("whole")], look())
    events = await h.turn()
    assert closing(events).text == "whole"
    assert any(isinstance(e, Notice) and e.level == "warning" for e in events)
    assert not any(isinstance(e, Replied) and e.message.text == "half an ans" for e in events)
    assert closing(events).turn.estimated


async def test_a_model_that_only_breaks_ends_the_turn_with_its_name() -> None:
    h = harness([StreamCut("cut")] * 5, look())
    assert closing(await h.turn()).reason == "model"


async def test_unavailable_model_ends_the_turn_with_the_hint() -> None:
    h = harness([ModelUnavailable("no key", "set KEY")], look())
    finished = closing(await h.turn())
    assert (finished.reason, finished.message) == ("model", "no key (set KEY)")


@pytest.mark.gate("P84", "P85", "P86")
@pytest.mark.gate("R18", "P85", "P86")
async def test_same_call_with_same_result_is_nudged_then_stopped() -> None:
    h = harness([says("", ToolCall(str(i), "look", '{"text": "a"}')) for i in range(9)], look())
    finished = closing(await h.turn())
    assert finished.reason == "repeats"
    assert len(h.tools["look"].calls) == 5
    told = [m.text for m in h.model.requests[-1].messages if isinstance(m, ToolMessage)]
    assert "3 times" in told[2]
    assert "times" not in told[1]


@pytest.mark.gate("P85")
@pytest.mark.gate("R18", "P86")
async def test_calls_that_take_turns_are_stopped_too() -> None:
    lines = [says("", ToolCall(str(i), "look", f'{{"text": "{"ab"[i % 2]}"}}')) for i in range(20)]
    h = harness(lines, look())
    assert closing(await h.turn()).reason == "repeats"
    assert len(h.tools["look"].calls) == 8  # four rounds of the two


@pytest.mark.gate("R18")
async def test_calls_that_vary_a_number_are_stopped_at_the_bound() -> None:
    lines = [says("", call("look", str(i))) for i in range(99)]
    h = harness(lines, look(), limits=Limits(turn_steps=12))
    assert closing(await h.turn()).reason == "steps"
    assert len(h.model.requests) == 12


@pytest.mark.gate("P85")
async def test_a_repeated_call_whose_result_changes_is_honest_work() -> None:
    counter = iter(range(100))
    tool = FakeTool("look", Effect.READ, lambda text: ToolResult(f"{text} {next(counter)}"))
    lines = [says("", ToolCall(str(i), "look", '{"text": "a"}')) for i in range(8)]
    h = harness([*lines, says("done")], tool)
    assert closing(await h.turn()).reason == "done"


@pytest.mark.gate("R18")
async def test_step_limit_stops_before_the_next_call() -> None:
    h = harness([says("", call("look", str(i))) for i in range(9)], look(), limits=Limits(steps=2))
    finished = closing(await h.turn())
    assert (finished.reason, len(h.model.requests)) == ("steps", 2)


async def test_overflow_drops_old_outputs_and_goes_on() -> None:
    big = FakeTool("look", Effect.READ, lambda text: ToolResult(f"{text}\n" + "word " * 200))
    lines = [says("", call("look", str(i))) for i in range(16)]
    h = harness([*lines, ContextOverflow("too long"), says("fits")], big)
    events = await h.turn()
    assert closing(events).text == "fits"
    assert any(isinstance(e, HistoryRewritten) for e in events)
    texts = [m.text for m in h.model.requests[-1].messages if isinstance(m, ToolMessage)]
    dropped = ["output dropped" in text for text in texts]
    assert dropped == sorted(dropped, reverse=True)
    assert any(dropped)
    assert not any(dropped[-4:])
    assert [text.splitlines()[0] for text in texts] == [str(i) for i in range(16)]


async def test_overflow_with_nothing_to_drop_is_said() -> None:
    h = harness([ContextOverflow("too long")], look())
    assert closing(await h.turn()).reason == "overflow"


async def test_a_request_longer_than_a_known_window_is_never_sent() -> None:
    h = harness([says("no")], look(), window=10)
    assert closing(await h.turn("word " * 100)).reason == "overflow"
    assert h.model.requests == []


@pytest.mark.gate("P93")
@pytest.mark.gate("P92", "P93")
async def test_interrupting_a_tool_leaves_a_history_that_can_be_sent() -> None:
    started = asyncio.Event()

    class Hanging(FakeTool):
        async def run(self, arguments: object) -> ToolResult:
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

    hang = Hanging("shell", Effect.RUN, lambda text: ToolResult(text))
    h = harness([says("", call("shell", "a"), call("shell", "b")), says("fine")], hang)
    task = asyncio.ensure_future(h.turn())
    await started.wait()
    task.cancel()
    await asyncio.wait([task])
    assert isinstance(h.recorder.events[-1], TurnFinished)
    assert h.recorder.events[-1].reason == "interrupted"
    assert closing(await h.turn("go on")).text == "fine"
    messages = h.model.requests[-1].messages
    answers = [m for m in messages if isinstance(m, ToolMessage)]
    assert [m.call_id for m in answers] == ["shell-a", "shell-b"]
    assert all("Interrupted" in m.text for m in answers)


async def test_interrupting_a_reply_is_metered_as_an_estimate() -> None:
    h = harness([says("a long reply " * 50)], look())
    turn = h.agent.run("go")
    async for event in turn:
        if isinstance(event, TextDelta):
            break
    await turn.aclose()
    record = h.agent.meter.records[-1]
    assert record.usage.tokens_from is Provenance.ESTIMATED
    assert record.finish == "cut"
    assert h.agent.meter.session.steps == 1


async def test_a_reply_that_came_whole_is_kept_once_and_metered_as_it_was() -> None:
    h = harness([says("whole", call("look", "a")), says("more")], look())
    turn = h.agent.run("go")
    async for event in turn:
        if isinstance(event, Replied):
            break
    await turn.aclose()
    assert h.agent.meter.records[-1].finish != "cut"
    await h.turn("go on")
    messages = h.model.requests[-1].messages
    assert [m.text for m in messages if isinstance(m, AssistantMessage)] == ["whole"]


async def test_time_limit_stops_a_hanging_command_and_leaves_a_valid_history() -> None:
    class Hanging(FakeTool):
        async def run(self, arguments: object) -> ToolResult:
            await asyncio.Event().wait()
            raise AssertionError

    hang = Hanging("shell", Effect.RUN, lambda text: ToolResult(text))
    h = harness([says("", call("shell", "a")), says("fine")], hang, limits=Limits(seconds=0.1))
    assert closing(await h.turn()).reason == "time"
    assert closing(await h.turn("no time is left")).reason == "time"
    h.agent.budget.set("time", "none")
    assert closing(await h.turn("go on")).text == "fine"


async def test_what_was_said_before_an_interruption_is_kept() -> None:
    h = harness([says("a long reply " * 50), says("more")], look())
    turn = h.agent.run("go")
    async for event in turn:
        if isinstance(event, TextDelta):
            break
    await turn.aclose()
    await h.turn("go on")
    kept = [m.text for m in h.model.requests[-1].messages if isinstance(m, AssistantMessage)]
    assert kept[0].startswith("a long")
    assert kept[0].endswith("[interrupted]")


async def test_a_reply_cut_at_the_output_limit_is_continued_once() -> None:
    cut = Reply(says("half"), Usage(fresh=1), "length", "scripted")
    h = harness([cut, says("rest")], look())
    events = await h.turn()
    assert (closing(events).reason, closing(events).text) == ("done", "rest")
    assert len(h.model.requests) == 2


async def test_step_records_split_the_prompt_exactly() -> None:
    h = harness([says("", call("look", "a")), says("done")], look())
    events = await h.turn()
    for event in events:
        if isinstance(event, StepFinished):
            assert sum(event.record.layers.values()) == event.record.usage.prompt
            assert set(event.record.layers) == {"tools", "rules", "conversation", "tool results"}
    assert closing(events).turn.prompt == sum(r.usage.prompt for r in h.agent.meter.records)


async def test_the_note_stands_below_the_words_of_the_person() -> None:
    h = harness([says("hi")], look())
    await h.turn("hello", "[2026-01-01]")
    assert h.model.requests[0].messages[0].text == "hello\n\n[2026-01-01]"


async def test_a_malformed_reply_is_metered_and_the_last_reason_is_named() -> None:
    h = harness([MalformedReply("arguments of 2 MB")] * 5, look())
    finished = closing(await h.turn())
    assert (finished.reason, finished.turn.steps, finished.turn.estimated) == ("model", 3, True)
    assert "arguments of 2 MB" in finished.message


async def test_an_empty_answer_is_said() -> None:
    assert "without an answer" in closing(await harness([says("")], look()).turn()).message
