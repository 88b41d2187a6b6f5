"""SQL definitions, by pattern: tables and views with their columns, functions, types."""

import re
from collections.abc import Iterable, Iterator

from aoci_agent.views.syntax import heads
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.text import Text, refuse_runaway

_NAME = r"(?:[\"`\[]?[\w$]+[\"`\]]?\s*\.\s*){0,2}[\"`\[]?(?P<name>[\w$]+)[\"`\]]?"
_CREATE = re.compile(
    r"\bCREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?"
    r"(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL|VIRTUAL|FOREIGN|MATERIALIZED|RECURSIVE|DEFINER\s*=\s*\S+)\s+){0,3}"
    r"(?P<kind>TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|TYPE|DOMAIN)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?!IF\b)"
    + _NAME,
    re.IGNORECASE,
)
_KINDS = {"table": "class", "view": "class", "type": "type", "domain": "type"}
_QUIET = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\$\w*\$", re.DOTALL)
_MOST_OPEN = 100  # quotes in dollars without an end, after which they are none
_BLOCK = re.compile(r"\bBEGIN\b(?!\s*;)", re.IGNORECASE)
_BLOCK_END = re.compile(r"^[ \t]*END\b[^\n]{0,40}$", re.IGNORECASE | re.MULTILINE)
_COLUMN = re.compile(
    r"\s*[\"`\[]?(?P<name>[A-Za-z_][\w$]*)[\"`\]]?\s+(?P<type>\w+(?:\s*\([\d\s,]*\))?)"
)
_NO_COLUMN = re.compile(
    r"\s*(?:PRIMARY|FOREIGN|UNIQUE|KEY|INDEX|CONSTRAINT|CHECK|FULLTEXT|SPATIAL|EXCLUDE|LIKE|PERIOD)\b",
    re.IGNORECASE,
)
_MARK = re.compile(r"[(),;]")
_ABOVE = re.compile(r"[ \t]*(?:--|/\*|\*|\*/)")
_HEAD = 200  # characters after the name


def sql(text: Text) -> Iterable[Definition]:
    """Scripts, schemas and migrations. Raises TooSlow where patterns would run away."""
    refuse_runaway(text.text)
    code = _quiet(text.text)
    found = list(_CREATE.finditer(code))
    bounds = [*(item.start() for item in found), len(code)]
    for item, bound in zip(found, bounds[1:], strict=True):
        yield from _statement(item, bound, text, code)


def _quiet(text: str) -> str:
    """The text with blanks for comments and strings."""
    kept: list[str] = []
    place = unclosed = 0
    while (found := _QUIET.search(text, place)) is not None:
        end = found.end()
        if found[0][0] == "$":
            closed = text.find(found[0], end) if unclosed < _MOST_OPEN else -1
            unclosed += closed < 0
            end = closed + len(found[0]) if closed >= 0 else end
        kept += [text[place : found.start()], heads.blanks(text[found.start() : end])]
        place = end
    return "".join((*kept, text[place:]))


def _statement(found: re.Match[str], bound: int, text: Text, code: str) -> Iterator[Definition]:
    line, column = text.place(found.start("name"))
    first = text.place(found.start())[0]
    end = _end(found, bound, code)
    last = text.place(max(end - 1, found.start("name")))[0]
    while first > 1 and _ABOVE.match(text.text[text.starts[first - 2] : text.starts[first - 1]]):
        first -= 1
    kind = _KINDS.get(found["kind"].lower(), "function")
    head = text.text[found.start() : min(end, found.end() + _HEAD)].partition("(")[0]
    yield Definition(
        found["name"], kind, first, last, line, column,
        signature=heads.flat(head if kind == "class" else text.text[found.start() : end][:400]),
    )  # fmt: skip
    if found["kind"].upper() == "TABLE":
        yield from _columns(found, end, text, code)


def _end(found: re.Match[str], bound: int, code: str) -> int:
    """Where a statement ends: at its semicolon, or at the END of its block."""
    mark = code.find(";", found.end(), bound)
    semicolon = mark + 1 if mark >= 0 else found.end() + len(code[found.end() : bound].rstrip())
    if _KINDS.get(found["kind"].lower()) or not _BLOCK.search(code, found.end(), semicolon):
        return semicolon
    ends = [item.end() for item in _BLOCK_END.finditer(code, semicolon, bound)]
    return ends[-1] if ends else semicolon


def _columns(found: re.Match[str], end: int, text: Text, code: str) -> Iterator[Definition]:
    opened = code.find("(", found.end(), end)
    if opened < 0:
        return
    depth, start = 0, opened + 1
    for mark in _MARK.finditer(code, opened + 1, end):
        if mark[0] == "(":
            depth += 1
        elif depth:
            depth -= mark[0] == ")"
        else:
            column = _COLUMN.match(code, start, mark.start())
            if column is not None and not _NO_COLUMN.match(code, start, mark.start()):
                line, place = text.place(column.start("name"))
                yield Definition(
                    column["name"], "field", line, line, line, place,
                    owner=found["name"], type=column["type"],
                    signature=heads.flat(text.text[column.start("name") : mark.start()]),
                )  # fmt: skip
            start = mark.end()
            if mark[0] != ",":
                return
