"""What the model reads of a file: its skeleton, and its blocks."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from aoci_agent.views.model import Level, Unit
from aoci_agent.views.syntax import outline as syntax
from aoci_agent.views.syntax.outline import Outline, outline_of
from aoci_agent.views.units import cut as units
from aoci_agent.views.units.blocks import blocks
from aoci_agent.views.units.cut import cut

VERSIONS: Mapping[str, str] = {
    "texts": "1",
    "outline": str(syntax.VERSION),
    "units": str(units.VERSION),
}
_OPENING = 400  # characters of a file's beginning in its skeleton: what it says it is for


class Piece(NamedTuple):
    """A unit of a file with the text the model is given for it."""

    start: int
    end: int
    level: Level
    kind: str
    symbol: str
    test: bool
    text: str


def pieces_of(path: str, data: bytes) -> Iterator[Piece]:
    """The skeleton of a file (L0), and blocks that together are all of it (L1, L2)."""
    outline = outline_of(path, data)
    found = cut(path, data, outline)
    for unit in (*found[:1], *blocks(found)):
        text = skeleton(unit, outline) if unit.level is Level.L0 else told(unit)
        yield Piece(unit.start, unit.end, unit.level, unit.kind, unit.symbol, unit.test, text)


def told(unit: Unit) -> str:
    """A block as the model is told: where it is, what it is called, and what it says."""
    return f"{_place(unit.path)} {unit.symbol}\n{unit.text}"


def skeleton(file: Unit, outline: Outline) -> str:
    """A file by its path, its beginning and its signatures, outer ones first (CodeNib's L0).

    A file without any, such as a text, is as it is.
    """
    heads = sorted(
        (item.owner != "", at, item.signature) for at, item in enumerate(outline.definitions)
    )
    signatures = "\n".join(head for _, _, head in heads if head)
    return f"{_place(file.path)}\n{file.text[:_OPENING] if signatures else file.text}\n{signatures}"


def _place(path: str) -> str:
    """The file and its folder: so a tree that moves keeps its vectors. The whole path finds no more."""
    return "/".join(path.rsplit("/", 2)[-2:])
