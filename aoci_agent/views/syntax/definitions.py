"""Items of a file -> definitions: what is in what, to whom it belongs, ranges, signatures."""

import re
from typing import TYPE_CHECKING

from aoci_agent.views.syntax import heads
from aoci_agent.views.syntax.captures import FAR, Captures, Item, Syntax, last_row
from aoci_agent.views.syntax.nesting import attach, nested
from aoci_agent.views.syntax.outline import CALLABLES, Definition
from aoci_agent.views.syntax.parsed import Parsed

if TYPE_CHECKING:
    from aoci_agent.views.syntax.lists import Parameters
    from aoci_agent.views.syntax.text import Text

_TYPE = 200  # characters
_HEAD = 2000  # bytes of a head that a signature is made of
_KEYWORDS = re.compile(rb"[ \t]*(?:\w+[ \t]+){1,4}")  # `export const`, before the node itself
_FIRST = re.compile(rb"[^{}()<>\[\];,]*")  # before what is the first of its line


def read(text: "Text", syntax: Syntax) -> list[Definition]:
    """The definitions of a text, the outer before the inner. Raises TooSlow."""
    whole = _parsed(syntax.prepared(text.text), text, syntax) if syntax.prepared else None
    whole = whole or Parsed(text.path, text.data, syntax.grammar)
    if not syntax.repairs or not whole.tree.root_node.has_error:
        return [definition for _, definition in _read(whole, text, syntax)]
    return _repaired(whole, text, syntax)


def _parsed(changed: str, text: "Text", syntax: Syntax) -> Parsed:
    return Parsed(text.path, changed.encode("utf-8", "surrogatepass"), syntax.grammar)


def _repaired(whole: Parsed, text: "Text", syntax: Syntax) -> list[Definition]:
    """The definitions of the text as it parses best, and those that a repair took away."""
    chosen, changed = whole, text.text
    tried = whole.data.decode("utf-8", "surrogatepass")
    least = _lost(whole)
    for repair in syntax.repairs:
        tried = repair(tried)
        parsed = _parsed(tried, text, syntax)
        if (lost := _lost(parsed)) < least:
            chosen, changed, least = parsed, tried, lost
        if not least:
            break
    found = [definition for _, definition in _read(chosen, text, syntax)]
    if chosen is whole:
        return found
    for item, definition in _read(whole, text, syntax):
        place = text.starts[definition.line - 1] + definition.column
        if changed[place : place + 1].isspace() and not item.at.has_error:
            found.append(definition)
    return sorted(found, key=lambda item: (item.start, -item.end, item.line, item.column))


def _lost(parsed: Parsed) -> int:
    """Bytes that the parser passed over."""
    if not parsed.tree.root_node.has_error:
        return 0
    found = parsed.matches("(ERROR) @error")
    return 1 + sum(node.end_byte - node.start_byte for item in found for node in item["error"])


def _read(parsed: Parsed, text: "Text", syntax: Syntax) -> list[tuple[Item, Definition]]:
    captures = Captures(parsed, syntax)
    order = captures.in_order()
    kept = list(nested(order, syntax))
    attach(captures.loose, order, syntax)
    return [(item, _definition(item, captures, text)) for item in kept]


def _definition(item: Item, captures: Captures, text: "Text") -> Definition:
    captured, syntax, parsed = item.captured, captures.syntax, captures.parsed
    is_callable = item.kind in CALLABLES
    start, end = _lines(item, captures)
    column = item.column if text.is_plain else captures.characters(item)
    return Definition(
        item.name, item.kind, start, max(min(end, text.count), start), item.row + 1, column,
        owner=item.owner,
        bases=_bases(item, captures),
        type=_type(item, captures),
        parameters=_parameters(item, captures),
        signature=_signature(item, parsed),
        declared=is_callable and syntax.bodiless and "body" not in captured,
    )  # fmt: skip


def _lines(item: Item, captures: Captures) -> tuple[int, int]:
    """First and last line, from 1, with what stands directly above."""
    row, column = item.at.start_point
    end = last_row(item.at, captures.parsed.data) + 1
    line = item.start - column
    if column > FAR or not _FIRST.fullmatch(captures.parsed.data, line, item.start):
        return row + 1, end
    start = captures.outer.get(item.start, row)
    while (above := captures.above.get(start - 1)) is not None and above < start:
        start = above
    return start + 1, end


def _type(item: Item, captures: Captures) -> str:
    if "of" not in item.captured:
        if captures.syntax.listed or item.kind not in CALLABLES:
            return ""
        head = _head(item, captures.parsed)
        after = head.partition(heads.bracketed(head) or head)[2].partition("->")[2]
        return heads.flat(after.partition(" where ")[0])
    node = item.captured["of"][0]
    data = captures.parsed.data[node.start_byte : min(node.end_byte, node.start_byte + _HEAD)]
    return heads.flat(data.decode("utf-8", "replace")).lstrip(": ")[:_TYPE]


def _parameters(item: Item, captures: Captures) -> "Parameters":
    if item.kind not in CALLABLES:
        return ()
    if not captures.syntax.listed:
        return captures.syntax.parameters(heads.bracketed(_head(item, captures.parsed)))
    listed = item.captured.get("parameters", ())
    found = [captures.syntax.parameters(captures.parsed.text(node)) for node in listed]
    return tuple(pair for pairs in found for pair in pairs)


def _bases(item: Item, captures: Captures) -> tuple[str, ...]:
    if item.kind not in captures.syntax.members:
        return ()
    said = item.bases + [captures.parsed.text(node) for node in item.captured.get("bases", ())]
    return tuple(dict.fromkeys(base for text in said for base in captures.syntax.bases(text)))


def _signature(item: Item, parsed: Parsed) -> str:
    line = max(item.start - item.at.start_point[1], item.start - FAR)
    before = _KEYWORDS.fullmatch(parsed.data, line, item.start)
    said = before[0].decode() if before else ""
    return heads.headline(said + _head(item, parsed))


def _head(item: Item, parsed: Parsed) -> str:
    """What stands before the body."""
    body = item.captured.get("body")
    end = body[0].start_byte if body else item.end
    return parsed.data[item.start : min(end, item.start + _HEAD)].decode("utf-8", "replace")
