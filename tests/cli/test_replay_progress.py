"""What a run says while it goes."""

import asyncio
import sys

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
    assert first == "  ✓ t--aoci--m--0  [2/5, 1,000 tokens, $0.25]"
    assert (
        second == "  ! t--aoci--m--1  broken by the infrastructure  why  [2/5, 2,000 tokens, $0.50]"
    )
    assert third == "  ✗ t--aoci--m--2  [3/5, 3,000 tokens, $0.75, about 0 s left]"


def test_what_the_harness_own_model_could_not_do_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = ended(0)
    gold = outcome.model_copy(update={"cell": outcome.cell.model_copy(update={"model": "gold"})})
    Progress(0, 1, Purse(None, None, 1), 1).ended(gold)
    assert "gold--0  why  [" in capsys.readouterr().err


def test_a_line_is_no_wider_than_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for width in (10, 20, 60, 110):
        monkeypatch.setenv("COLUMNS", str(width))
        outcome = ended(0, "infrastructure")
        Progress(1, 5, Purse(None, None, 2), jobs=2).ended(
            outcome.model_copy(update={"message": "why " * 99})
        )
        (line,) = capsys.readouterr().err.splitlines()
        assert len(line) <= width


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
