"""Look into the index of the repository."""

import asyncio
from collections.abc import Iterable
from typing import Protocol

from aoci_agent.aoci.lookup import entries_at, search
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.write import entry_line
from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import Workspace
from aoci_agent.tools.output import fit
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt

TOKENS = 3_000
HITS = 10


class IndexView(Protocol):
    """The index as it is now. Satisfied by `aoci.store.IndexStore`."""

    @property
    def current(self) -> Index:
        """Loaded or built, with the agent's own edits applied."""
        ...

    def refresh(self, paths: Iterable[str]) -> tuple[Entry, ...]:
        """Derive the entries of changed files anew."""
        ...


class IndexArguments(Arguments):
    """A path, a directory or words."""

    query: str


class IndexTool:
    """A path gives its entry, a directory its entries, words the entries nearest to them."""

    name = "index"
    effect = Effect.READ
    arguments = IndexArguments
    description = prompt("index")

    def __init__(self, workspace: Workspace, index: IndexView | None) -> None:
        self._workspace = workspace
        self._index = index

    def preview(self, arguments: IndexArguments) -> Preview:
        return Preview("text", f"index {arguments.query}")

    async def run(self, arguments: IndexArguments) -> ToolResult:
        if not arguments.query.strip():
            raise TryAgain("query is empty: give a path, a directory or words")
        return await asyncio.to_thread(self._look_up, arguments.query.strip())

    def _look_up(self, query: str) -> ToolResult:
        index = self._index.current if self._index else Index()
        if not index.entries:
            raise NotPossible(
                "this repository has no index (a person can make one: aoci-agent index build);"
                " use glob and grep"
            )
        entries, what = self._entries(index, query)
        if not entries:
            return ToolResult(f"the index has nothing on {query}: try grep", summary="nothing")
        text, count = fit(entries, _text, TOKENS)
        if count < len(entries):
            text += f"\n[{count} of {len(entries)} entries shown: name a directory or file below]"
        return ToolResult(text, summary=f"{what}: {len(entries)} entries")

    def _entries(self, index: Index, query: str) -> tuple[list[Entry], str]:
        path = self._path(query)
        if found := entries_at(index, path):
            return found, "file" if path in index.by_path else "directory"
        return [hit.entry for hit in search(index, query, HITS)], "search"

    def _path(self, query: str) -> str:
        """The query as a path, should it be one."""
        try:
            return self._workspace.relative(query.rstrip("/") or "/")
        except NotPossible:
            return query


def _text(entries: list[Entry]) -> str:
    """Entries under the names of their directories."""
    lines: list[str] = []
    directory = None
    for entry in entries:
        if entry.directory != directory:
            directory = entry.directory
            lines.append(f"{directory or '.'}/")
        lines.append(entry_line(entry))
    return "\n".join(lines)
