"""Requests about changed files, asked of two views that should answer alike."""

from collections.abc import Iterator, Sequence
from typing import Any

from aoci_agent.views.model import Level, Source, View
from aoci_agent.views.syntax.text import decoded

FILES = 20  # of a transition
LINES = 4  # of each file, each a query
SYMBOLS = 40  # of each file
_HITS = 20


def differing_answer(one: View, other: View, source: Source, paths: Sequence[str]) -> str:
    """The first request that two views answer differently, "" where they agree on all."""
    chosen = _spread(paths, FILES)
    for path in chosen:
        for request, first, second in _asked(one, other, path, source):
            if first != second:
                return f"{request} of {path}: {first!r}, not {second!r}"[:500]
    return ""


def _asked(one: Any, other: Any, path: str, source: Source) -> Iterator[tuple[str, Any, Any]]:
    if hasattr(one, "search"):
        yield from _searched(one, other, path, source)
    if hasattr(one, "symbols_in"):
        yield from _navigated(one, other, path)


def _searched(one: Any, other: Any, path: str, source: Source) -> Iterator[tuple[str, Any, Any]]:
    lines = [line.strip() for line in decoded(source.read(path)).split("\n")]
    for query in [path, *_spread([line for line in lines if len(line) > 8], LINES)]:
        for level in (None, Level.L0):
            first = one.search(query, level=level, limit=_HITS)
            yield f"search {query!r}", first, other.search(query, level=level, limit=_HITS)


def _navigated(one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    symbols = one.symbols_in(path)
    yield "symbols", symbols, other.symbols_in(path)
    for symbol in _spread(symbols, SYMBOLS):
        place = (path, symbol.line, symbol.location.column)
        yield f"definition {place}", one.definition(*place), other.definition(*place)
        for name in ("references", "callers", "callees", "subclasses"):
            first = getattr(one, name)(symbol)
            yield f"{name} {symbol.qualified}", first, getattr(other, name)(symbol)


def _spread(items: Sequence[Any], count: int) -> list[Any]:
    """At most `count` of them, from all over."""
    step = max(1, -(-len(items) // count))
    return list(items[::step])
