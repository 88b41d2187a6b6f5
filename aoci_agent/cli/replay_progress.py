"""What a run of cells says while it goes: a line for each cell that ends, with what was used and is left."""

import sys
import time

from aoci_agent.base.terminal import one_line
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.purse import Purse

MARKS = {"passed": "✓", "failed": "✗", "infrastructure": "!"}
_WIDTH = 100  # of what is said of a cell


class Progress:
    """`done` of `count` cells had ended before. Lines go to standard error."""

    def __init__(self, done: int, count: int, purse: Purse) -> None:
        self._done, self._count, self._purse = done, count, purse
        self._begun, self._ran = time.monotonic(), 0

    def ended(self, outcome: Outcome) -> None:
        """Say it."""
        self._ran += 1
        self._done += outcome.status != "infrastructure"
        cell = outcome.cell
        what = f"{cell.task} · {cell.solver} · {cell.model} · {cell.seed}"
        tried = f", {outcome.attempts} attempts" if outcome.attempts > 1 else ""
        why = f"  {outcome.message}" if outcome.status == "infrastructure" else ""
        line = one_line(f"{MARKS[outcome.status]} {what}{tried}{why}", _WIDTH)
        print(f"  {line}  [{self._so_far()}]", file=sys.stderr, flush=True)

    def _so_far(self) -> str:
        spent = self._purse.spent
        tokens = "tokens not known" if spent.tokens is None else f"{spent.tokens.all:,} tokens"
        dollars = "price not known" if spent.dollars is None else f"${spent.dollars:.2f}"
        left = self._count - self._done
        seconds = (time.monotonic() - self._begun) / self._ran * left
        ahead = f", {_span(seconds)} left" if left else ""
        return f"{self._done}/{self._count}, {tokens}, {dollars}{ahead}"


def _span(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
