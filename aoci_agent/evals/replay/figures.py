"""What a run found, by solver and model: means, the comparison with the baseline, and the choice."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from aoci_agent.evals.policies_statistics import mean
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.compare import Difference, Share, compared, share_of
from aoci_agent.evals.replay.oracle import NAMES

BASELINE = "grep-read"


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one solver with one model, over the cells that ended by themselves. None: not known of all.

    Tokens and dollars are means of a cell, without attempts that the infrastructure ended; those
    are in `charged`.
    """

    solver: str
    model: str
    cells: int
    broken: int  # ended by the infrastructure
    passed: Share
    tokens: float | None
    buckets: dict[str, float] | None
    dollars: float | None
    per_success: float | None  # tokens of all cells by those that passed
    charged: int  # tokens of attempts that broke
    steps: float
    seconds: float
    precision: float | None
    recall: float | None
    answer_recall: float | None
    line_precision: float | None
    failed_edits: float | None
    commands: float
    outside: float  # files touched outside the gold
    regressions: int  # cells with some
    against: Difference | None  # None for the baseline itself, and without one

    @property
    def own(self) -> bool:
        """Of a model of the harness: it proves the set-up, and says nothing about a policy."""
        return self.model in NAMES


def figures_of(outcomes: Iterable[Outcome], cluster: Callable[[str], str]) -> list[Figures]:
    """In the order in which solvers and models come up; compared with the baseline."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.cell.solver, outcome.cell.model), []).append(outcome)
    made: list[Figures] = []
    for (solver, model), some in groups.items():
        base = groups.get((BASELINE, model), []) if solver != BASELINE else []
        against = compared(some, base, cluster) if base else None
        made.append(_figures(solver, model, some, against))
    return made


def admitted(one: Figures) -> bool:
    """It is the baseline, or loses no more success than the margin (CodeNib Q5)."""
    return one.against is None or one.against.admitted


def chosen(found: Sequence[Figures], model: str) -> Figures | None:
    """Quality first, then price: the cheapest that is admitted; None where a cost is not known.

    None for the harness's own models.
    """
    some = [one for one in found if one.model == model and one.cells and admitted(one)]
    some = [one for one in some if not one.own]
    costs = priced(some)
    return min(costs, key=lambda pair: pair[0])[1] if costs and len(costs) == len(some) else None


def in_dollars(found: Sequence[Figures]) -> bool:
    """Costs are compared in dollars where all have them and some pay, else in tokens: in one of both."""
    dollars = [one.dollars for one in found if one.cells]
    return None not in dollars and any(dollars)


def priced(found: Sequence[Figures]) -> list[tuple[float, Figures]]:
    """Those whose cost of a cell is known, with it."""
    dollars = in_dollars(found)
    costs = ((one.dollars if dollars else one.tokens, one) for one in found if one.cells)
    return [(cost, one) for cost, one in costs if cost is not None]


def front(found: Sequence[Figures]) -> list[Figures]:
    """Those that no other beats in both success and cost (Pareto), cheapest first; of real models."""
    real = [one for one in found if not one.own]
    ordered = sorted(priced(real), key=lambda pair: (pair[0], -pair[1].passed.share))
    kept: list[Figures] = []
    for _, one in ordered:
        if not kept or one.passed.share > kept[-1].passed.share:
            kept.append(one)
    return kept


def _figures(
    solver: str, model: str, all_of: Sequence[Outcome], against: Difference | None
) -> Figures:
    some = [outcome for outcome in all_of if not outcome.broken]
    measured = [outcome.spent.tokens for outcome in some if outcome.spent.tokens is not None]
    known = bool(some) and len(measured) == len(some)
    hits = sum(outcome.passed for outcome in some)
    total = sum(tokens.all for tokens in measured)
    return Figures(
        solver=solver,
        model=model,
        cells=len(some),
        broken=len(all_of) - len(some),
        passed=share_of(hits, len(some)),
        tokens=total / len(some) if known else None,
        buckets=_buckets(some) if known else None,
        dollars=_whole(outcome.spent.dollars for outcome in some),
        per_success=total / hits if known and hits else None,
        charged=sum(_lost(outcome) for outcome in all_of),
        steps=mean(outcome.steps for outcome in some),
        seconds=mean(outcome.seconds for outcome in some),
        precision=_there(outcome.precision for outcome in some),
        recall=_there(outcome.recall for outcome in some),
        answer_recall=_there(outcome.answer_recall for outcome in some),
        line_precision=_there(outcome.line_precision for outcome in some),
        failed_edits=_there(outcome.failed_edits for outcome in some),
        commands=mean(outcome.commands for outcome in some),
        outside=mean(len(outcome.outside_gold) for outcome in some),
        regressions=sum(bool(outcome.regressions) for outcome in some),
        against=against,
    )


def _lost(outcome: Outcome) -> int:
    """Tokens of its attempts that broke, as far as they are known; the newest may be one of them."""
    attempts = [outcome.charged, *([outcome.spent] if outcome.broken else [])]
    return sum(one.tokens.all for one in attempts if one.tokens is not None)


def _buckets(some: Sequence[Outcome]) -> dict[str, float]:
    all_of = [outcome.spent.tokens for outcome in some if outcome.spent.tokens is not None]
    names = ("fresh", "read", "write", "output")
    return {name: mean(getattr(tokens, name) for tokens in all_of) for name in names}


def _whole(values: Iterable[float | None]) -> float | None:
    """Their mean, when none is missing."""
    there = list(values)
    known = [value for value in there if value is not None]
    return mean(known) if known and len(known) == len(there) else None


def _there(values: Iterable[float | None]) -> float | None:
    """The mean of those that are there."""
    known = [value for value in values if value is not None]
    return mean(known) if known else None
