"""What a run of cells says while it goes: a line for each cell that ends, with what was used and is left."""

import asyncio
import sys
import time

from aoci_agent.base.terminal import cell_width, one_line
from aoci_agent.cli.replay_places import width_of
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.oracle import NAMES
from aoci_agent.evals.replay.purse import Purse
from aoci_agent.evals.replay.store import ending

MARKS = {"passed": "✓", "failed": "✗", "infrastructure": "!"}
_WIDTH = 160  # of a line where there is no terminal
QUIET = 60.0  # seconds without a line, after which one says that cells are at work


class Progress:
    """`done` of `count` cells had ended before. Plain lines on standard error, on a terminal or not."""

    def __init__(
        self, done: int, count: int, purse: Purse, jobs: int, quiet: float = QUIET
    ) -> None:
        self._done, self._count, self._purse, self._jobs = done, count, purse, jobs
        self._quiet = quiet
        self._begun = self._said = time.monotonic()
        self._ran = 0

    def ended(self, outcome: Outcome) -> None:
        """Say it."""
        self._ran += 1
        self._done += not outcome.broken
        tried = f", {outcome.attempts} attempts" if outcome.attempts > 1 else ""
        why = f"  {ending(outcome)}  {outcome.message}".rstrip() if outcome.broken else ""
        if outcome.message and outcome.cell.model in NAMES and not outcome.broken:
            why = f"  {outcome.message}"
        self._say(f"{MARKS[outcome.status]} {outcome.cell.name}{tried}{why}")

    async def alive(self) -> None:
        """Say each minute in which no cell ended that some are at work; until it is cancelled."""
        while True:
            silent = time.monotonic() - self._said
            if silent >= self._quiet:
                self._say(f"… at work, {_span(time.monotonic() - self._begun)}")
                silent = 0.0
            await asyncio.sleep(self._quiet - silent)

    def _say(self, line: str) -> None:
        self._said = time.monotonic()
        room = width_of(sys.stderr, _WIDTH) - 4
        so_far = f"[{self._so_far()}]"
        told = one_line(line, max(room - len(so_far), room // 2))
        so_far = one_line(so_far, room - cell_width(told))
        print(f"  {told}  {so_far}", file=sys.stderr, flush=True)

    def _so_far(self) -> str:
        spent = self._purse.spent
        tokens = "tokens not known" if spent.tokens is None else f"{spent.tokens.all:,} tokens"
        dollars = "price not known" if spent.dollars is None else f"${spent.dollars:.2f}"
        left = self._count - self._done
        # The first ones wait for their environment: they do not tell how long the others take.
        known = left and self._ran > self._jobs
        seconds = (time.monotonic() - self._begun) / self._ran * left if known else 0.0
        ahead = f", about {_span(seconds)} left" if known else ""
        return f"{self._done}/{self._count}, {tokens}, {dollars}{ahead}"


def _span(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
