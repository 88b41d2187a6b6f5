"""Intervals: Wilson's of a share, and of paired differences by a bootstrap over repositories (CodeNib Q5). Pure."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

RESAMPLES = 5_000
SEED = 0
MARGIN = -0.05  # what of AnswerRecall@5 a policy may lose: the lower bound must lie above
_BOUNDS = (2.5, 97.5)
_Z = 1.959963984540054  # of 95 %
UNKNOWN = "?"  # not known of every case
NOTHING = "-"  # there is nothing to say


class Pair(NamedTuple):
    """One case under a policy and under the baseline; `cluster` is its repository."""

    cluster: str
    delta: float  # policy minus baseline


class Interval(NamedTuple):
    """A mean with the bounds of its 95% interval."""

    mean: float
    low: float
    high: float

    @property
    def admitted(self) -> bool:
        """As a difference of AnswerRecall@5: no worse than the margin."""
        return self.low > MARGIN


def clustered(pairs: Sequence[Pair], resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """The mean difference; its interval by drawing whole repositories with replacement.

    Every draw takes as many repositories as there are, pools the cases of those drawn and takes
    their mean; bounds are percentiles with linear interpolation. Raises ValueError for no pairs.
    """
    import numpy as np

    if not pairs:
        raise ValueError("no pairs to compare")
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        groups[pair.cluster].append(pair.delta)
    ordered = [groups[name] for name in sorted(groups)]
    sums = np.array([sum(group) for group in ordered], dtype=np.float64)
    sizes = np.array([len(group) for group in ordered], dtype=np.float64)
    drawn = np.random.default_rng(seed).integers(0, len(ordered), (resamples, len(ordered)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.percentile(means, _BOUNDS, method="linear")
    return Interval(mean(pair.delta for pair in pairs), float(low), float(high))


def wilson(hits: float, count: int) -> tuple[float, float]:
    """The score interval at 95 % of a share (Wilson 1927); 0 to 1 when nothing was counted."""
    if not count:
        return 0.0, 1.0
    share, extra = hits / count, _Z * _Z / count
    middle = share + extra / 2
    reach = _Z * math.sqrt(share * (1 - share) / count + extra / (4 * count))
    return max(0.0, (middle - reach) / (1 + extra)), min(1.0, (middle + reach) / (1 + extra))


def mean(values: Iterable[float]) -> float:
    """Their mean; 0 for none."""
    there = list(values)
    return sum(there) / len(there) if there else 0.0


def number(value: float | None, form: str, missing: str = UNKNOWN) -> str:
    """A figure, or what stands for none."""
    return missing if value is None else f"{value:{form}}"


def interval(found: Interval | None, form: str) -> str:
    """`-0.10 [-0.30 +0.05]`."""
    if found is None:
        return NOTHING
    return f"{found.mean:{form}} [{found.low:{form}} {found.high:{form}}]"
