"""From the calls of one reply to their results: judge, ask, run, report."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from aoci_agent.agent.approval import Answer, Approver, Question
from aoci_agent.agent.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    ToolFinished,
    ToolStarted,
)
from aoci_agent.agent.permissions import Permissions, Verdict
from aoci_agent.agent.toolbox import Bound, Toolbox
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
        self, toolbox: Toolbox, permissions: Permissions, approver: Approver, annotate: Annotate
    ) -> None:
        self._toolbox = toolbox
        self._permissions = permissions
        self._approver = approver
        self._annotate = annotate

    async def run(self, calls: tuple[ToolCall, ...]) -> AsyncGenerator[Event]:
        """Yield events; every call ends in exactly one ToolFinished, in the order of the calls."""
        for group in self._groups(calls):
            events = self._together(group) if len(group) > 1 else self._alone(group[0])
            async for event in events:
                yield event

    def _groups(self, calls: Iterable[ToolCall]) -> list[list[ToolCall]]:
        groups: list[list[ToolCall]] = []
        for call in calls:
            if groups and self._is_read(call) and self._is_read(groups[-1][-1]):
                groups[-1].append(call)
            else:
                groups.append([call])
        return groups

    def _is_read(self, call: ToolCall) -> bool:
        return self._toolbox.effect(call.name) in TOGETHER

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
        bound, preview = ready.bound, ready.preview
        verdict = self._permissions.judge(bound.tool.name, bound.tool.effect, preview.key)
        reason = self._permissions.reason(bound.tool.effect)
        if verdict is Verdict.DENY:
            yield _denied(call, preview, reason)
            return
        if verdict is Verdict.ASK:
            question = Question(call.id, bound.tool.name, bound.tool.effect, preview, reason)
            yield ApprovalAsked(question)
            decision = await self._approver.ask(question)
            yield ApprovalAnswered(call.id, decision)
            if decision.answer is Answer.DENY:
                yield _denied(call, preview, decision.comment or "the user said no")
                return
            if decision.answer is Answer.SESSION:
                self._permissions.grant(bound.tool.name, preview.key)
        yield ToolStarted(call, preview)
        started = time.monotonic()
        result = await self._execute(ready)
        seconds = time.monotonic() - started
        yield ToolFinished(call, result, _status(result), seconds, preview.title)

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


def _failed(error: ForModel) -> ToolResult:
    text = str(error)
    return ToolResult(text=text, ok=False, summary=text.splitlines()[0][:200] if text else "failed")


def _denied(call: ToolCall, preview: Preview, reason: str) -> ToolFinished:
    text = f"Denied: {preview.title}. Reason: {reason}. It was not run."
    result = ToolResult(text, ok=False, summary=reason)
    return ToolFinished(call, result, "denied", 0.0, preview.title)


def _status(result: ToolResult) -> Status:
    return "done" if result.ok else "failed"
