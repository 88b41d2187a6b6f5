"""Ways of looking, each giving a ranking of its own, and how they are put together."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from aoci_agent.views.retrieve.ranking import (
    Block,
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
    """Why a block or a file is in an answer: where each signal ranks it, if among the first."""

    def __init__(self, signals: Iterable[Signal]) -> None:
        self._blocks: dict[Block, list[str]] = {}
        self._files: dict[str, list[str]] = {}
        for signal in signals:
            for rank, block in enumerate(ordered(signal.ranking.blocks)[:_TOLD], 1):
                self._blocks.setdefault(block, []).append(f"{signal.name} {rank}")
            for rank, path in enumerate(ordered(signal.ranking.files)[:_TOLD], 1):
                self._files.setdefault(path, []).append(f"{signal.name} {rank}")

    def of(self, block: Block) -> str:
        """One line, "" when no signal alone puts it high."""
        if block in self._blocks:
            return ", ".join(self._blocks[block])
        told = self._files.get(block.path)
        return f"its file: {', '.join(told)}" if told else ""
