"""Kotlin definitions, by keyword and brace: `val` and `var` of a constructor are fields."""

import re
from collections.abc import Iterable, Iterator

from aoci_agent.aoci.facts.jvm import TYPES, Declared
from aoci_agent.aoci.facts.kotlin_outline import blanked, outline
from aoci_agent.views.syntax import heads, lists
from aoci_agent.views.syntax.outline import CALLABLES, Definition
from aoci_agent.views.syntax.text import Text, refuse_runaway

_PROPERTY = re.compile(r"\b(?:val|var)\s+(\w+|`[^`\n]+`)\s*:\s*([^,=)]+)")
_RESULT = re.compile(r"\s*:\s*([^={\n]+)")
_TYPE_PARAMETERS = re.compile(r"\s*<[^()]*?>(?=\s*[(:{\n]|\s*(?:private|internal|protected)\b)")
_ABOVE = re.compile(r"[ \t]*(?://|/\*|\*|@|\*/)")
_HEAD = 4000  # characters after a name that are its head at most


def kotlin(text: Text) -> Iterable[Definition]:
    """Kotlin sources and scripts. Raises TooSlow where patterns would run away."""
    refuse_runaway(text.text)
    code = blanked(text.text)
    found: list[Definition] = []
    owners: dict[Declared, str] = {}
    for item in outline(text.text, code):
        holder = owners.get(item.inside, "") if item.inside is not None else ""
        owners[item] = f"{holder}.{item.name}" if holder else item.name
        if item.kind == "scope":
            owners[item] = holder
            continue
        found += _definitions(item, holder, text, code)
    return sorted(found, key=lambda item: (item.start, -item.end, item.line, item.column))


def _definitions(item: Declared, owner: str, text: Text, code: str) -> Iterator[Definition]:
    name = item.after - len(item.name) - (code[item.after - 1] == "`")
    line, column = text.place(name)
    end = item.after + len(code[item.after : item.end].rstrip())
    body = code.find("{", item.after, end)
    head = code[item.after : min(body if body >= 0 else end, item.after + _HEAD)]
    opening = _TYPE_PARAMETERS.match(head)
    rest = head[opening.end() :] if opening else head
    listed = heads.bracketed(rest) if rest.lstrip()[:1] == "(" else ""
    after = rest[rest.find(listed) + len(listed) :] if listed else rest
    stop = (
        code.find("=", item.after + len(head) - len(after), end) if item.kind in CALLABLES else -1
    )
    first, last = _first_line(text, item.line), text.place(max(end - 1, name))[0]
    kind = _kind(item, code)
    result = _RESULT.match(after) if item.kind not in TYPES else None
    yield Definition(
        item.name, kind, first, max(last, line), line, column,
        owner=owner,
        bases=heads.bases(after.partition(":")[2]) if item.kind in TYPES else (),
        type=heads.flat(result[1]) if result else "",
        parameters=lists.named(listed) if kind in CALLABLES else (),
        signature=_signature(text, item.start, body if body >= 0 else end, stop if stop >= 0 else end),
        declared=kind in CALLABLES and body < 0 and "=" not in after,
    )  # fmt: skip
    if item.kind in TYPES and listed:
        start = item.after + head.find(listed)
        for found in _PROPERTY.finditer(listed):
            line, column = text.place(start + found.start(1))
            yield Definition(
                found[1].strip("`"), "field", line, line, line, column,
                owner=f"{owner}.{item.name}" if owner else item.name,
                type=heads.flat(found[2]), signature=heads.flat(found[0]),
            )  # fmt: skip


def _kind(item: Declared, code: str) -> str:
    if item.kind != "constant":
        return item.kind
    if item.inside is not None and item.inside.kind != "scope":
        return "field"
    return "constant" if "const" in item.bare_head or item.name.isupper() else "variable"


def _signature(text: Text, start: int, *ends: int) -> str:
    return heads.headline(text.text[start : min(*ends, start + 2000)])


def _first_line(text: Text, row: int) -> int:
    """The first line of the comment directly above a row (from 0), as a line from 1."""
    while row > 0:
        above = text.text[text.starts[row - 1] : text.starts[row]]
        if not _ABOVE.match(above):
            break
        row -= 1
    return row + 1
