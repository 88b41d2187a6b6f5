"""Cells side by side: tries, caps, giving up, interrupting; with processes that are played."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support.replays import begun

from aoci_agent.agent.spending import Spending
from aoci_agent.base.errors import BadUsage
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent, Tokens
from aoci_agent.evals.replay.executor import GIVEN_UP, Dask, executor_of, run_cells
from aoci_agent.evals.replay.purse import CAP, Day, Purse
from aoci_agent.evals.replay.store import RunFolder

Played = Callable[[Cell, int, Sequence[str]], Outcome | str]
"""What the process of a cell leaves at its nth start: an outcome, or last words and none."""


class Stage:
    """An executor whose processes are played."""

    def __init__(self, folder: RunFolder, play: Played) -> None:
        self._folder, self._play = folder, play
        self.started: list[str] = []
        self.at_once = self.running = 0

    async def start(self, folder: Path, cell: str, options: Sequence[str]) -> str:
        self.started.append(cell)
        self.running += 1
        self.at_once = max(self.at_once, self.running)
        try:
            await asyncio.sleep(0.001)
        finally:
            self.running -= 1
        found = next(one for one in self._folder.run().cells() if one.id == cell)
        _, earlier, charged = self._folder.begin(found)
        left = self._play(found, self.started.count(cell), options)
        if isinstance(left, str):
            return left
        update = {"charged": charged, "attempts": earlier + 1}
        self._folder.end(left.model_copy(update=update))
        return ""

    async def close(self) -> None:
        pass


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return begun(tmp_path / "run", seeds=4)


def used(cell: Cell, status: str = "passed", reason: str = "done") -> Outcome:
    spent = Spent(tokens=Tokens(fresh=100), dollars=1.0)
    row = {"cell": cell, "status": status, "reason": reason, "spent": spent}
    return Outcome.model_validate(row)


async def go(
    folder: RunFolder, stage: Stage, purse: Purse | None = None, jobs: int = 2
) -> list[Outcome]:
    heard: list[Outcome] = []
    purse = purse or Purse(None, None, jobs)
    await run_cells(folder, folder.waiting(), stage, jobs, purse, heard.append)
    return heard


async def test_every_cell_runs_once_and_as_many_at_once_as_asked(folder: RunFolder) -> None:
    stage = Stage(folder, lambda cell, _, __: used(cell))
    heard = await go(folder, stage, jobs=3)
    assert stage.started == [cell.id for cell in folder.run().cells()]
    assert (len(heard), stage.at_once, folder.waiting()) == (8, 3, [])


async def test_what_breaks_is_tried_again_and_charged(folder: RunFolder) -> None:
    def play(cell: Cell, start: int, _: Sequence[str]) -> Outcome:
        return used(cell, "infrastructure", "model") if start == 1 else used(cell)

    heard = await go(folder, Stage(folder, play))
    assert {(one.status, one.attempts) for one in heard} == {("passed", 2)}
    assert all(one.total == Spent(tokens=Tokens(fresh=200), dollars=2.0) for one in heard)


async def test_a_process_that_dies_says_so(folder: RunFolder) -> None:
    stage = Stage(folder, lambda cell, _, __: "out of memory" if cell.seed else used(cell))
    heard = [one for one in await go(folder, stage, jobs=1) if one.cell.seed]
    assert {(one.reason, one.message) for one in heard} == {("died", "out of memory")}
    assert {one.attempts for one in heard} == {2}


async def test_a_failed_set_up_is_tried_once_and_the_others_go_on(folder: RunFolder) -> None:
    stage = Stage(folder, lambda cell, _, __: used(cell, "infrastructure", "set-up"))
    assert len(await go(folder, stage)) == len(stage.started) == 8


async def test_a_run_that_breaks_all_the_time_is_given_up(folder: RunFolder) -> None:
    stage = Stage(folder, lambda cell, _, __: used(cell, "infrastructure", "model"))
    assert len(await go(folder, stage, jobs=1)) == GIVEN_UP


@pytest.mark.parametrize("jobs", [1, 2, 3])
async def test_the_cap_holds_whatever_runs_at_once(folder: RunFolder, jobs: int) -> None:
    def play(cell: Cell, _: int, options: Sequence[str]) -> Outcome:
        given = float(options[0].removeprefix("--max-cost="))
        dollars = min(1.0, given)  # as a session does, which is told its part
        status, reason = ("passed", "done") if given >= 1 else ("infrastructure", CAP)
        spent = Spent(tokens=Tokens(), dollars=dollars)
        return used(cell, status, reason).model_copy(update={"spent": spent})

    stage = Stage(folder, play)
    purse = Purse(3.5, None, jobs)
    await go(folder, stage, purse, jobs=jobs)
    assert purse.empty
    assert (purse.spent.dollars or 0) <= 3.5 + 1e-9
    assert folder.waiting()


async def test_what_earlier_goes_used_counts(folder: RunFolder) -> None:
    stage = Stage(folder, lambda cell, _, __: used(cell))
    await go(folder, stage, Purse(None, 250, 1), jobs=1)
    assert len(stage.started) == 3  # the third began with 50 tokens left
    again = Stage(folder, lambda cell, _, __: used(cell))
    assert await go(folder, again, Purse(None, 250, 1, folder.outcomes())) == []


async def test_a_cost_nobody_knows_empties_a_capped_purse(folder: RunFolder) -> None:
    unknown = Spent(tokens=None, dollars=None)
    stage = Stage(folder, lambda cell, _, __: used(cell).model_copy(update={"spent": unknown}))
    await go(folder, stage, Purse(100.0, None, 1), jobs=1)
    assert len(stage.started) == 1


def capped(cell: Cell, _: int, options: Sequence[str]) -> Outcome:
    """A dollar and a hundred tokens, or the part it was given and no verdict."""
    parts = {"cost": 1.0, "tokens": 100.0}
    given = dict(option.removeprefix("--max-").split("=") for option in options)
    whole = all(float(given.get(name, most)) >= most for name, most in parts.items())
    dollars, tokens = (min(float(given.get(name, most)), most) for name, most in parts.items())
    spent = Spent(tokens=Tokens(fresh=int(tokens)), dollars=dollars)
    status, reason = ("passed", "done") if whole else ("infrastructure", CAP)
    return used(cell, status, reason).model_copy(update={"spent": spent})


@pytest.mark.parametrize(
    ("dollars", "tokens", "caps", "bound"),
    [(4.5, None, (None, None), "cost"), (None, 450, (None, None), "tokens"), (4.5, 9000, (9.0, None), "cost")],
)  # fmt: skip
@pytest.mark.parametrize("jobs", [1, 2])
async def test_the_limits_of_a_day_hold_for_runs(
    tmp_path: Path,
    dollars: float | None,
    tokens: int | None,
    caps: tuple[float | None, None],
    bound: str,
    jobs: int,
) -> None:
    """Others used a dollar of the day before; what the cells use is in the ledger for others again."""
    folder = begun(tmp_path / "paid", seeds=4, models=("a/model",))
    ledger = Spending(tmp_path / "spending")
    ledger.write("a session's call", 100, 1.0)
    purse = Purse(*caps, jobs, day=Day(Spending(tmp_path / "spending"), dollars, tokens))
    await go(folder, Stage(folder, capped), purse, jobs=jobs)
    assert purse.empty
    assert folder.waiting()
    assert ledger.spent().cost <= (dollars or 9) + 1e-6
    assert ledger.spent().tokens <= (tokens or 900)
    assert abs(ledger.spent().cost - 1 - (purse.spent.dollars or 0)) < 1e-6
    assert ledger.spent().tokens == 100 + (purse.spent.tokens or Tokens()).all
    assert purse.way_on == f"tomorrow, or with a larger day_max_{bound} in config.toml"


def test_a_day_counts_what_killed_attempts_took_and_no_model_of_our_own(tmp_path: Path) -> None:
    ledger = Spending(tmp_path)
    cells = [Cell(task="t", solver="aoci", model=model) for model in ("a/model", "gold")]
    broken, own = (used(cell, "infrastructure", "died") for cell in cells)
    purse = Purse(None, None, 1, [broken], Day(ledger, 50.0, None))  # broken on another day
    killed = broken.spent + broken.spent
    purse.put(used(cells[0]).model_copy(update={"charged": broken.spent + killed}))
    purse.put(own)
    assert (ledger.spent().cost, ledger.spent().tokens) == (3.0, 300)
    assert not purse.empty


async def test_an_unknown_cost_ends_a_day_with_a_limit(tmp_path: Path) -> None:
    purse = Purse(None, None, 1, day=Day(Spending(tmp_path / "file"), 50.0, None))
    cell = Cell(task="t", solver="aoci", model="a/model")
    purse.put(used(cell).model_copy(update={"spent": Spent(tokens=None, dollars=None)}))
    assert purse.empty
    (tmp_path / "no folder").write_text("")
    unreadable = Day(Spending(tmp_path / "no folder"), 50.0, None)
    assert Purse(None, None, 1, day=unreadable).empty
    unreadable.add(Spent())


async def test_an_interruption_ends_all(folder: RunFolder) -> None:
    stage = Stage(folder, lambda cell, _, __: used(cell))
    task = asyncio.ensure_future(go(folder, stage))
    await asyncio.sleep(0)  # it begins
    await asyncio.sleep(0)  # its workers begin
    assert stage.running == 2
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stage.running == 0


def test_executors_by_name() -> None:
    with pytest.raises(BadUsage, match="no executor"):
        executor_of("slurm")


def test_a_scheduler_that_is_not_there() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(BadUsage, match="no Dask scheduler"):
        Dask("nonsense://nowhere:1")
