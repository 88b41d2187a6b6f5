"""What a run will use, before it starts."""

from aoci_agent.agent.models.model import Usage
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent, Tokens
from aoci_agent.evals.replay.estimate import assumption, estimated, telling


def cell(solver: str, model: str = "m", seed: int = 0) -> Cell:
    return Cell(task="t", solver=solver, model=model, seed=seed)


def ended(one: Cell, tokens: int, dollars: float | None) -> Outcome:
    spent = Spent(tokens=Tokens(fresh=tokens), dollars=dollars)
    return Outcome(cell=one, status="failed", spent=spent)


def test_earlier_cells_of_the_same_solver_and_model_tell() -> None:
    earlier = [ended(cell("aoci"), 100, 1.0), ended(cell("aoci"), 300, 3.0)]
    other = ended(cell("aoci", "n"), 9_999, 9.0)
    found = estimated([cell("aoci"), cell("aoci", seed=1)], telling([*earlier, other]), {}, {})
    assert (found.tokens, found.dollars, found.assumed) == (400, 4.0, 0)
    assert found.told == "about 400 tokens, $4.00, as earlier cells took"


def test_without_them_the_fixed_layers_are_counted_for_every_call() -> None:
    def price(usage: Usage) -> Usage:
        return Usage(cost=usage.prompt / 1_000_000)

    usage = assumption(60_000)
    assert usage.cache_read > 19 * 60_000
    found = estimated([cell("aoci")], {}, {"aoci": 60_000}, {"m": price})
    assert found.tokens == usage.prompt + usage.output
    assert found.dollars == usage.prompt / 1_000_000
    assert "assuming 20 calls" in found.told


def test_a_price_that_is_not_known_is_no_zero_and_the_harness_is_free() -> None:
    assert estimated([cell("aoci")], {}, {}, {}).dollars is None
    assert estimated([cell("aoci", "gold")], {}, {}, {}).dollars == 0.0


def test_a_cell_that_broke_or_was_not_measured_tells_nothing() -> None:
    broken = ended(cell("aoci"), 10, 0.0).model_copy(update={"status": "infrastructure"})
    unmeasured = Outcome(cell=cell("eager"), status="failed", spent=Spent(tokens=None))
    assert not telling([broken, unmeasured])
