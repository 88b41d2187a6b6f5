"""The folder of a run: what was asked for, and every cell as it ended. A run goes on where it stopped."""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from aoci_agent.agent.resume import read
from aoci_agent.base import strays
from aoci_agent.base.errors import BadUsage, ForUser
from aoci_agent.base.files import atomic_write
from aoci_agent.base.locks import alone, opened, take, tried
from aoci_agent.base.regular import closing
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent
from aoci_agent.evals.replay.exchange import REQUESTS, exchanges_in, spent_on
from aoci_agent.evals.replay.purse import CAP
from aoci_agent.evals.replay.task import Task
from aoci_agent.tools.places import counted

OUTCOME = "outcome.json"
STATE = "state"  # what the session kept: its record, and what it derived
DIFF = "diff.patch"
CHECK = "check.txt"
ATTEMPTS = "attempts"
CELLS = "cells"
LOCK = "lock"
SET_UP = "set-up"  # the reason of an outcome: the agent could not begin, or its work not be judged


class Run(BaseModel):
    """What a run is made of. `settings` are the user's own, as they were at its start, for every cell."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repository: str  # the folder the tasks are of
    tasks: tuple[Task, ...]
    solvers: tuple[str, ...]
    models: tuple[str, ...]
    seeds: int = 1
    settings: dict[str, Any] = {}
    no_sandbox: bool = False
    version: str = ""

    def cells(self) -> Iterator[Cell]:
        """All of the grid; a task's cells stand together, so that its base is prepared once."""
        for task in self.tasks:
            for seed in range(self.seeds):
                for model in self.models:
                    for solver in self.solvers:
                        yield Cell(task=task.id, solver=solver, model=model, seed=seed)

    def task(self, cell: Cell) -> Task:
        """The task of a cell of this run."""
        return next(task for task in self.tasks if task.id == cell.task)


