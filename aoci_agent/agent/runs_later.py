"""A guard that says which files of an edit other programs run by themselves (T16).

Commands say it of themselves, since only they know what they changed.
"""

from dataclasses import replace

from aoci_agent.agent.toolbox import Bound
from aoci_agent.base.autorun import runs_later, told_later
from aoci_agent.tools.tool import ToolResult


class TellsRunsLater:
    """Adds one line to what the model reads and to what the person sees."""

    async def before(self, call: Bound) -> None:
        """Nothing to do."""

    async def after(self, call: Bound, result: ToolResult) -> ToolResult:
        """The result with the line, where the call wrote such a file."""
        later = told_later(runs_later(result.changed))
        if not later:
            return result
        summary = f"{result.summary}; {later}" if result.summary else later
        return replace(result, text=f"{result.text}\n{later}", summary=summary)
