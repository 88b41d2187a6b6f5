"""What a run says while it goes."""

import asyncio

import pytest

from aoci_agent.cli.replay_progress import Progress
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent, Tokens
from aoci_agent.evals.replay.purse import Purse


def ended(seed: int, status: str = "passed") -> Outcome:
    cell = {"task": "t", "solver": "aoci", "model": "m", "seed": seed}
    spent = Spent(tokens=Tokens(fresh=1_000), dollars=0.25)
    row = {"cell": Cell.model_validate(cell), "status": status, "message": "why", "spent": spent}
    return Outcome.model_validate(row)


def test_each_cell_says_what_was_used_and_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    purse = Purse(None, None, 2)
    progress = Progress(1, 5, purse, jobs=2)
    for outcome in (ended(0), ended(1, "infrastructure"), ended(2, "failed")):
        purse.put(outcome)
        progress.ended(outcome)
    first, second, third = capsys.readouterr().err.splitlines()
    assert first == "  ✓ t · aoci · m · 0  [2/5, 1,000 tokens, $0.25]"
    assert second == "  ! t · aoci · m · 1  why  [2/5, 2,000 tokens, $0.50]"
    assert third == "  ✗ t · aoci · m · 2  [3/5, 3,000 tokens, $0.75, about 0 s left]"


async def test_a_run_in_which_nothing_ends_says_that_it_is_alive(
    capsys: pytest.CaptureFixture[str],
) -> None:
    alive = asyncio.ensure_future(Progress(0, 3, Purse(None, None, 1), 1, quiet=0.01).alive())
    said = ""
    while said.count("\n") < 2:
        await asyncio.sleep(0.01)
        said += capsys.readouterr().err
    alive.cancel()
    assert said.splitlines()[0] == "  … at work, 0 s  [0/3, 0 tokens, $0.00]"