class RunFolder:
    """`run.json`, and a folder for each cell: what it leaves behind, and its outcome, written last."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def refuse_another(self) -> None:
        """Raises BadUsage where there is a run of that name."""
        if (self.path / "run.json").exists():
            raise BadUsage(
                f"there is a run {self.path.name} already",
                "--resume goes on with it; or --name another",
            )

    def create(self, run: Run) -> None:
        """A new run. Raises BadUsage where there is one of that name already."""
        self.refuse_another()
        atomic_write(self.path / "run.json", run.model_dump_json(indent=1).encode())

    def run(self) -> Run:
        """What was asked for. Raises BadUsage where that cannot be read."""
        file = self.path / "run.json"
        try:
            return Run.model_validate_json(file.read_bytes())
        except OSError as error:
            raise BadUsage(f"there is no run {self.path.name}", "aoci-agent replay list") from error
        except ValidationError as error:
            told = error.errors()[0]["msg"]
            raise BadUsage(
                f"{file} is damaged or of another version: {told}", "start a new run"
            ) from error

    @contextmanager
    def held(self) -> Generator[None]:
        """By the one process that runs it. Raises BadUsage while another one does."""
        with closing(opened(self.path / LOCK)) as descriptor:
            try:
                take(descriptor)
            except BlockingIOError as error:
                told = f"the run {self.path.name} is going on in another process"
                raise BadUsage(told, "wait for it, or end it") from error
            strays.sweep(self.path, (CELLS,))
            yield

    def is_held(self) -> bool:
        """Whether the process that runs it is alive."""
        with closing(opened(self.path / LOCK)) as descriptor:
            return not tried(descriptor, shared=True)

    @contextmanager
    def alone(self, cell: Cell) -> Generator[None]:
        """One process works on a cell; another one waits until it has ended."""
        with alone(self.place(cell) / LOCK):
            yield

    def place(self, cell: Cell) -> Path:
        """The folder of a cell."""
        return self.path / CELLS / cell.id

    def outcome(self, cell: Cell) -> Outcome | None:
        """How a cell ended, None when it has not, or when its file is damaged: then it runs again."""
        try:
            return Outcome.model_validate_json((self.place(cell) / OUTCOME).read_bytes())
        except (OSError, ValidationError):
            return None

    def outcomes(self) -> list[Outcome]:
        """Of all cells that have ended, in the order of the grid."""
        found = (self.outcome(cell) for cell in self.run().cells())
        return [outcome for outcome in found if outcome is not None]

    def waiting(self, cells: Iterable[Cell] | None = None) -> list[Cell]:
        """Cells that have not ended, or whose attempt the infrastructure ended; of all, or of these."""
        cells = self.run().cells() if cells is None else cells
        return [cell for cell in cells if (ended := self.outcome(cell)) is None or ended.broken]

    def begin(self, cell: Cell) -> tuple[Path, int, Spent]:
        """An empty folder for an attempt; how many there were before, and what they cost.

        What an earlier attempt left is moved to `attempts/<n>`: it can be looked at, and is charged.
        """
        place = self.place(cell)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        strays.sweep(place, (ATTEMPTS, STATE))
        left = [item for item in place.iterdir() if item.name not in (ATTEMPTS, LOCK)]
        if left:
            aside = place / ATTEMPTS / f"{len(_earlier(place)) + 1:02}"
            aside.mkdir(parents=True, mode=0o700)
            for item in left:
                item.rename(aside / item.name)
        earlier = _earlier(place)
        return place, len(earlier), sum(map(_spent, earlier), Spent())

    def died(self, cell: Cell, message: str, reason: str = "died") -> Outcome:
        """The outcome of an attempt that ended without one, charged for what its record tells."""
        place = self.place(cell)
        earlier = _earlier(place)
        outcome = Outcome(
            cell=cell,
            status="infrastructure",
            reason=reason,
            message=" ".join(message.split())[:500],
            spent=_spent(place),
            charged=sum(map(_spent, earlier), Spent()),
            attempts=len(earlier) + 1,
        )
        self.end(outcome)
        return outcome

    def end(self, outcome: Outcome) -> None:
        """Write down how a cell ended: from now on it is not run again."""
        place = self.place(outcome.cell)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(place / OUTCOME, outcome.model_dump_json(indent=1).encode())


def ending(outcome: Outcome) -> str:
    """`passed`, `failed`, or `broken by the cap`: how a cell ended, the same words everywhere."""
    return f"broken by {_breaker(outcome)}" if outcome.broken else outcome.status


def standing(outcomes: Sequence[Outcome], cells: int) -> str:
    """`9 of 12 cells ended by themselves, 2 broken (by the cap: 2), 1 not run yet`."""
    by = Counter(_breaker(outcome) for outcome in outcomes if outcome.broken)
    reasons = ", ".join(f"by {breaker}: {count}" for breaker, count in by.items())
    told = [f"{len(outcomes) - by.total()} of {counted(cells, 'cell')} ended by themselves"]
    if by:
        told.append(f"{by.total()} broken ({reasons})")
    if len(outcomes) < cells:
        told.append(f"{cells - len(outcomes)} not run yet")
    return ", ".join(told)


def _breaker(outcome: Outcome) -> str:
    return "the cap" if outcome.reason == CAP else "the infrastructure"


def record_in(place: Path) -> Path | None:
    """The record of a cell's session, None where there is none."""
    return next(place.glob(f"{STATE}/data/sessions/*/*.jsonl"), None)


def _earlier(place: Path) -> list[Path]:
    return sorted(place.glob(f"{ATTEMPTS}/*"))


def _spent(attempt: Path) -> Spent:
    """What an attempt cost: as its outcome says, or, where it was cut off, as its record does."""
    with suppress(OSError, ValidationError):
        return Outcome.model_validate_json((attempt / OUTCOME).read_bytes()).spent
    record = record_in(attempt)
    if record is None:
        return spent_on(exchanges_in(attempt / REQUESTS))  # of another agent
    try:
        return Spent.of(read(record).totals)
    except ForUser:
        return Spent()
