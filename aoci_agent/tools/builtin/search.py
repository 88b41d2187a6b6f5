"""Find code by words."""

import asyncio

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.tools.lookups import Lookups
from aoci_agent.tools.origins import OTHERWISE
from aoci_agent.tools.places import blocks
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt

HITS = 10
LINES = 6  # of each block


class SearchArguments(Arguments):
    """What is looked for."""

    query: str


class Search:
    """Ranked blocks of code with their first lines."""

    name = "search"
    effect = Effect.READ
    arguments = SearchArguments
    description = prompt("search")

    def __init__(self, lookups: Lookups | None) -> None:
        self._lookups = lookups

    def preview(self, arguments: SearchArguments) -> Preview:
        return Preview("text", f"search {arguments.query.strip().partition(chr(10))[0][:100]}")

    async def run(self, arguments: SearchArguments) -> ToolResult:
        if self._lookups is None:
            raise NotPossible(f"this session has no views to search; {OTHERWISE}")
        if not arguments.query.strip():
            raise TryAgain("query is empty: say what the code does, or paste the report")
        found = await asyncio.to_thread(
            self._lookups.search, arguments.query, limit=HITS, lines=LINES
        )
        if not found.rows:
            return ToolResult("nothing has any of these words: try grep", summary="nothing")
        return ToolResult(blocks(found), summary=f"{len(found.rows)} blocks")
