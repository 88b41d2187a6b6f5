"""Search the contents of files."""

import asyncio
from itertools import groupby

from pydantic import Field

from aoci_agent.base.errors import TryAgain
from aoci_agent.base.files import Workspace
from aoci_agent.tools.listing import FileList
from aoci_agent.tools.output import fit
from aoci_agent.tools.searching import SECONDS, Found, Line, Query, search
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt

TOKENS = 4_000
WIDTH = 300  # characters of a line
NAMED = 3  # files that were not searched


class GrepArguments(Arguments):
    """A regular expression, where to search, and how many lines to show."""

    pattern: str
    path: str = ""
    glob: str = ""
    ignore_case: bool = False
    limit: int = Field(default=100, ge=1, le=1_000)


class Grep:
    """Matching lines grouped by file."""

    name = "grep"
    effect = Effect.READ
    arguments = GrepArguments
    description = prompt("grep")

    def __init__(self, workspace: Workspace, files: FileList, seconds: float = SECONDS) -> None:
        self._workspace = workspace
        self._files = files
        self._seconds = seconds

    def preview(self, arguments: GrepArguments) -> Preview:
        where = arguments.path or arguments.glob
        return Preview("text", f"grep {arguments.pattern}" + (f" in {where}" if where else ""))

    async def run(self, arguments: GrepArguments) -> ToolResult:
        if not arguments.pattern:
            raise TryAgain("pattern is empty; to list files use glob")
        path = self._workspace.relative(arguments.path) if arguments.path else ""
        if path and not self._workspace.exists(path):
            near = await asyncio.to_thread(self._files.did_you_mean, path)
            raise TryAgain(f"{path} does not exist.{near}")
        query = Query(arguments.pattern, path, arguments.glob, arguments.ignore_case, self._seconds)
        found = await search(self._workspace, self._files, query)
        return await asyncio.to_thread(_result, found, arguments.limit)


def _result(found: Found, limit: int) -> ToolResult:
    total = len(found.lines)
    if not total:
        text = "no matches" if found.complete else "no matches before the search was cut short"
        return ToolResult(text + _withheld(found), summary=text)
    shown = found.lines[:limit]
    text, count = fit(shown, _grouped, TOKENS)
    about = f"{total}" if found.complete else f"more than {total}"
    files = len({line.path for line in found.lines})
    if count < total:
        reached = "raise limit, or narrow the search"
        advice = reached if count == limit else "narrow pattern, path or glob"
        text += f"\n[{count} of {about} matching lines shown: {advice}]"
    summary = f"{about} matching lines in {files} files"
    return ToolResult(text + _withheld(found), summary=summary)


def _withheld(found: Found) -> str:
    if not found.withheld:
        return ""
    named = ", ".join(found.withheld[:NAMED]) + (", …" if len(found.withheld) > NAMED else "")
    number = len(found.withheld)
    noun = "file that may hold secrets was" if number == 1 else "files that may hold secrets were"
    return f"\n[{number} {noun} not searched ({named}): read asks the user]"


def _grouped(lines: list[Line]) -> str:
    pieces: list[str] = []
    for path, group in groupby(lines, key=lambda line: line.path):
        pieces.append(path)
        pieces += [f"{line.number}\t{_cut(line.text)}" for line in group]
    return "\n".join(pieces)


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}… [line cut]"
