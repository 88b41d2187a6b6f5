"""The window in the loop: counted before every call, made room in, and never a loop (peers.md 23 to 34)."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from support.fakes import FakeTool, Harness, call, harness, look, says

from aoci_agent.agent.events import (
    Event,
    HistoryRewritten,
    Notice,
    StepFinished,
    TurnFinished,
)
from aoci_agent.agent.models.model import (
    ContextOverflow,
    Piece,
    Provenance,
    Reply,
    Request,
    StreamCut,
    TextPiece,
    Usage,
)
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.agent.room import must_fit, reply_room
from aoci_agent.base.errors import BadUsage, ModelUnavailable
from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.compact import Compact
from aoci_agent.policies.conversation import AssistantMessage, ToolMessage, UserMessage
from aoci_agent.policies.digest import Digest
from aoci_agent.policies.eager import Eager
from aoci_agent.policies.policy import Policy
from aoci_agent.tools.tool import Effect, ToolResult

WINDOW = 4000


def big(words: int = 150) -> FakeTool:
    return FakeTool("look", Effect.READ, lambda text: ToolResult(f"{text}\n" + "word " * words))


def todo() -> FakeTool:
    return FakeTool("todo", Effect.NOTE, lambda text: ToolResult(f"[ ] {text}"))


def looks(count: int, said: str = "") -> list[AssistantMessage]:
    return [says(said, call("look", str(n))) for n in range(count)]


def size(h: Harness, request: Request) -> int:
    return sum(h.agent.meter.parts(request).values())


def finished(events: list[Event]) -> TurnFinished:
    assert isinstance(events[-1], TurnFinished)
    return events[-1]


def rewritten(events: list[Event]) -> list[HistoryRewritten]:
    return [event for event in events if isinstance(event, HistoryRewritten)]


@pytest.mark.gate("R17")
async def test_a_tool_loop_never_passes_the_window() -> None:
    """30: the check is before every call, not at the person's turns; 31: schemas and all are counted."""
    h = harness([*looks(60), says("done")], big(), window=WINDOW)
    events = await h.turn()
    assert finished(events).reason == "done"
    assert len(rewritten(events)) > 2
    assert all(size(h, r) + r.max_output <= WINDOW for r in h.model.requests)
    assert all(r.max_output == reply_room(WINDOW) for r in h.model.requests)
    assert max(size(h, r) for r in h.model.requests) > WINDOW * 0.5


async def test_outputs_go_first_and_the_prefix_is_broken_rarely() -> None:
    h = harness([*looks(30), says("done")], big(), window=WINDOW)
    events = await h.turn()
    first = rewritten(events)[0]
    assert "old tool outputs dropped" in first.reason
    assert len(rewritten(events)) <= 6
    assert [m for m in first.messages if isinstance(m, Digest)] == []


async def test_the_list_and_the_question_are_there_after_every_compaction() -> None:
    """28, 26: the list is data beside the conversation; the rules are a layer that nothing summarises."""
    lines = [says("", call("todo", "weigh it")), *looks(40, "I looked."), says("done")]
    h = harness(lines, big(), todo(), window=WINDOW)
    events = await h.turn("mend the scales")
    assert any(isinstance(m, Digest) for e in rewritten(events) for m in e.messages)
    for request in h.model.requests[1:]:
        assert request.prefix.system.strip() == "be good"
        text = "\n".join(m.text for m in request.messages)
        assert "mend the scales" in text
        assert "[ ] weigh it" in text or request is h.model.requests[1]


async def test_what_the_provider_counts_is_what_the_window_is_measured_in() -> None:
    """20: a provider that counts twice our tokens is believed after its first usage."""

    def twice(text: str, *calls: object) -> object:
        def answer(request: Request) -> Reply:
            used = Usage(fresh=2 * size(h, request), output=5)
            message = AssistantMessage(text, calls)  # pyright: ignore[reportArgumentType]
            return Reply(message, used, "calls" if calls else "stop", "m")

        return answer

    lines = [twice("", call("look", str(n))) for n in range(40)]
    h = harness([*lines, twice("done")], big(), window=8000)  # pyright: ignore[reportArgumentType]
    assert finished(await h.turn()).reason == "done"
    assert all(2 * size(h, r) + r.max_output <= 8000 for r in h.model.requests)


async def test_what_cannot_be_made_to_fit_stops_and_says_what_to_do() -> None:
    h = harness([says("no")], look(), window=WINDOW)
    events = await h.turn("word " * 5000)
    assert finished(events).reason == "overflow"
    assert h.model.requests == []
    for words in ("the window 4,000", "/clear", "/model"):
        assert words in finished(events).message


