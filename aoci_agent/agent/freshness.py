"""Keeping the index true within a turn: what the agent changes is re-derived and told, never rewritten above."""

from dataclasses import replace

from aoci_agent.aoci.lines import changed_line, gone_line
from aoci_agent.tools.registry import IndexView
from aoci_agent.tools.tool import ToolResult


class Freshness:
    """Adds a `Δ path[tag]: …` line to a result that changed a file's entry (aoci.md section 8)."""

    def __init__(self, index: IndexView) -> None:
        self._index = index

    def __call__(self, result: ToolResult) -> ToolResult:
        """The result, with one line per entry that reads differently now."""
        before = self._index.current.by_path
        new = self._index.refresh(result.changed)
        lines = [changed_line(entry) for entry in new if before.get(entry.path) != entry]
        gone = before.keys() - self._index.current.by_path.keys()
        lines += [gone_line(path) for path in sorted(gone)]
        return replace(result, text="\n".join((result.text, *lines))) if lines else result


def unchanged(result: ToolResult) -> ToolResult:
    """For sessions without an index."""
    return result
