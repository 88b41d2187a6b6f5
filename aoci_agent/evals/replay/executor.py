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
from aoci_agent.evals.replay.store import RunFolder

SECONDS = 7200.0  # of one cell, everything in it
TRIES = 2  # of a cell that the infrastructure ends, in one go


class Executor(Protocol):
    """Starts a cell's process somewhere and waits for its end; what it said at its end."""

    async def start(self, folder: Path, cell: str) -> str: ...

    async def close(self) -> None: ...


class Local:
    """Processes of this machine."""

    async def start(self, folder: Path, cell: str) -> str:
        """Run it. A cancellation ends it with everything it started."""
        try:
            ended = await run(
                command_of(folder, cell),
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
    """Workers of a cluster that see the same file system. `address` is the scheduler's."""

    def __init__(self, address: str) -> None:
        need("distributed")
        try:
            self._client: Any = import_module("distributed").Client(address, timeout="10s")
        except OSError as error:
            raise BadUsage(
                f"no Dask scheduler answers at {address}", "start one: dask scheduler"
            ) from error

    async def start(self, folder: Path, cell: str) -> str:
        """Let a worker run the very process that `Local` would."""
        future = self._client.submit(work, str(folder), cell, pure=False)
        try:
            return str(await asyncio.to_thread(future.result))
        except asyncio.CancelledError:
            future.cancel()
            raise

    async def close(self) -> None:
        """Leave the cluster as it is."""
        await asyncio.to_thread(self._client.close)


def executor_of(name: str) -> Executor:
    """ "local", or "dask://HOST:PORT". Raises BadUsage for another."""
    if name == "local":
        return Local()
    if name.startswith("dask://"):
        return Dask(f"tcp://{name.removeprefix('dask://')}")
    raise BadUsage(f"there is no executor {name!r}", "local, or dask://HOST:PORT")


def command_of(folder: Path, cell: str) -> list[str]:
    """The process of a cell."""
    return [sys.executable, "-I", "-m", "aoci_agent", "replay", "cell", str(folder), cell]


def work(folder: str, cell: str) -> str:
    """What a Dask worker does."""
    return asyncio.run(Local().start(Path(folder), cell))


async def run_cells(
    folder: RunFolder,
    cells: Sequence[Cell],
    executor: Executor,
    jobs: int,
    ended: Callable[[Outcome], bool],
) -> None:
    """Run them, `jobs` at a time. `ended` hears of each, and says whether to begin another one."""
    waiting = list(reversed(cells))

    async def worker() -> None:
        while waiting:
            outcome = await _tried(folder, waiting.pop(), executor)
            if not ended(outcome):
                waiting.clear()

    await _together([worker() for _ in range(max(1, min(jobs, len(cells))))])


async def _tried(folder: RunFolder, cell: Cell, executor: Executor) -> Outcome:
    outcome = None
    for _ in range(TRIES):
        said = await executor.start(folder.path, cell.id)
        outcome = folder.outcome(cell)
        if outcome is None:  # it died before it could say how it ended
            outcome = Outcome(cell=cell, status="infrastructure", reason="died", message=said)
            folder.end(outcome)
        if outcome.status != "infrastructure":
            break
    assert outcome is not None
    return outcome


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
