"""Find uses."""

import asyncio

from aoci_agent.base.errors import NotPossible
from aoci_agent.tools.lookups import Lookups
from aoci_agent.tools.origins import OTHERWISE
from aoci_agent.tools.places import by_file, counted
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt


class ReferencesArguments(Arguments):
    """A name, or a place where it is used."""

    of: str


class References:
    """Where something is used, file by file."""

    name = "references"
    effect = Effect.READ
    arguments = ReferencesArguments
    description = prompt("references")

    def __init__(self, lookups: Lookups | None) -> None:
        self._lookups = lookups

    def preview(self, arguments: ReferencesArguments) -> Preview:
        return Preview("text", f"references {arguments.of}")

    async def run(self, arguments: ReferencesArguments) -> ToolResult:
        if self._lookups is None:
            raise NotPossible(f"this session has no graph of symbols; {OTHERWISE}")
        found = await asyncio.to_thread(self._lookups.references, arguments.of)
        if not found.rows:
            told = f" ({found.note})" if found.note else ""
            return ToolResult(f"no use of {arguments.of} is known{told}: try grep", summary="none")
        files = len({row.path for row in found.rows})
        return ToolResult(
            by_file(found), summary=f"{counted(len(found.rows), 'use')} in {counted(files, 'file')}"
        )
