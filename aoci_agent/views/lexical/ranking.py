"""BM25 over a corpus.

Scores are those of rank_bm25's `BM25Plus` with delta 0: a word that n of N documents have weighs
log((N + 1) / n), which is above 0. `BM25Okapi` was not taken: a word that more than half of the
documents have weighs there a share of the mean weight of all words, so that any new word changes
every score, and in a small repository scores fall to 0 and below. A delta adds the same to every
document, also to those without the word: it changes no order, and nothing would score 0.

A score is a sum over the query's words in sorted order, of numbers that depend on whole counts
alone, so that it is the same to the last bit however the documents came together.
"""

import heapq
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.views.lexical.corpus import Corpus
from aoci_agent.views.lexical.settings import LexicalSettings
from aoci_agent.views.model import Level, Scored

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


Within = Callable[[str], bool]
"""Whether the file of a path may be in an answer."""


class Scope(NamedTuple):
    """Which documents may be in an answer. All of them count in the statistics."""

    level: Level | None = None  # None: any
    tests: bool = True
    within: Within | None = None  # None: any


def best(
    corpus: Corpus,
    weights: Mapping[str, float],
    settings: LexicalSettings,
    scope: Scope,
    limit: int,
) -> list[Scored]:
    """The documents that score above 0, best first, ties by (path, start, end)."""
    import numpy as np

    if limit < 1:
        return []
    found_scores = scores(corpus, weights, settings)
    allowed = corpus.here()
    if scope.level is not None:
        allowed &= corpus.levels() == scope.level
    if not scope.tests:
        allowed &= corpus.tests() == 0
    if scope.within is not None:
        allowed &= corpus.in_files(scope.within)
    found = np.flatnonzero(allowed & (found_scores > 0))
    reached = found_scores[found]
    if len(found) > limit:
        enough = reached >= np.partition(reached, -limit)[-limit]
        found, reached = found[enough], reached[enough]
    ranked = (
        (-score, *corpus.place(number))
        for number, score in zip(found.tolist(), reached.tolist(), strict=True)
    )
    return [_scored(corpus, number, -score) for score, *_, number in heapq.nsmallest(limit, ranked)]


def scores(corpus: Corpus, weights: Mapping[str, float], settings: LexicalSettings) -> "Floats":
    """The score of every document by its number; of those that are gone it means nothing."""
    import numpy as np

    k1, b = settings.k1, settings.b
    mean = corpus.words / corpus.count if corpus.words else 1.0
    norms = k1 * (1 - b + b * corpus.lengths().astype(np.float64) / mean)
    result = np.zeros(corpus.size)
    for word in sorted(weights):
        if frequency := corpus.frequency(word):
            weight = weights[word] * math.log((corpus.count + 1) / frequency)
            for documents, times in corpus.postings(word):
                result[documents] += weight * (times * (k1 + 1) / (times + norms[documents]))
    return result


def _scored(corpus: Corpus, number: int, score: float) -> Scored:
    path, found = corpus.described(number)
    return Scored(path, found.start, found.end, found.level, found.kind, found.symbol, score)
