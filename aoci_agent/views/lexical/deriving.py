"""From one file to its documents."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from aoci_agent.views.lexical import tokens
from aoci_agent.views.lexical.document import Document, Filed
from aoci_agent.views.lexical.settings import LexicalSettings
from aoci_agent.views.model import Level, Unit
from aoci_agent.views.units.blocks import blocks

Cut = Callable[[str, bytes], Sequence[Unit]]
"""From a file's path and bytes to its units, as `units.cut` gives them."""


class Derived(NamedTuple):
    """The documents of one file: itself, and its blocks."""

    file: Filed
    blocks: Filed


def units_of(path: str, data: bytes) -> Sequence[Unit]:
    """The units of a file, parsed anew."""
    from aoci_agent.views.syntax.outline import outline_of
    from aoci_agent.views.units.cut import cut

    return cut(path, data, outline_of(path, data))


def versions() -> dict[str, str]:
    """What decides the units and their words."""
    from aoci_agent.views.syntax import outline
    from aoci_agent.views.units import cut

    return {
        "outline": str(outline.VERSION),
        "units": str(cut.VERSION),
        "tokens": str(tokens.VERSION),
    }


def derive(path: str, units: Sequence[Unit], settings: LexicalSettings) -> Derived:
    """Count the words of each block and of the file: of text, path and symbols.

    The blocks are all of the file, and no word crosses a line, so the file's text has their words.
    """
    names = " ".join(sorted({unit.symbol.rpartition(".")[2] for unit in units}))
    place = _words(path, settings)
    whole: dict[str, int] = {}

    def document(unit: Unit, words: dict[str, int], symbols: str) -> Document:
        _add(words, place, settings.path_times)
        _add(words, _words(symbols, settings), settings.symbol_times)
        where = (unit.start, unit.end, unit.level, unit.kind, unit.symbol, unit.test)
        return Document(*where, words)

    parts: list[Document] = []
    for block in blocks(units):
        words = _words(block.text, settings)
        _add(whole, words, 1)
        parts.append(document(block, words, block.symbol))
    files = [document(unit, whole, names) for unit in units if unit.level is Level.L0]
    return Derived(Filed(path, tuple(files)), Filed(path, tuple(parts)))


def _words(text: str, settings: LexicalSettings) -> dict[str, int]:
    return tokens.counts_of(text, stems=settings.stems)


def _add(words: dict[str, int], others: dict[str, int], times: int) -> None:
    if times:
        for word, count in others.items():
            words[word] = words.get(word, 0) + count * times
