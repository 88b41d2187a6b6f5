"""Replace one piece of a text file, found by quoting it."""

import asyncio
from dataclasses import dataclass, replace

from aoci_agent.base.errors import TryAgain
from aoci_agent.base.files import TextFile
from aoci_agent.tools.diffs import unified
from aoci_agent.tools.documents import Documents
from aoci_agent.tools.edit_texts import after_edit, not_found, region
from aoci_agent.tools.lines import split
from aoci_agent.tools.placeholders import refuse_placeholders
from aoci_agent.tools.replacing import Replacement, find
from aoci_agent.tools.syntax_errors import new_errors
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt

SHOWN_MATCHES = 8


class EditArguments(Arguments):
    """`all` allows several places; without it `old` must stand in the file once."""

    path: str
    old: str
    new: str
    all: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    path: str
    file: TextFile
    found: Replacement


class Edit:
    """Exact, else tolerant of whitespace but then unique. Nothing outside the place changes."""

    name = "edit"
    effect = Effect.EDIT
    arguments = EditArguments
    description = prompt("edit")

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def preview(self, arguments: EditArguments) -> Preview:
        plan = self._plan(arguments)
        body = unified(plan.path, plan.file.text, plan.found.text)
        title = f"edit {self._documents.shown(plan.path)}" + ("" if body else " (already applied)")
        return Preview("diff", title, body, key=plan.path)

    async def run(self, arguments: EditArguments) -> ToolResult:
        return await asyncio.to_thread(self._edit, arguments)

    def _edit(self, arguments: EditArguments) -> ToolResult:
        plan = self._plan(arguments)
        path, file, found = plan.path, plan.file, plan.found
        if found.text == file.text:
            text = f"{path}: nothing to do, the new text already stands at line {_lines(found)}"
            return ToolResult(text, summary="already applied")
        known = self._documents.ledger.known_id(path)
        edited = replace(file, text=found.text)
        saved = self._documents.save(path, edited, expect=file.content_id)
        shift = len(split(found.text)) - len(found.view.lines)
        ids = (file.content_id, saved)
        self._documents.ledger.edited(path, ids, found.line_numbers[0], shift)
        text = after_edit(path, file, found, moved=known not in {"", file.content_id})
        errors = new_errors(path, file.text, found.text)
        return ToolResult(
            f"{text}\n{errors}" if errors else text,
            summary=f"at line {_lines(found)}{', new syntax error' if errors else ''}",
            changed=(path,),
            diff=unified(path, file.text, found.text),
        )

    def _plan(self, arguments: EditArguments) -> _Plan:
        """Everything but the writing. A failure is counted, for the loop asks here first."""
        path = self._documents.changeable(arguments.path)
        if not arguments.old:
            raise TryAgain("old is empty: quote the text to replace, or use write for a whole file")
        if arguments.old == arguments.new:
            raise TryAgain("old and new are the same: nothing would change")
        file = self._documents.open(path)
        refuse_placeholders(arguments.new, file.text)
        found = find(file, arguments.old, arguments.new)
        if found is None:
            raise TryAgain(self._not_found(path, file, arguments.old))
        allowed = arguments.all and found.how == "exact"
        if len(found.places) > 1 and found.how != "already" and not allowed:
            raise TryAgain(self._ambiguous(path, found))
        return _Plan(path, file, found)

    def _not_found(self, path: str, file: TextFile, old: str) -> str:
        message, line = not_found(path, file, old)
        if self._documents.ledger.failed(path) < 2:
            return message
        text, first, last = region(file, line)
        self._documents.ledger.saw(path, file.content_id, first, last)
        return f"{message}\nThe file there now:\n{text}"

    def _ambiguous(self, path: str, found: Replacement) -> str:
        self._documents.ledger.failed(path)
        count = len(found.places)
        how = " (but for whitespace)" if found.how == "tolerant" else ""
        way = "quote more lines around it" if how else "quote more lines around it, or set all=true"
        return f"old stands {count} times in {path}{how}, at lines {_lines(found)}: {way}"


def _lines(found: Replacement) -> str:
    numbers = list(dict.fromkeys(found.line_numbers))
    shown = ", ".join(map(str, numbers[:SHOWN_MATCHES]))
    return shown + (", …" if len(numbers) > SHOWN_MATCHES else "")
