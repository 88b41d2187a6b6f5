"""Solvers compared over the same tasks. The tests are SciPy's; what is chosen is the rule of CodeNib Q5.

A pair is the same task, model and seed under a solver and under the baseline. Success is compared by
McNemar's exact test on pairs (Fisher's exact test where nothing pairs), tokens by Wilcoxon's signed ranks, means by a
bootstrap over repositories, or over tasks where all come from one.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

from aoci_agent.evals.policies_statistics import MARGIN, Interval, Pair, clustered, wilson
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.extras import there as installed


@dataclass(frozen=True, slots=True)
class Share:
    """Successes among attempts, with Wilson's 95 % interval (1927)."""

    hits: int
    count: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """From 0 to 1; 0 for none."""
        return self.hits / self.count if self.count else 0.0


class Difference(NamedTuple):
    """A solver against the baseline. P values are two-sided; None without a test, or without SciPy.

    An interval is drawn from two tasks (or repositories) or more: one alone says nothing of others.
    """

    pairs: int
    clusters: int  # of the pairs: what the bootstrap draws
    success: Interval | None
    success_p: float | None
    success_test: str  # "McNemar" or "Fisher"
    tokens: Interval | None
    tokens_p: float | None

    @property
    def admitted(self) -> bool:
        """The gate of quality: the lower bound of the difference in success is not below the margin."""
        return self.success is not None and self.success.low >= MARGIN


def share_of(hits: int, count: int) -> Share:
    """With its interval; (0, 1) where nothing was tried."""
    return Share(hits, count, *wilson(hits, count))


def mcnemar(only_one: int, only_other: int) -> float | None:
    """The exact p value of so many pairs that differ one way and the other; None without any."""
    differing = only_one + only_other
    if not differing or not installed("scipy"):
        return None
    return float(_stats().binomtest(only_one, differing, 0.5).pvalue)


def fisher(hits: int, count: int, other_hits: int, other_count: int) -> float | None:
    """Fisher's exact p value of two shares that are not paired; None where one has no attempt."""
    if not count or not other_count or not installed("scipy"):
        return None
    table = [[hits, count - hits], [other_hits, other_count - other_hits]]
    return float(_stats().fisher_exact(table).pvalue)


def wilcoxon(differences: Sequence[float]) -> float | None:
    """The p value of signed ranks, zeros left out (Wilcoxon 1945); None where all are zero."""
    if not any(differences) or not installed("scipy"):
        return None
    return float(_stats().wilcoxon(differences).pvalue)


def compared(
    outcomes: Iterable[Outcome], baseline: Iterable[Outcome], cluster: Callable[[str], str]
) -> Difference:
    """A solver against the baseline, infrastructure failures left out. `cluster` is a task's repository.

    Tokens are those of the trajectory, of pairs in which both were measured.
    """
    here, there = _by_place(outcomes), _by_place(baseline)
    both = sorted(here.keys() & there.keys())
    won = sum(here[place].passed and not there[place].passed for place in both)
    lost = sum(there[place].passed and not here[place].passed for place in both)
    success = [
        Pair(cluster(place[0]), float(here[place].passed) - float(there[place].passed))
        for place in both
    ]
    tokens = [
        Pair(cluster(place[0]), float(mine.all - theirs.all))
        for place in both
        if (mine := here[place].spent.tokens) and (theirs := there[place].spent.tokens)
    ]
    if both:
        p, test = mcnemar(won, lost), "McNemar"
    else:
        p, test = fisher(*_counts(here.values()), *_counts(there.values())), "Fisher"
    return Difference(
        len(both),
        len({pair.cluster for pair in success}),
        _interval(success),
        p,
        test,
        _interval(tokens),
        wilcoxon([pair.delta for pair in tokens]) if tokens else None,
    )


def _interval(pairs: Sequence[Pair]) -> Interval | None:
    return clustered(pairs) if len({pair.cluster for pair in pairs}) > 1 else None


def _by_place(outcomes: Iterable[Outcome]) -> dict[tuple[str, str, int], Outcome]:
    ended = (outcome for outcome in outcomes if not outcome.broken)
    return {(one.cell.task, one.cell.model, one.cell.seed): one for one in ended}


def _counts(outcomes: Iterable[Outcome]) -> tuple[int, int]:
    there = list(outcomes)
    return sum(outcome.passed for outcome in there), len(there)


def _stats() -> Any:
    """SciPy says too little of its types to be checked against."""
    return import_module("scipy.stats")
