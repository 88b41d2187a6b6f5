"""The folder of a run: what has ended, what waits, and what broken attempts cost."""

from pathlib import Path

import pytest
from support.replays import begun

from aoci_agent.agent.events import StepFinished, TurnStarted
from aoci_agent.agent.meter import StepRecord, total
from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.agent.record import SessionRecord
from aoci_agent.base.errors import BadUsage
from aoci_agent.base.replace import PREFIX
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent, Tokens
from aoci_agent.evals.replay.purse import CAP
from aoci_agent.evals.replay.store import SET_UP, STATE, RunFolder, ending, standing


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return begun(tmp_path / "run", seeds=2)


def first(folder: RunFolder) -> Cell:
    return next(folder.run().cells())


def spent(tokens: int, dollars: float = 0.5) -> Spent:
    return Spent(tokens=Tokens(fresh=tokens), dollars=dollars)


def recorded(place: Path, tokens: int) -> None:
    """The record of a session that used this much and was cut off."""
    file = place / STATE / "data/sessions/x/1.jsonl"
    file.parent.mkdir(parents=True)
    record = SessionRecord(file)
    usage = Usage(tokens, 0, 0, 0, 0, 0.25, cost_from=Provenance.MEASURED)
    record.write(TurnStarted("do it"))
    step = StepRecord(1, "m", "aoci", usage)
    record.write(StepFinished(step, total([step])))
    record.close()


def test_a_cell_has_one_folder_with_a_readable_name() -> None:
    cells = [Cell(task="a", solver=s, model="x/y z", seed=0) for s in ("eager", "eager,no-index")]
    assert cells[0].id.startswith("a--eager--x_y_z--0-")
    assert cells[0].id != cells[1].id


def test_what_broke_waits_and_what_ended_does_not(folder: RunFolder) -> None:
    one, two, *others = folder.run().cells()
    folder.end(Outcome(cell=one, status="failed"))
    folder.end(Outcome(cell=two, status="infrastructure"))
    assert folder.waiting() == [two, *others]


def test_a_damaged_outcome_is_none(folder: RunFolder) -> None:
    cell = first(folder)
    folder.end(Outcome(cell=cell, status="passed"))
    file = folder.place(cell) / "outcome.json"
    file.write_bytes(file.read_bytes()[:40])
    assert cell in folder.waiting()


def test_broken_attempts_are_kept_and_charged(folder: RunFolder) -> None:
    cell = first(folder)
    place, earlier, charged = folder.begin(cell)
    assert (earlier, charged) == (0, Spent())
    recorded(place, 100)  # killed: nothing but its record tells
    _, earlier, charged = folder.begin(cell)
    assert (earlier, charged) == (1, spent(100, 0.25))
    folder.end(Outcome(cell=cell, status="infrastructure", spent=spent(10)))
    _, earlier, charged = folder.begin(cell)
    assert (earlier, charged) == (2, spent(110, 0.75))
    assert not (place / STATE).exists()


def test_one_that_died_is_charged_for_its_record(folder: RunFolder) -> None:
    cell = first(folder)
    folder.end(Outcome(cell=cell, status="infrastructure", spent=spent(10)))
    place, _, _ = folder.begin(cell)
    recorded(place, 7)
    outcome = folder.died(cell, "killed\nby somebody")
    assert (outcome.total, outcome.attempts) == (spent(17, 0.75), 2)
    assert folder.outcome(cell) == outcome
    assert folder.begin(cell)[2] == outcome.total


def test_one_process_runs_a_run(folder: RunFolder) -> None:
    assert not folder.is_held()
    with folder.held():
        assert folder.is_held()
        with pytest.raises(BadUsage, match="going on"), RunFolder(folder.path).held():
            pass
    assert not folder.is_held()


def test_what_blocks_in_a_run_is_not_said_to_be_another_one(folder: RunFolder) -> None:
    with pytest.raises(BlockingIOError), folder.held():
        raise BlockingIOError
    assert not folder.is_held()


def test_what_a_crash_left_goes_when_a_run_goes_on(folder: RunFolder) -> None:
    cell = first(folder)
    place, _, _ = folder.begin(cell)
    stray = f"{PREFIX}9999999999-0123456789abcdef"  # of a process that cannot be there
    for where in (folder.path, place):
        (where / stray).write_bytes(b"half")
    with folder.held():
        assert not (folder.path / stray).exists()
    assert folder.begin(cell)[1] == 0
    assert list(place.iterdir()) == []


def test_a_run_is_not_begun_twice(folder: RunFolder) -> None:
    with pytest.raises(BadUsage, match="already"):
        folder.create(folder.run())


def test_how_a_run_stands_and_how_a_cell_ended_is_said_in_the_same_words() -> None:
    cells = [Cell(task=str(n), solver="aoci", model="m") for n in range(5)]
    made = (
        ("passed", "done"),
        ("failed", "done"),
        ("infrastructure", CAP),
        ("infrastructure", SET_UP),
    )
    outcomes = [
        Outcome.model_validate({"cell": cell, "status": status, "reason": reason})
        for cell, (status, reason) in zip(cells, made, strict=False)
    ]
    assert [ending(outcome) for outcome in outcomes] == [
        *("passed", "failed", "broken by the cap", "broken by the infrastructure")
    ]
    assert standing(outcomes, 5) == (
        "2 of 5 cells ended by themselves, "
        "2 broken (by the cap: 1, by the infrastructure: 1), 1 not run yet"
    )
    assert standing(outcomes[:1], 1) == "1 of 1 cell ended by themselves"
