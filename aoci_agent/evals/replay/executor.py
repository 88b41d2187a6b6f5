"""Cells run side by side, each in a process of its own: here, or by the workers of a Dask cluster."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from aoci_agent.base.errors import BadUsage, ForModel
from aoci_agent.base.process import Limits, run
from aoci_agent.evals.replay.cell import Cell, Outcome
from aoci_agent.evals.replay.extras import need
from aoci_agent.evals.replay.purse import CAP, Purse
from aoci_agent.evals.replay.store import SET_UP, RunFolder

SECONDS = 7200.0  # of one cell, everything in it
TRIES = 2  # of a cell that the infrastructure ends, in one go
GIVEN_UP = 4  # cells in a row


class Executor(Protocol):
    """Starts a cell's process somewhere and waits for its end; what it said at its end."""

    async def start(self, folder: Path, cell: str, options: Sequence[str]) -> str: ...

    async def close(self) -> None: ...


class Local:
    """Processes of this machine."""

    async def start(self, folder: Path, cell: str, options: Sequence[str]) -> str:
        """Run it. A cancellation ends it with everything it started."""
        try:
            ended = await run(
                command_of(folder, cell, options),
                cwd=Path("/"),
                limits=Limits(seconds=SECONDS, output_bytes=20_000),
                env=os.environ,  # a cell is this program itself: it needs the keys
            )
        except ForModel as error:
            return str(error)
        return "" if ended.exit_code == 0 else ended.output.strip()[-500:] or "it was ended"

    async def close(self) -> None:
        """Nothing is held."""


class Dask:
    """Workers of a cluster that see the same file system. `address` is the scheduler's.

    A cell runs with the environment of its worker: keys of models have to be there, none is sent.
    """

    def __init__(self, address: str) -> None:
        need("distributed")
        try:
            self._client: Any = import_module("distributed").Client(address, timeout="10s")
        except (OSError, ValueError) as error:
            raise BadUsage(
                f"no Dask scheduler answers at {address}", "start one: dask scheduler"
            ) from error

    async def start(self, folder: Path, cell: str, options: Sequence[str]) -> str:
        """Let a worker run the very process that `Local` would. One that is lost is told of."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        future = self._client.submit(work, str(folder), cell, tuple(options), pure=False)

        def tell(_: object) -> None:
            loop.call_soon_threadsafe(ended.set)

        future.add_done_callback(tell)
        try:
            await ended.wait()
        except asyncio.CancelledError:  # the process sees that its run has ended, and ends
            future.cancel()
            raise
        failed = await asyncio.to_thread(future.exception)
        return str(await asyncio.to_thread(future.result)) if failed is None else repr(failed)

    async def close(self) -> None:
        """Leave the cluster as it is."""
        await asyncio.to_thread(self._client.close)


def refuse_unknown(name: str) -> None:
    """Raises BadUsage for what is neither "local" nor "dask://HOST:PORT"."""
    if name != "local" and not name.startswith("dask://"):
        raise BadUsage(f"there is no executor {name!r}", "local, or dask://HOST:PORT")


def executor_of(name: str) -> Executor:
    """Raises BadUsage for one that is not known, and where no scheduler answers."""
    refuse_unknown(name)
    return Local() if name == "local" else Dask(f"tcp://{name.removeprefix('dask://')}")


def command_of(folder: Path, cell: str, options: Sequence[str] = ()) -> list[str]:
    """The process of a cell."""
    words = ["replay", "cell", str(folder), cell, "--watch", *options]
    return [sys.executable, "-I", "-m", "aoci_agent", *words]


def work(folder: str, cell: str, options: Sequence[str]) -> str:
    """What a Dask worker does."""
    return asyncio.run(Local().start(Path(folder), cell, options))


async def run_cells(
    folder: RunFolder,
    cells: Sequence[Cell],
    executor: Executor,
    jobs: int,
    purse: Purse,
    ended: Callable[[Outcome], None],
) -> None:
    """Run them, `jobs` at a time. `ended` hears of each.

    No further cell begins once the purse is empty, or when so many break in a row that it is not
    for the task: a model that does not answer, cells that die.
    """
    waiting = list(reversed(cells))
    broken = 0

    async def worker() -> None:
        nonlocal broken
        while waiting and not purse.empty and broken < GIVEN_UP:
            outcome = await _tried(folder, waiting.pop(), executor, purse)
            broken = broken + 1 if _broke(outcome) else 0
            ended(outcome)

    await _together([worker() for _ in range(max(1, min(jobs, len(cells))))])


async def _tried(folder: RunFolder, cell: Cell, executor: Executor, purse: Purse) -> Outcome:
    for last in (*[False] * (TRIES - 1), True):
        options = purse.take(cell)
        before = folder.outcome(cell)
        said = await executor.start(folder.path, cell.id, options)
        outcome = folder.outcome(cell)
        if outcome is None or (said and outcome == before):  # it could not say how it ended
            outcome = folder.died(cell, said)
        purse.put(outcome)
        if last or not _broke(outcome) or purse.empty:
            return outcome
    raise AssertionError("the last try returns")


def _broke(outcome: Outcome) -> bool:
    """Whether another try may help: a set-up fails again, and a cap stays one."""
    return outcome.broken and outcome.reason not in (SET_UP, CAP)


async def _together(jobs: Sequence[Awaitable[None]]) -> None:
    """Wait for all; when one fails or this is cancelled, end the others first."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
