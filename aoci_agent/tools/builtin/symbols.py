"""List definitions."""

import asyncio

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.tools.lookups import Lookups
from aoci_agent.tools.origins import OTHERWISE
from aoci_agent.tools.places import blocks, counted
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt


class SymbolsArguments(Arguments):
    """A name, or the path of a file."""

    query: str


class Symbols:
    """Definitions of a name, or those in a file."""

    name = "symbols"
    effect = Effect.READ
    arguments = SymbolsArguments
    description = prompt("symbols")

    def __init__(self, lookups: Lookups | None) -> None:
        self._lookups = lookups

    def preview(self, arguments: SymbolsArguments) -> Preview:
        return Preview("text", f"symbols {arguments.query}")

    async def run(self, arguments: SymbolsArguments) -> ToolResult:
        if self._lookups is None:
            raise NotPossible(f"this session has no graph of symbols; {OTHERWISE}")
        if not arguments.query.strip():
            raise TryAgain("query is empty: give a name or the path of a file")
        found = await asyncio.to_thread(self._lookups.symbols, arguments.query)
        if not found.rows:
            return ToolResult(f"no definition of {arguments.query}: try grep", summary="nothing")
        return ToolResult(blocks(found), summary=counted(len(found.rows), "definition"))
