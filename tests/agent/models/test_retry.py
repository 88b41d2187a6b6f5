"""Waiting for a busy provider (safety.md R13)."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from support.asking import Heard, asking, hear
from support.endpoint import Answer, refuses, says, serving

from aoci_agent.agent.models.model import Busy, NoticePiece, StreamCut, TextPiece
from aoci_agent.agent.models.openai_client import OpenAIClient
from aoci_agent.agent.models.providers import Endpoint
from aoci_agent.agent.models.retry import Patience, RetryingModel
from aoci_agent.agent.models.scripted import Line, ScriptedModel
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage

pytestmark = pytest.mark.gate("R13")


@dataclass
class Clock:
    """Time that passes only by sleeping."""

    now: float = 0.0
    waits: list[float] = field(default_factory=list[float])

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def patience(self, jitter: Callable[[], float] = lambda: 1.0) -> Patience:
        return Patience(sleep=self.sleep, clock=lambda: self.now, jitter=jitter)


def patient(clock: Clock, *lines: Line) -> RetryingModel:
    return RetryingModel(ScriptedModel(lines), clock.patience())


FINE = AssistantMessage("fine")


async def test_backs_off_and_tells() -> None:
    clock = Clock()
    heard = await hear(patient(clock, Busy("a"), Busy("b"), Busy("c"), FINE))
    assert heard.reply.message == FINE
    assert clock.waits == [1, 2, 4]
    assert heard.pieces[0] == NoticePiece("a; try 2 of 5 in 1 s")


async def test_backoff_is_jittered_between_half_and_whole() -> None:
    clock = Clock()
    model = RetryingModel(
        ScriptedModel([Busy("a"), Busy("b"), FINE]), clock.patience(jitter=lambda: 0.0)
    )
    await hear(model)
    assert clock.waits == [0.5, 1]


async def test_does_what_the_provider_asks() -> None:
    clock = Clock()
    await hear(patient(clock, Busy("a", 30.0), FINE))
    assert 30 <= clock.waits[0] < 31


async def test_gives_up_at_once_when_asked_to_wait_too_long() -> None:
    clock = Clock()
    with pytest.raises(ModelUnavailable) as caught:
        await hear(patient(clock, Busy("limit reached", 3600.0), FINE))
    assert clock.waits == []
    assert "3600 s" in caught.value.hint


async def test_gives_up_after_five_tries() -> None:
    clock = Clock()
    lines = [Busy(f"no {at}") for at in range(20)]
    model = ScriptedModel(lines)
    with pytest.raises(ModelUnavailable, match=r"no 4 \(tried 5 times"):
        await hear(RetryingModel(model, clock.patience()))
    assert len(model.requests) == 5


async def test_gives_up_when_the_budget_is_spent() -> None:
    clock = Clock()
    with pytest.raises(ModelUnavailable):
        await hear(patient(clock, Busy("a", 50.0), Busy("b", 50.0), Busy("c", 50.0), FINE))
    assert len(clock.waits) == 2


@pytest.mark.parametrize("error", [ModelUnavailable("401"), StreamCut("cut", "abc")])
async def test_other_failures_are_not_tried_again(error: Exception) -> None:
    model = ScriptedModel([error, FINE])
    with pytest.raises(type(error)):
        await hear(RetryingModel(model, Clock().patience()))
    assert len(model.requests) == 1


async def test_nothing_is_repeated_once_text_was_shown() -> None:
    model = RetryingModel(ScriptedModel([StreamCut("cut", "some text"), FINE]), Clock().patience())
    pieces = model.stream(asking())
    assert await anext(pieces) == TextPiece("some text")
    with pytest.raises(StreamCut):
        await anext(pieces)


@pytest.mark.parametrize(
    ("answers", "requests"),
    [
        ([refuses(429, "slow"), refuses(429, "slow", Retry_After="3"), says("hi")], 3),
        ([refuses(500, "x"), refuses(503, "x"), refuses(529, "x"), says("hi")], 4),
        ([replace(says("hi"), cut=0), says("hi")], 2),
        ([replace(says("hi"), cut=9, chunked=True), says("hi")], 2),
    ],
)
async def test_a_storm_over_http(answers: list[Answer], requests: int) -> None:
    async with serving(*answers) as server:
        client = OpenAIClient(Endpoint("openai/x", "x", server.url))
        heard: Heard = await hear(RetryingModel(client, Clock().patience()))
        await client.close()
    assert heard.reply.message.text == "hi"
    assert len(server.posts) == requests
    assert len({seen.raw for seen in server.posts}) == 1


async def test_cancelling_the_wait_ends_it() -> None:
    model = RetryingModel(ScriptedModel([Busy("a", 100.0), FINE]))
    pieces = model.stream(asking())
    assert isinstance(await anext(pieces), NoticePiece)
    waiting = asyncio.ensure_future(anext(pieces))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
