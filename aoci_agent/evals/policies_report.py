"""What `policies` found: by policy, and against the baseline on the same cases."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from aoci_agent.evals.policies_run import FAILED, Row
from aoci_agent.evals.policies_statistics import Interval, Pair, clustered, interval, mean, number

BASELINE = "grep-read"
SUCCESS = 0.5  # of AnswerRecall@5
BUCKETS = ("fresh", "read", "write", "output")
_VERDICTS = {None: "baseline", True: "yes", False: "no"}


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over the cases of a policy. Tokens and dollars are None where one call of one case has none.

    The differences are to the baseline, over the cases both have; None for the baseline itself.
    """

    policy: str
    cases: int
    failed: int
    recall: float
    precision: float
    files: float
    steps: float
    forced: int
    tokens: dict[str, float] | None
    trajectory: float | None
    dollars: float | None
    recall_delta: Interval | None
    tokens_delta: Interval | None
    tokens_ratio: float | None
    dollars_ratio: float | None
    per_success: float | None  # tokens of all sessions by those that found half or more

    @property
    def admitted(self) -> bool | None:
        """Whether it loses less recall than the margin; None for the baseline."""
        return None if self.recall_delta is None else self.recall_delta.admitted

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        deltas = {
            name: delta and delta._asdict()
            for name, delta in (("recall", self.recall_delta), ("tokens", self.tokens_delta))
        }
        plain = {key: value for key, value in asdict(self).items() if not key.endswith("_delta")}
        return (
            plain
            | {f"{name}_delta": delta for name, delta in deltas.items()}
            | {"admitted": self.admitted}
        )


def figures(rows: Sequence[Row], policies: Sequence[str]) -> list[Figures]:
    """Of each policy that has rows, in this order; `policies` has the baseline among them."""
    by_policy = {name: {row.case: row for row in rows if row.policy == name} for name in policies}
    base = by_policy.get(BASELINE, {})
    return [_figures(name, some, base) for name, some in by_policy.items() if some]


def _figures(name: str, rows: dict[str, Row], base: dict[str, Row]) -> Figures:
    all_rows = list(rows.values())
    pairs = [(row, base[case]) for case, row in rows.items() if case in base and name != BASELINE]
    buckets = [row.tokens for row in all_rows if row.tokens is not None]
    measured = len(buckets) == len(all_rows)
    trajectory = _whole([row.trajectory for row in all_rows])
    return Figures(
        policy=name,
        cases=len(all_rows),
        failed=sum(row.reason == FAILED for row in all_rows),
        recall=mean(row.score.recall for row in all_rows),
        precision=mean(row.score.precision for row in all_rows),
        files=mean(row.score.files for row in all_rows),
        steps=mean(row.steps for row in all_rows),
        forced=sum(row.forced for row in all_rows),
        tokens={key: mean(b[key] for b in buckets) for key in BUCKETS} if measured else None,
        trajectory=None if trajectory is None else mean(trajectory),
        dollars=mean(dollars) if (dollars := _whole([row.dollars for row in all_rows])) else None,
        recall_delta=_recall_delta(pairs),
        tokens_delta=_tokens_delta(pairs),
        tokens_ratio=_ratio([(row.trajectory, other.trajectory) for row, other in pairs]),
        dollars_ratio=_ratio([(row.dollars, other.dollars) for row, other in pairs]),
        per_success=_per_success(all_rows, trajectory),
    )


def _per_success(rows: Sequence[Row], trajectory: list[float] | None) -> float | None:
    found = sum(row.score.recall >= SUCCESS for row in rows)
    return sum(trajectory) / found if trajectory and found else None


def _whole(values: Sequence[float | None]) -> list[float] | None:
    """The values when none is missing."""
    there = [value for value in values if value is not None]
    return there if there and len(there) == len(values) else None


def _recall_delta(pairs: Sequence[tuple[Row, Row]]) -> Interval | None:
    made = [Pair(row.repository, row.score.recall - base.score.recall) for row, base in pairs]
    return clustered(made) if made else None


def _tokens_delta(pairs: Sequence[tuple[Row, Row]]) -> Interval | None:
    mine = _whole([row.trajectory for row, _ in pairs])
    theirs = _whole([base.trajectory for _, base in pairs])
    if mine is None or theirs is None:
        return None
    together = zip(pairs, mine, theirs, strict=True)
    return clustered([Pair(row.repository, own - other) for (row, _), own, other in together])


def _ratio(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    mine, theirs = _whole([one for one, _ in pairs]), _whole([other for _, other in pairs])
    return sum(mine) / sum(theirs) if mine and theirs and sum(theirs) else None


def told(found: Sequence[Figures]) -> str:
    """Two tables: what was found, and what it took."""
    width = max((len(one.policy) for one in found), default=0) + 2
    lines = [
        f"{'':{width}}{'n':>4}{'failed':>7}{'AR@5':>7}{'difference [95%]':>26}  {'admitted':9}"
        f"{'lines':>6}{'files@5':>9}{'steps':>7}"
    ]
    lines += [
        f"{one.policy:{width}}{one.cases:>4}{one.failed:>7}{one.recall:>7.3f}"
        f"{interval(one.recall_delta, '+.3f'):>26}  {_VERDICTS[one.admitted]:9}"
        f"{one.precision:>6.3f}{one.files:>9.3f}{one.steps:>7.1f}"
        for one in found
    ]
    heads = "".join(f"{name:>9}" for name in ("tokens", *BUCKETS))
    lines.append(
        f"\n{'':{width}}{heads}{'ratio':>7}{'difference [95%]':>27}{'per success':>13}{'dollars':>9}{'ratio':>7}"
    )
    for one in found:
        cells = [one.trajectory, *(one.tokens[b] if one.tokens else None for b in BUCKETS)]
        counts = "".join(f"{number(cell, ',.0f'):>9}" for cell in cells)
        lines.append(
            f"{one.policy:{width}}{counts}"
            f"{number(one.tokens_ratio, '.2f'):>7}{interval(one.tokens_delta, '+,.0f'):>27}"
            f"{number(one.per_success, ',.0f'):>13}{number(one.dollars, '.4f'):>9}{number(one.dollars_ratio, '.2f'):>7}"
        )
    return "\n".join(lines)
