"""The blocks that go with a question, found in the views before the model is asked."""

import asyncio
from typing import Protocol

from aoci_agent.policies.candidates import Candidate, apart
from aoci_agent.tools.lookups import Found

_MORE = 3  # ranked blocks looked at for each one wanted: some overlap
_WHOLE = 100_000  # lines of a block: all of them


class Search(Protocol):
    """Ranked search. Satisfied by `tools.lookups.Lookups`."""

    def search(self, query: str, *, limit: int, lines: int) -> Found:
        """The blocks that fit best, each with its first `lines`."""
        ...


class Finder:
    """Candidates by search; a block that was being changed while it was read is left out."""

    def __init__(self, search: Search) -> None:
        self._search = search

    async def find(self, question: str, most: int) -> tuple[Candidate, ...]:
        """At most so many blocks, best first. Raises ForModel where nothing can be searched."""
        found = await asyncio.to_thread(
            self._search.search, question, limit=most * _MORE, lines=_WHOLE
        )
        ranked = (
            Candidate(row.path, row.start, row.end, "\n".join(row.lines), row.symbol)
            for row in found.rows
            if row.lines and not row.stale
        )
        return apart(ranked, most)
