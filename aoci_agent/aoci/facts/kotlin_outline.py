"""Kotlin declarations by keyword and brace: the grammar loses whole classes to expressions it prefers."""

import re
from bisect import bisect_right

from aoci_agent.aoci.facts.jvm import TYPES, Declared

_TYPE_PARAMETERS = r"<(?:[^<>]|<(?:[^<>]|<[^<>]{0,200}>){0,200}>){0,200}>"
_NAME = r"(?:\w+|`[^`\n]+`)"
_TOKEN = re.compile(
    rf"""(?P<open>\{{)|(?P<close>\}})
    |(?<![:.\w`])(?:
      (?P<type>(?:fun\s+)?interface|class|typealias)\s+(?P<type_name>{_NAME})
      |(?P<object>object)\b(?:\s+(?!:)(?P<object_name>{_NAME}))?
      |fun\s+(?:{_TYPE_PARAMETERS}\s*)?(?:[\w<>?,.\ *&]{{0,160}}\.)?(?P<function>{_NAME})\s*\(
      |va[lr]\s+(?:{_TYPE_PARAMETERS}\s*)?(?:[\w<>?,.\ *]{{0,160}}\.)?(?P<property>{_NAME})
      |(?P<body>init\s*(?=\{{)|constructor\s*(?=\()))""",
    re.VERBOSE,
)
_BLANKED = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"\"\".*?\"\"\"+|\"(?:[^\"\\\n$]|\\.|\$\{(?:[^{}\"\n]|\"[^\"\n]*\")*\}|\$)*\"|'(?:[^'\\\n]|\\[^'\n]{1,5}|\\')'",
    re.DOTALL,
)
_LINE = re.compile(r"[^\n]")
_HEAD = 2000  # characters before a keyword in which its annotations and modifiers stand
_ANNOTATION_LINES = 8  # an annotation with its arguments is hardly longer


def blanked(text: str) -> str:
    """The text with comments and strings as spaces, so that every offset stays what it was."""
    return _BLANKED.sub(lambda found: _LINE.sub(" ", found[0]), text)


def outline(text: str, code: str) -> list[Declared]:
    """Declarations outside of functions, in source order; `code` is the text `blanked`."""
    lines = [0]
    for found in re.finditer("\n", code):
        lines.append(found.end())
    result: list[Declared] = []
    scopes: list[Declared | None] = []
    pending: Declared | None = None  # named, its body not seen yet
    inner = 0  # braces open among the parameters of the pending one
    for found in _TOKEN.finditer(code):
        if inner or (
            found["open"] and pending is not None and _is_open(code, pending.after, found.start())
        ):
            inner += 1 if found["open"] else -1 if found["close"] else 0
        elif found["open"]:
            scopes.append(pending)
            pending = None
        elif found["close"]:
            if pending is not None:
                pending.end = found.start()
            if scopes and (closed := scopes.pop()) is not None:
                closed.end = found.end()
            pending = None
        elif pending is None or not _belongs(found, pending, code):
            item = _item(found, text, code, lines, scopes)
            if pending is not None:
                pending.end = max(pending.after, item.start)
            pending = item
            result.append(item)
    return [item for item in result if not item.local and item.kind != "body"]


def _is_open(code: str, start: int, end: int) -> bool:
    """Whether a bracket of the declaration's head is still open at `end`."""
    return code.count("(", start - 1, end) > code.count(")", start - 1, end)


def _belongs(found: re.Match[str], pending: Declared, code: str) -> bool:
    """Whether a token is part of the declaration before it: a property among its parameters."""
    if found["property"] or found["function"]:
        return _is_open(code, pending.after, found.start())
    return (
        bool(found["body"])
        and pending.kind in TYPES
        and "\n\n" not in code[pending.after : found.start()]
    )


def _item(
    found: re.Match[str], text: str, code: str, lines: list[int], scopes: list[Declared | None]
) -> Declared:
    group = next(
        g
        for g in ("type_name", "object_name", "object", "function", "property", "body")
        if found[g]
    )
    name = found[group].strip("`")
    line = bisect_right(lines, found.start()) - 1
    first = _first_line(code, lines, line)
    near = max(found.start() - _HEAD, 0)
    begun = max(code.rfind(mark, max(lines[line], near), found.start()) for mark in "{};") + 1
    start = max(lines[first], begun, near)
    head = text[start : found.start(group)]
    above = scopes[-1] if scopes else None
    inside = above.inside if above is not None and above.kind == "scope" else above
    local = any(
        scope is None or scope.local or scope.kind not in (*TYPES, "scope") for scope in scopes[-1:]
    )
    kind = _kind(found, head, inside)
    place = (text, found.end(group), len(text), start)
    return Declared(kind, name, first, head, inside, local, *place)


def _kind(found: re.Match[str], head: str, inside: Declared | None) -> str:
    if found["type"]:
        if found["type"] == "typealias":
            return "type"
        words = re.sub(r"@\w+(?:\([^)]*\))?", "", head)
        return (
            "enum"
            if re.search(r"\benum\s", words)
            else "interface"
            if "interface" in found["type"]
            else "class"
        )
    if found["object"]:
        companion = re.search(r"\bcompanion\b", head)
        return "scope" if companion else "class" if found["object_name"] else "body"
    if found["function"]:
        return "method" if inside is not None else "function"
    return "constant" if found["property"] else "body"


def _first_line(code: str, lines: list[int], line: int) -> int:
    """The line of the first annotation above a declaration."""
    first = line
    for above in range(line - 1, max(line - 1 - _ANNOTATION_LINES, -1), -1):
        said = code[lines[above] : lines[above + 1]].strip()
        if said.startswith("@"):
            first = above
        elif not said or said[-1] in "{};" or (said[-1] not in "),(" and first == line):
            break
    return first
