"""Go to a definition."""

import asyncio

from aoci_agent.base.errors import NotPossible
from aoci_agent.tools.lookups import Lookups
from aoci_agent.tools.origins import OTHERWISE
from aoci_agent.tools.places import blocks, counted
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt

LINES = 12  # of each definition


class DefinitionArguments(Arguments):
    """A name, or a place where it is used."""

    of: str


class Definition:
    """Where something is defined, and how it begins."""

    name = "definition"
    effect = Effect.READ
    arguments = DefinitionArguments
    description = prompt("definition")

    def __init__(self, lookups: Lookups | None) -> None:
        self._lookups = lookups

    def preview(self, arguments: DefinitionArguments) -> Preview:
        return Preview("text", f"definition {arguments.of}")

    async def run(self, arguments: DefinitionArguments) -> ToolResult:
        if self._lookups is None:
            raise NotPossible(f"this session has no graph of symbols; {OTHERWISE}")
        found = await asyncio.to_thread(self._lookups.definition, arguments.of, LINES)
        if not found.rows:
            told = f" ({found.note})" if found.note else ""
            text = f"no definition of {arguments.of} in this repository{told}: try grep"
            return ToolResult(text, summary="nothing")
        return ToolResult(blocks(found), summary=counted(len(found.rows), "definition"))
