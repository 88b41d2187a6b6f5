"""Read part of a text file, or list a directory."""

import asyncio

from pydantic import Field

from aoci_agent.base.errors import TryAgain
from aoci_agent.base.files import TextFile
from aoci_agent.tools.documents import Documents
from aoci_agent.tools.lines import numbered, split
from aoci_agent.tools.output import fit
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt

TOKENS = 6_000
WIDTH = 2_000  # characters of a line
NAMES = 500  # names of a directory


class ReadArguments(Arguments):
    """Lines count from 1; a limit of 0 means as many as fit."""

    path: str
    offset: int = Field(default=1, ge=0)
    limit: int = Field(default=0, ge=0)


class Read:
    """Shows lines with their numbers and remembers which were seen."""

    name = "read"
    effect = Effect.READ
    arguments = ReadArguments
    description = prompt("read")

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def preview(self, arguments: ReadArguments) -> Preview:
        path = self._documents.workspace.relative(arguments.path) or "."
        start = f" from line {arguments.offset}" if arguments.offset > 1 else ""
        return Preview("text", f"read {path}{start}", key=path)

    async def run(self, arguments: ReadArguments) -> ToolResult:
        return await asyncio.to_thread(self._read, arguments)

    def _read(self, arguments: ReadArguments) -> ToolResult:
        workspace = self._documents.workspace
        path = workspace.relative(arguments.path)
        if workspace.is_dir(path):
            return self._listing(path)
        file = self._documents.open(path)
        lines = split(file.text)
        if not lines:
            self._documents.ledger.saw(path, file.content_id, 1, 1)
            return ToolResult(f"{path} is empty", summary="empty", read=(path,))
        return self._lines(path, file, lines, arguments)

    def _lines(
        self, path: str, file: TextFile, lines: list[str], arguments: ReadArguments
    ) -> ToolResult:
        first = max(arguments.offset, 1)
        if first > len(lines):
            raise TryAgain(f"{path} has {len(lines)} lines: there is no line {first}")
        end = first - 1 + arguments.limit if arguments.limit else len(lines)
        wanted = lines[first - 1 : end]
        text, shown = fit(
            [_shortened(line) for line in wanted], lambda part: numbered(part, first), TOKENS
        )
        last = first + shown - 1
        self._documents.ledger.saw(path, file.content_id, first, last)
        summary = f"lines {first}-{last} of {len(lines)}"
        return ToolResult(text + _left_out(first, last, len(lines)), summary=summary, read=(path,))

    def _listing(self, path: str) -> ToolResult:
        names = self._documents.workspace.list_dir(path)
        shown = "\n".join(names[:NAMES]) or "(empty directory)"
        if len(names) > NAMES:
            shown += f"\n[{len(names) - NAMES} of {len(names)} names not shown: use glob]"
        where = path or "."
        return ToolResult(f"{where}/\n{shown}", summary=f"{len(names)} names")


def _shortened(line: str) -> str:
    if len(line) <= WIDTH:
        return line
    return f"{line[:WIDTH]}… [{len(line) - WIDTH:,} more characters in this line not shown]"


def _left_out(first: int, last: int, total: int) -> str:
    notes: list[str] = []
    if first > 1:
        notes.append(f"lines 1-{first - 1}")
    if last < total:
        notes.append(f"lines {last + 1}-{total}")
    if not notes:
        return ""
    rest = f": offset={last + 1}" if last < total else ""
    return f"\n[{' and '.join(notes)} of {total} not shown{rest}]"
