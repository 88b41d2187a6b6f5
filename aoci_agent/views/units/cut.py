"""A file -> its units: the file (L0), top-level entities and what stands between them (L1), callables (L2).

Every line with text is in an L1 or an L2 unit. What is longer than `LONGEST` lines is cut into
pieces of the same kind and symbol.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from aoci_agent.aoci.layers import is_test
from aoci_agent.base.secrets import blanked
from aoci_agent.views.model import Level, Unit
from aoci_agent.views.syntax.outline import CALLABLES, SPACES, VALUES, Definition, Outline
from aoci_agent.views.syntax.text import decoded
from aoci_agent.views.units import prose
from aoci_agent.views.units.pieces import LONGEST, PARAGRAPH, pieces, trimmed

VERSION = 3  # raise whenever units come out differently


class Span(NamedTuple):
    """Lines from 1, both ends belong to them."""

    start: int
    end: int
    kind: str
    symbol: str = ""


def cut(path: str, data: bytes, outline: Outline) -> tuple[Unit, ...]:
    """The units of a file, L0 first, then by place; none of an empty file."""
    lines = lines_of(blanked(decoded(data)))  # units are kept
    if not lines:
        return ()
    test = is_test(path)

    def unit(level: Level, span: Span) -> Unit:
        text = "\n".join(lines[span.start - 1 : span.end])
        return Unit(path, span.start, span.end, level, span.kind, span.symbol, text, test)

    spans = [(Level.L0, Span(1, len(lines), "file"))]
    if outline.language:
        inside = [item for item in outline.definitions if item.start <= len(lines)]
        spans += [(Level.L1, span) for span in _top_level(inside, lines)]
        spans += [(Level.L2, span) for span in _callables(inside, lines)]
    else:
        spans += [(Level.L1, Span(*section)) for section in prose.sections(path, lines)]
    spans.sort(key=lambda item: (item[0] != Level.L0, item[1].start, -item[1].end, item[0]))
    return tuple(unit(level, span) for level, span in spans)


def lines_of(text: str) -> list[str]:
    """The lines of a text without their line feeds; a line feed at the end begins no line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _callables(definitions: Iterable[Definition], lines: list[str]) -> Iterator[Span]:
    for item in definitions:
        if item.kind in CALLABLES and not item.declared:
            for start, end in pieces(lines, item.start, item.end, LONGEST):
                yield Span(start, end, item.kind, item.qualified)


def _top_level(definitions: list[Definition], lines: list[str]) -> Iterator[Span]:
    """Entities, and the text between them, in order."""
    place = 1
    for span in _entities(definitions):
        yield from _between(place, span.start - 1, lines)
        longest = PARAGRAPH if span.kind == "constants" and not span.symbol else LONGEST
        for start, end in pieces(lines, span.start, span.end, longest):
            yield span._replace(start=start, end=end)
        place = max(place, span.end + 1)
    yield from _between(place, len(lines), lines)


def _between(start: int, end: int, lines: list[str]) -> Iterator[Span]:
    start, end = trimmed(lines, start, end)
    if start <= end:
        for first, last in pieces(lines, start, end, PARAGRAPH):
            yield Span(first, last, "module")


def _entities(definitions: list[Definition]) -> Iterator[Span]:
    """Top-level definitions; constants and variables that follow each other are one."""
    block: Span | None = None
    last = 0  # line up to which everything belongs to an entity
    for item in definitions:
        if item.kind in SPACES or item.declared or item.end <= last:
            continue
        start, last = max(item.start, last), item.end
        if item.kind in VALUES:
            if block is not None and start - block.end <= 2:
                block = block._replace(end=item.end, symbol="")
                continue
            following = Span(start, item.end, "constants", item.qualified)
        else:
            following = None
        if block is not None:
            yield block
        block = following
        if following is None:
            yield Span(start, item.end, _KINDS.get(item.kind, item.kind), item.qualified)
    if block is not None:
        yield block


_KINDS = {"extension": "class"}
