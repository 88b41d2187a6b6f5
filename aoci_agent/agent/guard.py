"""What stands around a call that may change something: a snapshot before, a look afterwards."""

from collections.abc import Sequence
from typing import Protocol

from aoci_agent.agent.toolbox import Bound
from aoci_agent.tools.tool import ToolResult


class Guard(Protocol):
    """Called by the dispatcher around every call with an effect of EDIT or RUN, after it was allowed."""

    async def before(self, call: Bound) -> None:
        """Before it starts. Raises ForModel: then the call does not run, and the model reads why."""
        ...

    async def after(self, call: Bound, result: ToolResult) -> ToolResult:
        """After it ended, well or not; also when it was cancelled: with what it had come to, if known."""
        ...


class Guards:
    """Several guards: entered in order, left in the opposite order."""

    def __init__(self, guards: Sequence[Guard] = ()) -> None:
        self._guards = tuple(guards)

    async def before(self, call: Bound) -> None:
        """Enter all. When one refuses, those that were entered are left again."""
        entered: list[Guard] = []
        try:
            for guard in self._guards:
                await guard.before(call)
                entered.append(guard)
        except BaseException:
            await _leave(entered, call, ToolResult("", ok=False))
            raise

    async def after(self, call: Bound, result: ToolResult) -> ToolResult:
        """Leave all, each seeing what the inner ones made of the result."""
        return await _leave(self._guards, call, result)


async def _leave(guards: Sequence[Guard], call: Bound, result: ToolResult) -> ToolResult:
    """The innermost first; the others also where that one fails or is cancelled."""
    if not guards:
        return result
    try:
        result = await guards[-1].after(call, result)
    finally:
        result = await _leave(guards[:-1], call, result)
    return result
