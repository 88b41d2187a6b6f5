"""Scores of files and of blocks, brought to one scale and added up."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from aoci_agent.views.model import Scored

# A file is as good as its best blocks; further ones add less and less.
_BEST = (1.0, 0.3, 0.1)


class Block(NamedTuple):
    """A unit that can be an answer."""

    path: str
    start: int
    end: int
    kind: str
    symbol: str


K = TypeVar("K", Block, str)


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one way of looking found. Scores are above 0; greater is better, within one ranking."""

    blocks: Mapping[Block, float] = field(default_factory=dict[Block, float])
    files: Mapping[str, float] = field(default_factory=dict[str, float])


def ranked(found: Iterable[Scored]) -> Ranking:
    """Blocks found by a search, and the files they are in, each scaled so that the best has 1."""
    blocks = {
        Block(hit.path, hit.start, hit.end, hit.kind, hit.symbol): hit.score
        for hit in found
        if hit.score > 0
    }
    return Ranking(scaled(blocks), scaled(of_files(blocks)))


def of_files(blocks: Mapping[Block, float]) -> dict[str, float]:
    """The score of every file by its best blocks."""
    by_file: defaultdict[str, list[float]] = defaultdict(list)
    for block, score in blocks.items():
        by_file[block.path].append(score)
    return {
        path: sum(
            share * score for share, score in zip(_BEST, sorted(scores, reverse=True), strict=False)
        )
        for path, scores in by_file.items()
    }


def scaled(scores: Mapping[K, float]) -> dict[K, float]:
    """The same with 1 for the best."""
    best = max(scores.values(), default=0)
    return {key: score / best for key, score in scores.items()} if best > 0 else {}


def added(parts: Iterable[tuple[float, Mapping[K, float]]]) -> dict[K, float]:
    """The weighted sum of scores."""
    total: defaultdict[K, float] = defaultdict(float)
    for weight, scores in parts:
        for key, score in scores.items():
            total[key] += weight * score
    return dict(total)


def reciprocal(rankings: Iterable[Mapping[K, float]], constant: int = 60) -> dict[K, float]:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): only the order counts."""
    total: defaultdict[K, float] = defaultdict(float)
    for scores in rankings:
        for rank, key in enumerate(ordered(scores), 1):
            total[key] += 1 / (constant + rank)
    return dict(total)


def ordered(scores: Mapping[K, float]) -> list[K]:
    """Keys, best first, ties in their own order."""
    return sorted(scores, key=lambda key: (-scores[key], key))
