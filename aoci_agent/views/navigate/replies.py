"""Replies of language servers as plain data. Servers differ, so everything is read with care."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

Json = Mapping[str, Any]
HOVER_LIMIT = 4_000  # characters

_KINDS = {
    2: "module", 3: "namespace", 4: "module", 5: "class", 6: "method", 7: "field", 8: "field", 9: "method",
    10: "enum", 11: "interface", 12: "function", 13: "variable", 14: "constant", 22: "constant",
    23: "class", 26: "type",
}  # fmt: skip


class Span(NamedTuple):
    """A place in a reply: lines and UTF-16 columns, both from 0. The end is exclusive."""

    uri: str
    line: int
    units: int
    end_line: int
    end_units: int
    symbol: str = ""
    kind: str = ""

    @property
    def last_line(self) -> int:
        """The last line that belongs to it."""
        ends_before = self.end_units == 0 and self.end_line > self.line
        return max(self.end_line - ends_before, self.line)


def spans(raw: Any) -> list[Span]:
    """Places of a Location, a LocationLink, a list of either, or nothing; repeated ones once."""
    found = [_span(item) for item in _items(raw)]
    return list(dict.fromkeys(span for span in found if span is not None))


def symbols(raw: Any) -> list[Span]:
    """Places of SymbolInformation or WorkspaceSymbol; those without a range start their file."""
    found: list[Span] = []
    for item in _items(raw):
        span = _span(item.get("location"))
        if span is not None:
            kind = _kind(item)
            owner = item.get("containerName")
            name = str(item.get("name", ""))
            symbol = f"{owner}.{name}" if isinstance(owner, str) and owner else name
            found.append(span._replace(symbol=symbol, kind=kind))
    return found


def callers(raw: Any) -> list[Span]:
    """Call sites of the reply to callHierarchy/incomingCalls, with the calling symbol."""
    found: list[Span] = []
    for item in _items(raw):
        source: Json = item["from"] if isinstance(item.get("from"), dict) else {}
        kind = _kind(source)
        for where in _items(item.get("fromRanges")):
            span = _span({"uri": source.get("uri"), "range": where})
            if span is not None:
                found.append(span._replace(symbol=str(source.get("name", "")), kind=kind))
    return found


def hover(raw: Any) -> str:
    """The text of a hover, its several parts below each other, cut at 4,000 characters."""
    contents: Any = cast("Json", raw).get("contents") if isinstance(raw, dict) else None
    parts = cast("list[Any]", contents) if isinstance(contents, list) else [contents]
    told = [text for part in parts if (text := _text(part).strip())]
    return "\n".join(told)[:HOVER_LIMIT]


def _kind(item: Json) -> str:
    number = item.get("kind")
    return _KINDS.get(number, "") if isinstance(number, int) else ""


def _text(part: Any) -> str:
    if isinstance(part, dict):
        part = cast("Json", part).get("value")
    return part if isinstance(part, str) else ""


def _items(raw: Any) -> Iterator[Json]:
    parts = cast("list[Any]", raw) if isinstance(raw, list) else [raw]
    return (cast("Json", part) for part in parts if isinstance(part, dict))


def _span(raw: Any) -> Span | None:
    if not isinstance(raw, dict):
        return None
    item = cast("Json", raw)
    uri = item.get("uri", item.get("targetUri"))
    where = item.get("range", item.get("targetSelectionRange"))
    if not isinstance(uri, str):
        return None
    if where is None:
        return Span(uri, 0, 0, 0, 0)
    try:
        start, end = where["start"], where["end"]
        first, last = int(start["line"]), int(end["line"])
        return Span(uri, first, int(start["character"]), last, int(end["character"]))
    except (KeyError, TypeError, ValueError):
        return None
