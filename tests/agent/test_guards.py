"""What stands around calls that change something."""

import asyncio
from dataclasses import dataclass, field

import pytest
from support.fakes import FakeTool, call, change, look, shell
from support.permitted import permitted

from aoci_agent.agent.approval import DenyAll, Mode
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import Event, ToolFinished, ToolStarted
from aoci_agent.agent.freshness import unchanged
from aoci_agent.agent.guard import Guards
from aoci_agent.agent.toolbox import Bound, Toolbox
from aoci_agent.base.errors import NotPossible
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.tools.tool import Effect, ToolResult


@dataclass
class Noting:
    name: str
    log: list[str]
    refuses: bool = False
    calls: list[ToolCall] = field(default_factory=list[ToolCall])

    async def before(self, call: Bound) -> None:
        self.log.append(f"before {self.name}")
        if self.refuses:
            raise NotPossible("no room for a snapshot")

    async def after(self, call: Bound, result: ToolResult) -> ToolResult:
        self.log.append(f"after {self.name} {result.text or 'nothing'}")
        return ToolResult(f"{result.text}+{self.name}", ok=result.ok)


async def events_of(guards: Guards, *calls: ToolCall, mode: Mode = Mode.FULL_AUTO) -> list[Event]:
    toolbox = Toolbox((look(), change(), shell()))
    dispatcher = Dispatcher(toolbox, permitted(mode), DenyAll(), unchanged, guards)
    return [event async for event in dispatcher.run(calls)]


async def test_guards_are_entered_in_order_and_left_backwards() -> None:
    log: list[str] = []
    guards = Guards([Noting("a", log), Noting("b", log)])
    events = await events_of(guards, call("change", "x"), call("look", "y"))
    assert log == ["before a", "before b", "after b changed x", "after a changed x+b"]
    texts = [event.result.text for event in events if isinstance(event, ToolFinished)]
    assert texts == ["changed x+b+a", "saw y"]


async def test_a_guard_that_refuses_keeps_the_call_from_running() -> None:
    log: list[str] = []
    guards = Guards([Noting("a", log), Noting("b", log, refuses=True)])
    events = await events_of(guards, call("shell", "x"))
    assert log == ["before a", "before b", "after a nothing"]
    assert isinstance(events[0], ToolStarted)
    assert isinstance(events[1], ToolFinished)
    assert (events[1].status, events[1].result.text) == ("failed", "no room for a snapshot")


async def test_a_denied_call_meets_no_guard() -> None:
    log: list[str] = []
    await events_of(Guards([Noting("a", log)]), call("shell", "x"), mode=Mode.ASK)
    assert log == []


async def test_guards_are_left_also_when_the_call_is_cancelled() -> None:
    log: list[str] = []
    started = asyncio.Event()

    @dataclass
    class Endless(FakeTool):
        async def run(self, arguments: object) -> ToolResult:
            started.set()
            await asyncio.sleep(60)
            raise AssertionError

    tool = Endless("shell", Effect.RUN, ToolResult)
    guards = Guards([Noting("a", log)])
    dispatcher = Dispatcher(
        Toolbox((tool,)), permitted(Mode.FULL_AUTO), DenyAll(), unchanged, guards
    )

    async def drain() -> None:
        async for _ in dispatcher.run((call("shell", "x"),)):
            pass

    task = asyncio.create_task(drain())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log == ["before a", "after a nothing"]


async def test_all_guards_are_left_also_where_one_fails() -> None:
    class Failing(Noting):
        async def after(self, call: Bound, result: ToolResult) -> ToolResult:
            raise asyncio.CancelledError

    log: list[str] = []
    guards = Guards([Noting("a", log), Failing("b", log), Noting("c", log)])
    bound = Toolbox((look(),)).bind(call("look", "x"))
    with pytest.raises(asyncio.CancelledError):
        await guards.after(bound, ToolResult("so"))
    assert log == ["after c so", "after a so+c"]
