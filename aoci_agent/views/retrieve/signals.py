"""Ways of looking, each giving a ranking of its own, and how they are put together."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from aoci_agent.views.retrieve.ranking import (
    Block,
    K,
    Ranking,
    added,
    ordered,
    reciprocal,
    scaled,
)

_FILE_SHARE = 0.5  # how much a block's score owes to that of its file
_TOLD = 10  # ranks below this are reasons


class Signal(NamedTuple):
    """One way of looking. `name` is what a reason calls it; weights compare signals of one plan."""

    name: str
    weight: float
    ranking: Ranking


def summed(signals: Sequence[Signal]) -> Ranking:
    """The weighted sum, blocks raised by the score of their files."""
    files = scaled(added((signal.weight, signal.ranking.files) for signal in signals))
    own = scaled(added((signal.weight, signal.ranking.blocks) for signal in signals))
    return Ranking(raised(own, files), files)


def by_rank(signals: Sequence[Signal]) -> Ranking:
    """Reciprocal rank fusion of files and of blocks."""
    files = scaled(reciprocal(signal.ranking.files for signal in signals))
    own = scaled(reciprocal(signal.ranking.blocks for signal in signals))
    return Ranking(raised(own, files), files)


def raised(blocks: Mapping[Block, float], files: Mapping[str, float]) -> dict[Block, float]:
    """Blocks with a share of their file's score."""
    return scaled(
        {block: score + _FILE_SHARE * files.get(block.path, 0) for block, score in blocks.items()}
    )


class Reasons:
    """Why a block is in an answer: where each signal ranks it, or its file, if among the first."""

    def __init__(self, signals: Iterable[Signal]) -> None:
        self._blocks: dict[Block, list[str]] = {}
        self._files: dict[str, list[str]] = {}  # of signals that rank blocks too
        self._of_files: dict[str, list[str]] = {}  # of those that do not
        for signal in signals:
            blocks, files = signal.ranking.blocks, signal.ranking.files
            _note(self._blocks, ordered(blocks), signal.name)
            _note(self._files if blocks else self._of_files, ordered(files), signal.name)

    def of(self, block: Block) -> str:
        """One line, "" when no signal alone puts it high."""
        own = self._blocks.get(block)
        told = ", ".join((*(own or ()), *self._of_files.get(block.path, ())))
        if told:
            return told
        files = self._files.get(block.path)
        return f"its file: {', '.join(files)}" if files else ""


def _note(reasons: dict[K, list[str]], ranked: Sequence[K], name: str) -> None:
    for rank, key in enumerate(ranked[:_TOLD], 1):
        reasons.setdefault(key, []).append(f"{name} {rank}")
