"""Syntax errors that a change brought into a file, found by comparing its trees before and after."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.facts.parsing import TooSlow
from aoci_agent.tools.lines import View, common_start
from aoci_agent.views.syntax.parsed import Grammar, Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

LARGEST = 1_000_000  # characters; above, a result would wait for the parser
SHOWN = 3
_WIDTH = 120  # characters of a quoted line
_VISITED = 5_000  # damaged nodes looked at
_GRAMMARS: Mapping[str, Grammar] = {
    "python": Grammar("tree_sitter_python"),
    "javascript": Grammar("tree_sitter_javascript"),
    "typescript": Grammar("tree_sitter_typescript", "language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", "language_tsx"),
    "go": Grammar("tree_sitter_go"),
    "java": Grammar("tree_sitter_java"),
    "scala": Grammar("tree_sitter_scala"),
    "csharp": Grammar("tree_sitter_c_sharp"),
    "rust": Grammar("tree_sitter_rust"),
    "c": Grammar("tree_sitter_c"),
    "cpp": Grammar("tree_sitter_cpp"),
    "swift": Grammar("tree_sitter_swift"),
    "php": Grammar("tree_sitter_php", "language_php"),
    "ruby": Grammar("tree_sitter_ruby"),
    "shell": Grammar("tree_sitter_bash"),
}
# To these grammars macros, or another shell's syntax, are errors. Where a file has some already, more
# are told only when the balance of its brackets moved as well: of 1,254 changes to such files in
# redis 9 were false alarms, all in one change of a library's version.
_WEAK = ("c", "cpp", "shell")
_ESCAPE = re.compile(r"\\[^\n]")


@dataclass(frozen=True, slots=True)
class _Error:
    first: int  # line, counted from 0
    last: int
    why: str  # "" where the parser only passed over something


def new_errors(path: str, before: str | None, after: str) -> str:
    """One line for each new error, at most 3, "" for none; `before` is None for a new file.

    Errors the file had already are not told: where a grammar is weak they are no errors.
    """
    language = language_of(path)
    if language is None or language.name not in _GRAMMARS or len(after) > LARGEST:
        return ""
    old, new = View.of(before or "").text, View.of(after).text
    try:
        found = _errors(language.name, path, new)
        known = _errors(language.name, path, old) if found else []
    except (TooSlow, ImportError):
        return ""
    lines = new.split("\n")
    if language.name in _WEAK:
        broke = len(found) > len(known) and _unpaired(old) != _unpaired(new)
        if not old or (known and not broke):
            return ""
        found = [error for error in found if not _is_macro(error, lines)]
    return _told(_unknown(found, known, old.split("\n"), lines), lines)


def _errors(language: str, path: str, text: str) -> list[_Error]:
    root = Parsed(path, text.encode("utf-8", "replace"), _GRAMMARS[language]).tree.root_node
    end = text.rstrip("\n").count("\n")
    found = [
        _Error(min(node.start_point[0], end), min(node.end_point[0], end), _why(node))
        for node in _damaged(root)
    ]
    if language == "python" and not found:
        return _misindented(text)
    return found


def _damaged(root: "Node") -> "Iterator[Node]":
    """The outermost nodes that are errors, in source order; the root only when no other is."""
    pending = [root] if root.has_error else []
    found = False
    for _ in range(_VISITED):
        if not pending:
            break
        node = pending.pop()
        if node.is_missing or (node.is_error and node.parent is not None):
            found = True
            yield node
        else:
            pending += [child for child in reversed(node.children) if child.has_error]
    if root.is_error and not found:
        yield root


def _why(node: "Node") -> str:
    return f'"{node.type}" is missing' if node.is_missing else ""


def _is_macro(error: _Error, lines: list[str]) -> bool:
    """`EACH(a, b) {`: a call with a block to a parser that does not know the macro."""
    return error.why == '";" is missing' and lines[error.first].endswith("{")


def _unpaired(text: str) -> list[int]:
    """How many more brackets open than close, by kind."""
    return [text.count(a) - text.count(b) for a, b in ("{}", "()", "[]")]


def _misindented(text: str) -> list[_Error]:
    """What Python says of indentation, which its grammar does not check.

    Only that: other errors may be the syntax of a newer Python than this one.
    """
    try:
        ast.parse(_ESCAPE.sub("//", text))  # escapes could be warned of
    except IndentationError as error:
        line = (error.lineno or 1) - 1
        return [_Error(line, line, error.msg)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return []


def _unknown(
    found: list[_Error], known: list[_Error], old: list[str], new: list[str]
) -> list[_Error]:
    """The errors whose line had none before; one that spans the change stands where it begins."""
    head = common_start(old, new)
    left = Counter((error.why, old[error.first].strip()) for error in known)
    unknown: list[_Error] = []
    for error in found:
        key = (error.why, new[error.first].strip())
        left[key] -= 1
        if left[key] < 0:
            inside = error.first < head <= error.last + 1
            line = min(head, error.last) if inside else error.first
            unknown.append(_Error(line, error.last, error.why))
    return unknown


def _told(errors: list[_Error], lines: list[str]) -> str:
    told: list[str] = []
    for error in errors[:SHOWN]:
        why = f", {error.why}" if error.why else ""
        line = lines[error.first].strip()[:_WIDTH]
        told.append(f"New syntax error at line {error.first + 1}{why}: {line}")
    if len(errors) > SHOWN:
        told.append(f"[{len(errors) - SHOWN} more syntax errors not shown]")
    return "\n".join(told)
