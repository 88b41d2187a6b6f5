"""Create a text file, or replace the whole of one the model has seen."""

import asyncio
from dataclasses import replace

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import TextFile
from aoci_agent.tools.diffs import unified
from aoci_agent.tools.documents import Documents
from aoci_agent.tools.lines import split
from aoci_agent.tools.placeholders import refuse_placeholders
from aoci_agent.tools.syntax_errors import new_errors
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt


class WriteArguments(Arguments):
    """A path and the complete new text."""

    path: str
    content: str


class Write:
    """A new file, or a full overwrite that keeps encoding, byte-order mark and line ends."""

    name = "write"
    effect = Effect.EDIT
    arguments = WriteArguments
    description = prompt("write")

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def preview(self, arguments: WriteArguments) -> Preview:
        path, before, after = self._plan(arguments)
        body = unified(path, before.text if before else None, after.text)
        verb = "write" if before else "create"
        return Preview("diff", f"{verb} {self._documents.shown(path)}", body, key=path)

    async def run(self, arguments: WriteArguments) -> ToolResult:
        return await asyncio.to_thread(self._write, arguments)

    def _write(self, arguments: WriteArguments) -> ToolResult:
        path, before, after = self._plan(arguments)
        if before and before.text == after.text:
            return ToolResult(f"{path} already has this content", summary="unchanged")
        saved = self._documents.save(path, after, expect=before.content_id if before else "")
        lines = len(split(after.text))
        self._documents.ledger.wrote(path, saved, lines)
        verb = "wrote" if before else "created"
        errors = new_errors(path, before.text if before else None, after.text)
        return ToolResult(
            f"{verb} {path}: {lines} lines" + (f"\n{errors}" if errors else ""),
            summary=f"{verb}, {lines} lines{', new syntax error' if errors else ''}",
            changed=(path,),
            diff=unified(path, before.text if before else None, after.text),
        )

    def _plan(self, arguments: WriteArguments) -> tuple[str, TextFile | None, TextFile]:
        path = self._documents.changeable(arguments.path)
        workspace = self._documents.workspace
        if workspace.is_dir(path):
            raise TryAgain(f"{path} is a directory: name a file")
        if not workspace.exists(path):
            refuse_placeholders(arguments.content, "")
            return path, None, TextFile(text=arguments.content, encoding="utf-8")
        before = self._present(path)
        self._check_seen(path, before)
        refuse_placeholders(arguments.content, before.text)
        return path, before, replace(before, text=_with_newlines(arguments.content, before))

    def _present(self, path: str) -> TextFile:
        try:
            return self._documents.open(path)
        except NotPossible as error:
            raise NotPossible(f"{error}; it is not overwritten") from error

    def _check_seen(self, path: str, before: TextFile) -> None:
        if not before.text:
            return
        ledger = self._documents.ledger
        known = ledger.known_id(path)
        if not known:
            raise TryAgain(f"{path} exists and was not read: read it first, or use edit")
        if known != before.content_id:
            raise TryAgain(f"{path} changed since it was read: read it again, then write")
        lines = len(split(before.text))
        unseen = ledger.first_unseen(path, before.content_id, lines)
        if unseen:
            raise TryAgain(
                f"lines {unseen} and following of {path} ({lines} lines) were not read:"
                f" read with offset={unseen}, or use edit"
            )


def _with_newlines(content: str, before: TextFile) -> str:
    """The content with the line ends the file has."""
    return content.replace("\r\n", "\n").replace("\n", before.newline)
