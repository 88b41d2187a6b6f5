"""Places of code as a model and a person read them: within a size, whole rows only."""

from collections.abc import Sequence
from itertools import groupby

from aoci_agent.tools.lookups import Found, Row

BYTES = 10_000
_WIDTH = 160  # characters of a line


def blocks(found: Found, limit: int = BYTES) -> str:
    """`path:start-end kind symbol (reason)` and the first lines of each, as many as fit."""
    return _fitted([_block(row) for row in found.rows], found, limit)


def by_file(found: Found, limit: int = BYTES) -> str:
    """A path, and below it `line<tab>text  [in symbol]`."""
    pieces: list[str] = []
    for path, rows in groupby(found.rows, key=lambda row: row.path):
        lines = [_line(row) for row in rows]
        pieces += [f"{path}\n{lines[0]}", *lines[1:]]
    return _fitted(pieces, found, limit)


def _fitted(pieces: Sequence[str], found: Found, limit: int) -> str:
    head = f"[{found.how}{f': {found.note}' if found.note else ''}]"
    kept: list[str] = []
    size = len(head.encode()) + 80
    for piece in pieces:
        size += len(piece.encode("utf-8", "replace")) + 1
        if size > limit and kept:
            return "\n".join(
                (*kept, f"[{len(kept)} of {len(pieces)} shown: ask more narrowly]", head)
            )
        kept.append(piece)
    return "\n".join((*kept, head))


def _block(row: Row) -> str:
    where = (
        f"{row.path}:{row.start}-{row.end}" if row.end > row.start else f"{row.path}:{row.start}"
    )
    named = " ".join(filter(None, (where, row.kind, row.symbol)))
    told = f" ({row.reason})" if row.reason else ""
    stale = " [stale: just changed, read it again]" if row.stale else ""
    return "\n".join((f"{named}{told}{stale}", *(f"  {_cut(line)}" for line in row.lines)))


def _line(row: Row) -> str:
    text = _cut(row.lines[0].strip()) if row.lines else ""
    told = " ".join(filter(None, (row.kind, f"in {row.symbol}" if row.symbol else "")))
    inside = f"  [{told}]" if told else ""
    stale = " [stale]" if row.stale else ""
    return f"{row.start}\t{text}{inside}{stale}"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"


def counted(number: int, what: str) -> str:
    """`1 use`, `2 uses`."""
    return f"{number} {what}{'s' * (number != 1)}"
