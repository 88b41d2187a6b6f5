"""What a run may use in all: shared out before each cell begins, so that it holds whatever runs side by side."""

import math
from collections.abc import Iterable

from aoci_agent.evals.replay.cell import Cell, Outcome, Spent

CAP = "cap"  # the reason of an outcome that the cap of the run ended

_LEAST = {"cost": 1e-6, "tokens": 1}  # what a part is a multiple of


class Purse:
    """`dollars` and `tokens` are None for no cap. What is not known to be spent empties a purse."""

    def __init__(
        self, dollars: float | None, tokens: int | None, jobs: int, ended: Iterable[Outcome] = ()
    ) -> None:
        self._caps: dict[str, float | None] = {"cost": dollars, "tokens": tokens}
        self._jobs = max(1, jobs)
        self._spent = {outcome.cell.id: outcome.total for outcome in ended}
        self._given: dict[str, dict[str, float]] = {}  # to cells that run
        self._reached = False

    @property
    def spent(self) -> Spent:
        """By all cells that have ended, with what their broken attempts took."""
        return sum(self._spent.values(), Spent())

    @property
    def empty(self) -> bool:
        """Whether no further cell can begin: a part was too small for one, or nothing is left."""
        return self._reached or any(
            left < _LEAST[name] for name in self._caps if (left := self._left(name)) is not None
        )

    def take(self, cell: Cell) -> list[str]:
        """A part for one cell, as the options of its process."""
        free = max(1, self._jobs - len(self._given))
        lefts = {name: self._left(name) for name in self._caps}
        given = {
            name: math.floor(left / free / _LEAST[name]) * _LEAST[name]
            for name, left in lefts.items()
            if left is not None
        }
        self._given[cell.id] = given
        return [f"--max-{name}={part:.6f}".rstrip("0").rstrip(".") for name, part in given.items()]

    def put(self, outcome: Outcome) -> None:
        """A cell has ended: what it did not use is there for others again."""
        self._given.pop(outcome.cell.id, None)
        self._reached |= outcome.reason == CAP
        self._spent[outcome.cell.id] = outcome.total

    def _left(self, name: str) -> float | None:
        """None without a cap; 0 where a cell did not say what it used."""
        cap = self._caps[name]
        if cap is None:
            return None
        spent = self.spent
        used = spent.dollars if name == "cost" else spent.tokens and spent.tokens.all
        if used is None:
            return 0.0
        return cap - used - sum(given[name] for given in self._given.values())
