"""Whether what the agent changed has been checked since it changed it."""

from aoci_agent.tools.tool import ToolResult


class CheckGate:
    """A turn that edited and would end without a passing check is asked once to run one (models.md 4)."""

    def __init__(self) -> None:
        self._unchecked: dict[str, None] = {}
        self._asked = False

    def saw(self, result: ToolResult) -> None:
        """Note edits and checks as they happen."""
        if result.check is not None and result.check.passed:
            self._unchecked.clear()
        for path in result.changed:
            self._unchecked[path] = None

    def due(self) -> str:
        """The changed paths to ask about, or "" when all is checked or it was asked already."""
        if self._asked or not self._unchecked:
            return ""
        self._asked = True
        return ", ".join(self._unchecked)
