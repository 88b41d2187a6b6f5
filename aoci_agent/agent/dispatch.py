"""From the calls of one reply to their results: judge, ask, run, report."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from aoci_agent.agent.approval import Answer, Approver, Question
from aoci_agent.agent.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    ToolFinished,
    ToolStarted,
)
from aoci_agent.agent.guard import Guards
from aoci_agent.agent.permissions import Permissions
from aoci_agent.agent.ruling import Ruling, Verdict
from aoci_agent.agent.toolbox import Bound, Toolbox
from aoci_agent.base.box import Door, Strength
from aoci_agent.base.errors import ForModel
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.tools.tool import Effect, Preview, ToolResult

TOGETHER = (Effect.READ, Effect.NOTE)
Status = Literal["done", "failed", "denied", "interrupted"]
Annotate = Callable[[ToolResult], ToolResult]


@dataclass(frozen=True, slots=True)
class Ready:
    """A bound call with the preview a person sees."""

    bound: Bound
    preview: Preview


class Dispatcher:
    """Runs calls in order; neighbouring reads run together, everything else one by one."""

    def __init__(
        self,
        toolbox: Toolbox,
        permissions: Permissions,
        approver: Approver,
        annotate: Annotate,
        guards: Guards | None = None,
        door: Door | None = None,
    ) -> None:
        """`door` leads out of the sandbox, for one command, when a person says so."""
        self._toolbox = toolbox
        self._permissions = permissions
        self._approver = approver
        self._annotate = annotate
        self._guards = guards or Guards()
        self._door = door

    async def run(self, calls: tuple[ToolCall, ...]) -> AsyncGenerator[Event]:
        """Yield events; every call ends in exactly one ToolFinished, in the order of the calls."""
        left = calls
        while left:
            # Judged only now: what an earlier call changed may be what a later one reads.
            reads = list(takewhile(self._reads_unasked, left))
            events = self._together(reads) if reads else self._alone(left[0])
            async for event in events:
                yield event
            left = left[len(reads) or 1 :]

    def _reads_unasked(self, call: ToolCall) -> bool:
        if self._toolbox.effect(call.name) not in TOGETHER:
            return False
        ready = self._prepare(call)
        return isinstance(ready, ToolResult) or self._judge(ready).verdict is Verdict.ALLOW

    def _judge(self, ready: Ready) -> Ruling:
        bound = ready.bound
        return self._permissions.judge(
            bound.tool.name, bound.tool.effect, ready.preview, network=_wants_network(bound)
        )

    async def _together(self, calls: list[ToolCall]) -> AsyncGenerator[Event]:
        """Reads need no approval, so they are prepared, started and awaited as one group."""
        started = time.monotonic()
        prepared = [self._prepare(call) for call in calls]
        for ready in prepared:
            if isinstance(ready, Ready):
                yield ToolStarted(ready.bound.call, ready.preview)
        results = await asyncio.gather(*(self._execute(ready) for ready in prepared))
        seconds = time.monotonic() - started
        for call, ready, result in zip(calls, prepared, results, strict=True):
            title = ready.preview.title if isinstance(ready, Ready) else call.name
            yield ToolFinished(call, result, _status(result), seconds, title)

    async def _alone(self, call: ToolCall) -> AsyncGenerator[Event]:
        ready = self._prepare(call)
        if isinstance(ready, ToolResult):
            yield ToolFinished(call, ready, "failed", 0.0, call.name)
            return
        # Looking at what a command names may take a moment in a large folder.
        outside = False
        preview, ruling = ready.preview, await asyncio.to_thread(self._judge, ready)
        if ruling.verdict is Verdict.DENY:
            yield _denied(call, preview, ruling.reason)
            return
        if ruling.verdict is Verdict.ASK:
            question = self._question(ready, ruling)
            yield ApprovalAsked(question)
            decision = await self._approver.ask(question)
            yield ApprovalAnswered(call.id, decision)
            if decision.answer is Answer.DENY:
                yield _denied(call, preview, decision.comment or "the user said no")
                return
            outside = decision.outside and question.confined
            if decision.answer is Answer.SESSION:
                self._permissions.grant(question.always)
        yield ToolStarted(call, preview)
        started = time.monotonic()
        with self._door.opened() if outside and self._door else nullcontext():
            result = await self._guarded(ready)
        seconds = time.monotonic() - started
        yield ToolFinished(call, result, _status(result), seconds, preview.title)

    def _question(self, ready: Ready, ruling: Ruling) -> Question:
        tool, network = ready.bound.tool, _wants_network(ready.bound)
        runs = tool.effect is Effect.RUN
        box = self._permissions.confinement(network=network) if runs else ""
        return Question(
            *(ready.bound.call.id, tool.name, tool.effect, ready.preview, ruling.reason),
            *(ruling.parts, ruling.always, box),
            confined=runs and self._door is not None and self._door.strength is not Strength.NONE,
        )

    async def _guarded(self, ready: Ready) -> ToolResult:
        """Run a call between the guards, which are left again however it ends."""
        if ready.bound.tool.effect in TOGETHER:
            return await self._execute(ready)
        try:
            await self._guards.before(ready.bound)
        except ForModel as error:
            return _failed(error)
        try:
            result = await self._execute(ready)
        except BaseException:
            await self._guards.after(ready.bound, ToolResult("", ok=False))
            raise
        return await self._guards.after(ready.bound, result)

    def _prepare(self, call: ToolCall) -> Ready | ToolResult:
        try:
            bound = self._toolbox.bind(call)
        except ForModel as error:
            return replace(_failed(error), malformed=True)
        try:
            return Ready(bound, bound.tool.preview(bound.arguments))
        except ForModel as error:
            return _failed(error)

    async def _execute(self, ready: Ready | ToolResult) -> ToolResult:
        if isinstance(ready, ToolResult):
            return ready
        try:
            result = await ready.bound.tool.run(ready.bound.arguments)
        except ForModel as error:
            return _failed(error)
        return self._annotate(result) if result.changed else result


def _wants_network(bound: Bound) -> bool:
    """Whether the call asks for the network: any tool may have such an argument."""
    return bound.arguments.model_dump(include={"network"}).get("network", False) is True


def _failed(error: ForModel) -> ToolResult:
    text = str(error)
    return ToolResult(text=text, ok=False, summary=text.splitlines()[0][:200] if text else "failed")


def _denied(call: ToolCall, preview: Preview, reason: str) -> ToolFinished:
    text = f"Denied: {preview.title}. Reason: {reason}. It was not run."
    result = ToolResult(text, ok=False, summary=reason)
    return ToolFinished(call, result, "denied", 0.0, preview.title)


def _status(result: ToolResult) -> Status:
    return "done" if result.ok else "failed"
