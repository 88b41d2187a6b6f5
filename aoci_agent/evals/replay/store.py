"""The folder of a run: what was asked for, and every cell as it ended. A run goes on where it stopped."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from aoci_agent.agent.resume import read
from aoci_agent.base.errors import BadUsage, ForUser
from aoci_agent.base.files import atomic_write
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent
from aoci_agent.evals.replay.task import Task

OUTCOME = "outcome.json"
STATE = "state"  # what the session kept: its record, and what it derived
DIFF = "diff.patch"
CHECK = "check.txt"
ATTEMPTS = "attempts"


class Run(BaseModel):
    """What a run is made of. `settings` are told to every cell as they are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repository: str  # the folder the tasks are of
    tasks: tuple[Task, ...]
    solvers: tuple[str, ...]
    models: tuple[str, ...]
    seeds: int = 1
    settings: dict[str, str] = {}
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

    @classmethod
    def create(cls, path: Path, run: Run) -> "RunFolder":
        """A new run. Raises BadUsage where there is one of that name already."""
        if (path / "run.json").exists():
            raise BadUsage(
                f"there is a run {path.name} already", "--resume goes on with it; or --name another"
            )
        atomic_write(path / "run.json", run.model_dump_json(indent=1).encode())
        return cls(path)

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

    def place(self, cell: Cell) -> Path:
        """The folder of a cell."""
        return self.path / "cells" / cell.id

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

    def waiting(self) -> list[Cell]:
        """Cells that have not ended, or whose attempt the infrastructure ended."""
        cells = self.run().cells()
        return [cell for cell in cells if (ended := self.outcome(cell)) is None or _broke(ended)]

    def begin(self, cell: Cell) -> tuple[Path, int, Spent]:
        """An empty folder for an attempt; how many there were before, and what they cost.

        What an earlier attempt left is moved to `attempts/<n>`: it can be looked at, and is charged.
        """
        place = self.place(cell)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        left = [item for item in place.iterdir() if item.name != ATTEMPTS]
        earlier = sorted(place.glob(f"{ATTEMPTS}/*"))
        if left:
            aside = place / ATTEMPTS / f"{len(earlier) + 1:02}"
            aside.mkdir(parents=True, mode=0o700)
            for item in left:
                item.rename(aside / item.name)
            earlier.append(aside)
        return place, len(earlier), sum(map(_spent, earlier), Spent())

    def end(self, outcome: Outcome) -> None:
        """Write down how a cell ended: from now on it is not run again."""
        atomic_write(self.place(outcome.cell) / OUTCOME, outcome.model_dump_json(indent=1).encode())


def record_in(place: Path) -> Path | None:
    """The record of a cell's session, None where there is none."""
    return next(place.glob(f"{STATE}/data/sessions/*/*.jsonl"), None)


def _broke(outcome: Outcome) -> bool:
    return outcome.status == "infrastructure"


def _spent(attempt: Path) -> Spent:
    """What an attempt cost: as its outcome says, or, where it was cut off, as its record does."""
    with suppress(OSError, ValidationError):
        return Outcome.model_validate_json((attempt / OUTCOME).read_bytes()).spent
    record = record_in(attempt)
    if record is None:
        return Spent()
    try:
        return Spent.of(read(record).totals)
    except ForUser:
        return Spent()
