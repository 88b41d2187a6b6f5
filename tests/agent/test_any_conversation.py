"""Room is made in any conversation, for any window: it fits or the turn stops, and it can be sent."""

import asyncio
from collections.abc import Sequence

from hypothesis import given, settings, strategies as st
from support.conversations import asked, conversations, valid
from support.fakes import Harness, harness, look, says

from aoci_agent.agent.events import HistoryRewritten
from aoci_agent.agent.limits import Stop
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolMessage
from aoci_agent.policies.pinned import Notebook


def held(messages: Sequence[Message], window: int) -> Harness:
    """A session in which these were said, and the next question was asked."""
    h = harness([says("They were read.")] * 9, look(), window=window)
    book = Notebook()
    book.saw(messages)
    h.agent.conversation.restore(messages, book)
    h.agent.conversation.begin("and what now?", "[note]")
    return h


async def made_room(h: Harness) -> tuple[list[HistoryRewritten], bool]:
    """What was rewritten, and whether the next request fits."""
    rewritten: list[HistoryRewritten] = []
    try:
        async for event in h.agent.compaction.before_call(h.model, lambda _: None):
            if isinstance(event, HistoryRewritten):
                rewritten.append(event)
    except Stop:
        return rewritten, False
    return rewritten, True


@settings(max_examples=80)
@given(conversations(), st.integers(300, 6000))
def test_it_fits_or_it_stops_and_is_the_same_every_time(
    messages: tuple[Message, ...], window: int
) -> None:
    h = held(messages, window)
    rewritten, fits = asyncio.run(made_room(h))
    now = h.agent.conversation.messages
    assert valid(now)
    assert asked(now)[-1] == "and what now?"
    opening = h.agent.conversation.opening
    assert opening is not None
    assert now[opening] in h.agent.conversation.messages
    assert fits == h.agent.compaction.room(h.model).fits
    if not rewritten:
        assert now[:-1] == messages
    again = held(messages, window)
    assert asyncio.run(made_room(again)) == (rewritten, fits)
    if fits:
        size = sum(h.agent.meter.parts(h.agent.conversation.request(window)).values())
        assert size + h.agent.conversation.request(window).max_output <= window
        assert asyncio.run(made_room(h))[1]


@settings(max_examples=40)
@given(conversations())
def test_with_room_nothing_is_done(messages: tuple[Message, ...]) -> None:
    h = held(messages, 200_000)
    assert asyncio.run(made_room(h)) == ([], True)
    assert h.model.requests == []
    assert h.agent.conversation.messages[:-1] == messages


@settings(max_examples=40)
@given(conversations(), st.integers(1500, 4000))
def test_the_list_and_the_last_check_are_in_what_is_sent(
    messages: tuple[Message, ...], window: int
) -> None:
    h = held(messages, window)
    before = h.agent.conversation.notebook.pinned.facts
    rewritten, fits = asyncio.run(made_room(h))
    if not fits or not rewritten:
        return
    sent = "\n".join(
        message.text + "".join(c.name for c in message.calls)
        if isinstance(message, AssistantMessage)
        else message.text
        for message in h.agent.conversation.messages
    )
    lists = [m for m in messages if isinstance(m, ToolMessage) and m.name == "todo"]
    assert not lists or before.todo.splitlines()[0] in sent
    checks = [m for m in messages if isinstance(m, ToolMessage) and m.check is not None]
    assert not checks or before.check.split(" (")[0] in sent or checks[-1] in rewritten[-1].messages