@pytest.mark.gate("R17")
async def test_a_provider_that_always_refuses_is_asked_three_times_at_most() -> None:
    """23, 24, 25: tries are bounded, and none is sent unchanged."""
    refusals = [ContextOverflow("prompt is too long")] * 50
    h = harness([*looks(20), *refusals], big(), window=None)
    events = await h.turn()
    assert finished(events).reason == "overflow"
    asked = [size(h, r) for r in h.model.requests[20:]]
    assert len(asked) <= 3
    assert asked == sorted(asked, reverse=True)
    assert len(set(asked)) == len(asked)
    assert "too long" in finished(events).message or "nothing more" in finished(events).message


async def test_when_it_is_off_nothing_is_rewritten_and_the_choices_are_said() -> None:
    """33: off is off, whether we count or the provider refuses; /compact by hand still works."""
    h = harness([*looks(60)], big(), window=WINDOW)
    h.agent.compaction.choice = "off"
    events = await h.turn()
    assert rewritten(events) == []
    assert finished(events).reason == "overflow"
    for words in ("compaction is off", "/compact", "/clear", "/model"):
        assert words in finished(events).message
    refused = harness([*looks(3), ContextOverflow("too long"), says("no")], big())
    refused.agent.compaction.choice = "off"
    assert finished(await refused.turn()).reason == "overflow"
    assert len(refused.model.requests) == 4


def narrated(count: int) -> list[AssistantMessage]:
    return looks(count, "I found that the scale is read before the day begins. " * 8)


def with_summaries(lines: list[AssistantMessage]) -> tuple[list[object], list[Request]]:
    """A script that answers summaries beside its lines, and the summaries that were asked."""
    left, asked = list(lines), list[Request]()

    def answer(request: Request) -> AssistantMessage:
        if request.prefix.tools:
            return left.pop(0)
        asked.append(request)
        return says("The scale is read at dawn.")

    return [answer] * (3 * len(lines)), asked


async def test_a_summary_is_one_marked_step_of_the_sums_and_never_the_gauge() -> None:
    """16, 17, 18: paid for, marked, and not the conversation's size; the gauge is an estimate at once."""
    script, asked = with_summaries([*narrated(40), says("done")])
    h = harness(script, big(60), window=WINDOW)  # pyright: ignore[reportArgumentType]
    events = await h.turn()
    assert finished(events).reason == "done"
    assert asked
    records = h.agent.meter.records
    side = [r for r in records if r.side]
    assert len(side) == len(asked)
    assert h.agent.meter.session.steps == len(records) == finished(events).turn.steps
    assert all(set(r.layers) == {"summary"} for r in side)
    assert all(size(h, r) + r.max_output <= WINDOW for r in asked)
    assert h.agent.meter.sent is not None
    assert h.agent.meter.sent.usage == next(r for r in reversed(records) if not r.side).usage
    assert any("The scale is read at dawn." in m.text for m in h.agent.conversation.messages)


@pytest.mark.parametrize(
    "failure",
    [ModelUnavailable("gone"), ContextOverflow("too long"), StreamCut("cut", ""), says("")],
)
async def test_a_summary_that_fails_is_said_once_and_the_turn_goes_on(failure: object) -> None:
    """25: not tried again unchanged in every step; the facts are kept without it."""
    left, asked = [*narrated(40), says("done")], 0

    def answer(request: Request) -> AssistantMessage:
        nonlocal asked
        if request.prefix.tools:
            return left.pop(0)
        asked += 1
        if isinstance(failure, Exception):
            raise failure
        return failure  # pyright: ignore[reportReturnType]

    h = harness([answer] * 100, big(60), window=WINDOW)
    events = await h.turn()
    assert finished(events).reason == "done"
    assert asked == 1
    assert sum(isinstance(e, Notice) and "no summary" in e.text for e in events) == 1
    assert all(size(h, r) + r.max_output <= WINDOW for r in h.model.requests)


async def by_hand(h: Harness, focus: str = "") -> list[Event]:
    return [event async for event in h.agent.compact(focus)]


async def test_compact_by_hand_summarises_with_its_focus_and_keeps_the_words() -> None:
    lines = [*narrated(6), says("It is the scale."), says("The scale is read at dawn."), says("ok")]
    h = harness(lines, big())
    await h.turn("why is it\nso heavy?")
    events = await by_hand(h, "the scale")
    summary = h.model.requests[-1]
    assert "the scale" in summary.prefix.system
    assert summary.prefix.tools == ()
    assert [type(e) for e in events] == [Notice, StepFinished, HistoryRewritten]
    (digest,) = h.agent.conversation.messages
    assert isinstance(digest, Digest)
    assert "why is it\nso heavy?" in digest.text
    assert "The scale is read at dawn." in digest.text
    assert h.agent.meter.records[-1].side
    assert h.recorder.events[-1] == events[-1]
    assert finished(await h.turn("go on")).text == "ok"
    assert isinstance(h.model.requests[-1].messages[-1], UserMessage)


