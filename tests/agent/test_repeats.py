"""Loops: nudged first, then ended; honest repetition goes on."""

from collections.abc import Iterable

import pytest
from support.fakes import FakeTool, call, harness, look, says

from aoci_agent.agent.events import Event, ToolFinished, TurnFinished
from aoci_agent.agent.limits import Limits
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.tools.tool import Effect, ToolResult


async def ran(
    calls: Iterable[ToolCall], *tools: FakeTool, limits: Limits | None = None
) -> list[Event]:
    lines = [says("", one) for one in calls]
    return await harness([*lines, says("done")], *tools, limits=limits).turn()


def finished(events: list[Event]) -> list[ToolFinished]:
    return [event for event in events if isinstance(event, ToolFinished)]


def looks(names: str) -> list[ToolCall]:
    return [call("look", name, f"c{number}") for number, name in enumerate(names)]


def reason(events: list[Event]) -> str:
    assert isinstance(events[-1], TurnFinished)
    return events[-1].reason


@pytest.mark.gate("R18", "P85", "P86")
@pytest.mark.parametrize(
    ("names", "most"),
    [("a" * 20, 5), ("ab" * 20, 8), ("abc" * 20, 12), ("xyz" + "ab" * 20, 11), ("abcd" * 9, 16)],
)
async def test_calls_that_go_round_end_the_turn(names: str, most: int) -> None:
    events = await ran(looks(names), look())
    assert reason(events) == "repeats"
    assert len(finished(events)) <= most


@pytest.mark.gate("R18", "P85")
@pytest.mark.parametrize("names", ["abcdefabcdef", "aabbccddaabbccdd", "ababab"])
async def test_looking_again_is_honest_work(names: str) -> None:
    assert reason(await ran(looks(names), look())) == "done"


@pytest.mark.gate("R18", "P85")
async def test_a_call_that_makes_progress_goes_on() -> None:
    left = iter(range(100, 0, -1))
    tests = FakeTool("shell", Effect.RUN, lambda _: ToolResult(f"{next(left)} failing"))
    calls = [call("shell", "make test", f"c{number}") for number in range(20)]
    assert reason(await ran(calls, tests)) == "done"


@pytest.mark.gate("P84", "P85")
async def test_the_model_is_told_before_the_turn_ends() -> None:
    h = harness([*(says("", one) for one in looks("ababab")), says("done")], look())
    await h.turn()
    told = [str(message) for message in h.agent.conversation.messages]
    assert sum("look" in text and "times" in text for text in told) >= 1


@pytest.mark.gate("R18")
async def test_a_counter_that_varies_meets_the_cap_on_steps() -> None:
    calls = [call("look", str(number)) for number in range(50)]
    events = await ran(calls, look(), limits=Limits(turn_steps=20))
    assert reason(events) == "steps"
    assert len(finished(events)) == 20
