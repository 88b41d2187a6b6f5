"""From the calls of one reply to their results: judge, ask, run, report."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
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
from aoci_agent.base.cancelled import carried
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


@dataclass(eq=False)
class Waiting:
    """A call that was not begun. It is read and judged once, when that is first asked for."""

    call: ToolCall
    toolbox: Toolbox
    permissions: Permissions

    @cached_property
    def ready(self) -> Ready | ToolResult:
        """What can be run, or why it cannot."""
        try:
            bound = self.toolbox.bind(self.call)
        except ForModel as error:
            return replace(_failed(error), malformed=True)
        try:
            return Ready(bound, bound.tool.preview(bound.arguments))
        except ForModel as error:
            return _failed(error)

    @cached_property
    def ruling(self) -> Ruling:
        """What the permissions say of it, where it can be run."""
        assert isinstance(self.ready, Ready)
        bound, preview = self.ready.bound, self.ready.preview
        network = _wants_network(bound)
        return self.permissions.judge(bound.tool.name, bound.tool.effect, preview, network=network)

    @property
    def read_unasked(self) -> bool:
        """Whether it only reads, and nobody needs to be asked."""
        if self.toolbox.effect(self.call.name) not in TOGETHER:
            return False
        return isinstance(self.ready, ToolResult) or self.ruling.verdict is Verdict.ALLOW

    def ended(self, result: ToolResult, since: float, status: Status | None = None) -> ToolFinished:
        """Its end; it began at `since` on the monotonic clock."""
        title = self.ready.preview.title if isinstance(self.ready, Ready) else self.call.name
        status = status or ("done" if result.ok else "failed")
        return ToolFinished(self.call, result, status, time.monotonic() - since, title)


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

    def changes(self, name: str) -> bool:
        """Whether calls of this tool may change something."""
        return self._toolbox.effect(name) not in (None, *TOGETHER)

    async def run(self, calls: tuple[ToolCall, ...]) -> AsyncGenerator[Event]:
        """Yield events; every call ends in exactly one ToolFinished, in the order of the calls.

        A CancelledError carries the ends of those calls that it cut off or that ended with them.
        """
        left = [Waiting(call, self._toolbox, self._permissions) for call in calls]
        while left:
            # Judged only now: what an earlier call changed may be what a later one reads.
            reads = list(takewhile(lambda one: one.read_unasked, left))
            events = self._together(reads) if reads else self._alone(left[0])
            async for event in events:
                yield event
            left = left[len(reads) or 1 :]

    async def _together(self, calls: list[Waiting]) -> AsyncGenerator[Event]:
        """Reads need no approval, so they are started and awaited as one group."""
        since = time.monotonic()
        for one in calls:
            if isinstance(one.ready, Ready):
                yield ToolStarted(one.call, one.ready.preview)
        running = [asyncio.ensure_future(self._execute(one.ready)) for one in calls]
        try:
            results = await asyncio.gather(*running)
        except asyncio.CancelledError as cut:
            pairs = zip(calls, running, strict=True)
            whole = [(one, task) for one, task in pairs if task.done() and not task.cancelled()]
            ended = (one.ended(task.result(), since) for one, task in whole if not task.exception())
            raise asyncio.CancelledError(*ended) from cut
        for one, result in zip(calls, results, strict=True):
            yield one.ended(result, since)

    async def _alone(self, one: Waiting) -> AsyncGenerator[Event]:
        call, ready = one.call, one.ready
        if isinstance(ready, ToolResult):
            yield one.ended(ready, time.monotonic())
            return
        # Looking at what a command names may take a moment in a large folder.
        outside = False
        preview, ruling = ready.preview, await asyncio.to_thread(lambda: one.ruling)
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
        with self._door.opened() if outside and self._door else nullcontext():
            finished = await self._guarded(one, ready)
        yield finished

    def _question(self, ready: Ready, ruling: Ruling) -> Question:
        tool, network = ready.bound.tool, _wants_network(ready.bound)
        runs = tool.effect is Effect.RUN
        box = self._permissions.confinement(network=network) if runs else ""
        return Question(
            *(ready.bound.call.id, tool.name, tool.effect, ready.preview, ruling.reason),
            *(ruling.parts, ruling.always, box),
            confined=runs and self._door is not None and self._door.strength is not Strength.NONE,
        )

    async def _guarded(self, one: Waiting, ready: Ready) -> ToolFinished:
        """Run a call between the guards, which are left again however it ends."""
        since, bound = time.monotonic(), ready.bound
        if bound.tool.effect in TOGETHER:
            return one.ended(await self._execute(ready), since)
        try:
            await self._guards.before(bound)
        except ForModel as error:
            return one.ended(_failed(error), since)
        known: tuple[ToolResult, ...] = ()
        status: Status | None = "interrupted"
        try:
            try:
                known, status = (await self._execute(ready),), None
            except asyncio.CancelledError as cut:
                known = carried(cut, ToolResult)
                raise
            finally:
                empty = ToolResult("", ok=False)
                result = await self._guards.after(bound, known[0] if known else empty)
                known = known and (result,)
        except asyncio.CancelledError as cut:
            ended = (one.ended(each, since, status) for each in known)
            raise asyncio.CancelledError(*ended) from cut
        return one.ended(result, since)

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
