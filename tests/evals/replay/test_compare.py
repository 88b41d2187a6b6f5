"""The statistics on data with known answers."""

from collections.abc import Sequence

import pytest

from aoci_agent.evals.policies_statistics import MARGIN, Interval
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent, Tokens
from aoci_agent.evals.replay.compare import (
    Difference,
    compared,
    fisher,
    mcnemar,
    share_of,
    wilcoxon,
)


def near(found: float | None, expected: float, within: float = 1e-9) -> bool:
    return found is not None and abs(found - expected) <= within


def outcome(task: str, solver: str, *, passed: bool, tokens: int | None = 100) -> Outcome:
    spent = Spent(tokens=None if tokens is None else Tokens(fresh=tokens))
    status = "passed" if passed else "failed"
    return Outcome(cell=Cell(task=task, solver=solver, model="m"), status=status, spent=spent)


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_intervals_of_newcombe_1998(hits: int, count: int, low: float, high: float) -> None:
    """Table I of Newcombe (1998), Wilson's score method without correction."""
    share = share_of(hits, count)
    assert near(share.low, low, 5e-5)
    assert near(share.high, high, 5e-5)


def test_fishers_lady_tasting_tea() -> None:
    assert near(fisher(3, 4, 1, 4), 34 / 70)


def test_mcnemar_is_a_sign_test_of_what_differs() -> None:
    assert near(mcnemar(0, 6), 2 * 0.5**6)
    assert near(mcnemar(3, 3), 1.0)
    assert mcnemar(0, 0) is None


DEPRESSION = (0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010)


def test_wilcoxons_ranks_on_the_depression_scores_of_hollander_and_wolfe() -> None:
    """Hollander and Wolfe (1973), p. 29: one-sided 0.019 for V = 40, so 0.039 for two sides."""
    assert near(wilcoxon(DEPRESSION), 0.0390625)
    assert wilcoxon([0.0, 0.0]) is None


def results(solver: str, passed: Sequence[bool], tokens: Sequence[int | None]) -> list[Outcome]:
    pairs = enumerate(zip(passed, tokens, strict=True))
    return [outcome(f"t{n}", solver, passed=ok, tokens=count) for n, (ok, count) in pairs]


def test_a_solver_is_compared_on_what_both_did() -> None:
    base = results("grep-read", [True, False, False, True], [100, 200, None, 400])
    mine = results("aoci", [True, True, True, True], [50, 100, 100, 100])
    found = compared(mine, base, lambda task: task)
    assert found.pairs == 4
    assert found.success is not None
    assert near(found.success.mean, 0.5)
    assert near(found.success_p, 0.5)
    assert found.tokens is not None
    assert near(found.tokens.mean, -450 / 3)
    assert found.admitted


def test_without_pairs_shares_are_compared() -> None:
    base = results("grep-read", [False] * 4, [1] * 4)
    other = [outcome(f"u{n}", "aoci", passed=True) for n in range(4)]
    found = compared(other, base, lambda task: task)
    assert (found.pairs, found.success_test) == (0, "Fisher")
    assert near(found.success_p, 2 / 70)
    assert not found.admitted


def test_what_the_infrastructure_ended_is_no_result() -> None:
    base = results("grep-read", [True], [1])
    broken = [base[0].model_copy(update={"status": "infrastructure"})]
    assert compared(broken, base, lambda task: task).pairs == 0


def test_one_task_says_nothing_of_others_however_often_it_is_tried() -> None:
    base = results("grep-read", [True, True, True], [1, 2, 3])
    found = compared(results("aoci", [True, True, True], [1, 1, 1]), base, lambda task: "one")
    assert (found.pairs, found.clusters) == (3, 1)
    assert found.success is found.tokens is None
    assert not found.admitted


def test_a_lower_bound_on_the_margin_is_admitted() -> None:
    apart = Interval(0.0, MARGIN, 0.1)
    found = Difference(20, 20, apart, None, "McNemar", None, None)
    assert found.admitted
    assert not found._replace(success=Interval(0.0, MARGIN - 0.01, 0.1)).admitted