async def test_compact_by_hand_of_next_to_nothing_changes_nothing() -> None:
    h = harness([says("hello")], look())
    await h.turn("hi")
    events = await by_hand(h)
    assert [type(e) for e in events] == [Notice]
    assert len(h.agent.conversation.messages) == 2


async def test_compact_by_hand_fits_its_own_window_in_pieces() -> None:
    """29: over the limit, the summary itself does not overflow."""
    lines = [*narrated(30), says("done")]
    h = harness([*lines, *[says("A part.")] * 20], big(80))
    await h.turn()
    h.model.window = 2000
    before = len(h.model.requests)
    await by_hand(h)
    asked = h.model.requests[before:]
    assert len(asked) > 1
    assert all(size(h, r) + r.max_output <= 2000 for r in asked)
    assert isinstance(h.agent.conversation.messages[0], Digest)


async def test_a_huge_newest_output_is_cut_in_its_middle() -> None:
    h = harness([says("", call("look", "1")), says("done")], big(5000), window=WINDOW)
    events = await h.turn()
    assert finished(events).reason == "done"
    (output,) = [m for m in h.model.requests[-1].messages if isinstance(m, ToolMessage)]
    assert "omitted" in output.text
    assert size(h, h.model.requests[-1]) + reply_room(WINDOW) <= WINDOW


async def test_an_estimated_usage_teaches_nothing_of_the_provider() -> None:
    h = harness([says("a")], look(), window=8000)
    h.agent.compaction.scale.learn("m", 1000, Usage(fresh=9, tokens_from=Provenance.ESTIMATED))
    before = h.agent.compaction.scale.limit(h.model)
    h.agent.compaction.scale.learn("scripted", 1000, Usage(fresh=2000))
    assert before is not None
    assert (h.agent.compaction.scale.limit(h.model) or 0) < before * 0.6


@pytest.mark.parametrize(
    ("index", "window", "way_out"),
    [
        (5000, 8000, "--index-budget 3800, or --policy grep-read"),
        (5000, 2000, "--policy grep-read"),
        (0, 1000, "a model with a larger window"),
    ],
)
def test_fixed_layers_over_60_percent_are_refused_with_the_way_out(
    index: int, window: int, way_out: str
) -> None:
    """23: the numbers, and an index that would fit."""
    parts = {"tools": 700, "rules": 300, "index": index, "conversation": 0, "tool results": 0}
    with pytest.raises(BadUsage) as refused:
        must_fit("aoci", parts, window)
    assert f"{1000 + index:,} tokens" in refused.value.message
    assert refused.value.hint.startswith(way_out)
    must_fit("aoci", parts, None)
    must_fit("aoci", parts, 100_000)


async def test_a_model_with_a_smaller_window_gets_what_fits_it() -> None:
    h = harness([*looks(12), says("done"), says("", call("look", "x")), says("ok")], big())
    await h.turn("first question")
    h.model.window = WINDOW
    assert finished(await h.turn("second question")).text == "ok"
    sent = h.model.requests[-1]
    assert size(h, sent) + sent.max_output <= WINDOW
    text = "\n".join(message.text for message in sent.messages)
    assert "first question" in text
    assert "second question" in text


@pytest.mark.parametrize("policy", [Compact(), Eager()], ids=lambda policy: policy.name)
async def test_policies_that_deliver_code_stay_within_a_small_window(policy: Policy) -> None:
    block = Candidate("a.py", 1, 40, "    weight = weigh(row)\n" * 40, "weigh")
    read = FakeTool(
        "read", Effect.READ, lambda text: ToolResult(f"{text}\n" + "word " * 150, read=(text,))
    )
    lines = [
        [*[says("", call("read", f"{t}-{n}")) for n in range(8)], says("so")] for t in range(5)
    ]
    h = harness([line for turn in lines for line in turn], read, window=WINDOW, policy=policy)
    for turn in range(5):
        events = [e async for e in h.agent.run(f"question {turn}?", "", (block,))]
        assert finished(events).text == "so"
    assert all(size(h, r) + r.max_output <= WINDOW for r in h.model.requests)
    text = "\n".join(message.text for message in h.model.requests[-1].messages)
    assert all(f"question {turn}?" in text for turn in range(5))


async def test_an_interrupted_summary_is_paid_for_and_changes_nothing() -> None:
    started = asyncio.Event()
    h = harness([*narrated(6), says("done")], big())
    await h.turn("why?")
    before = h.agent.conversation.messages

    class Hanging(ScriptedModel):
        async def stream(self, request: Request) -> AsyncGenerator[Piece]:
            started.set()
            yield TextPiece("The ")
            await asyncio.Event().wait()

    h.agent.model = Hanging([])
    task = asyncio.ensure_future(by_hand(h))
    await started.wait()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert h.agent.conversation.messages == before
    last = h.recorder.events[-1]
    assert isinstance(last, StepFinished)
    assert last.record.side
    assert last.record.finish == "cut"
