"""What a run may use in all: shared out before each cell begins, so that it holds whatever runs side by side.

The limits of a day bind it too. What a cell used is written into the day's ledger when it has ended:
a session of the user's own sees it from then on.
"""

import math
from collections.abc import Iterable
from contextlib import suppress

from aoci_agent.agent.spending import Spending, new_call
from aoci_agent.evals.replay import oracle
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent, Tokens

CAP = "cap"  # the reason of an outcome that the cap of the run ended

_LEAST = {"cost": 1e-6, "tokens": 1}  # what a part is a multiple of


class Day:
    """What the user's settings leave of a day; None for no limit."""

    def __init__(self, ledger: Spending, dollars: float | None, tokens: int | None) -> None:
        self._ledger = ledger
        self._limits: dict[str, float | None] = {"cost": dollars, "tokens": tokens}

    def left(self, name: str) -> float | None:
        """Dollars or tokens, nothing where the ledger cannot be read."""
        limit = self._limits[name]
        if limit is None:
            return None
        try:
            spent = self._ledger.spent()
        except OSError:
            return 0.0
        return limit - (spent.cost if name == "cost" else spent.tokens)

    def add(self, used: Spent) -> None:
        """Where it cannot be written, the next reading fails too, and nothing is left."""
        with suppress(OSError):
            self._ledger.write(new_call(), used.tokens.all if used.tokens else 0, used.dollars)


class Purse:
    """`dollars` and `tokens` are None for no cap. What is not known to be spent empties a purse."""

    def __init__(
        self,
        dollars: float | None,
        tokens: int | None,
        jobs: int,
        ended: Iterable[Outcome] = (),
        day: Day | None = None,
    ) -> None:
        self._caps: dict[str, float | None] = {"cost": dollars, "tokens": tokens}
        self._day = day
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
        name = outcome.cell.id
        self._given.pop(name, None)
        self._reached |= outcome.reason == CAP
        if self._day is not None and outcome.cell.model not in oracle.NAMES:
            self._day.add(_since(outcome.total, self._spent.get(name, Spent())))
        self._spent[name] = outcome.total

    @property
    def way_on(self) -> str:
        """What lets further cells begin once it is empty."""
        binds = [
            name
            for name in self._caps
            if self._day is not None
            and (left := self._day.left(name)) is not None
            and ((own := self._own(name)) is None or left < own)
        ]
        if binds:
            return f"tomorrow, or with a larger day_max_{binds[0]} in config.toml"
        return "with a larger --max-cost or --max-tokens"

    def _left(self, name: str) -> float | None:
        """None without a limit; 0 where a cell did not say what it used."""
        day = self._day.left(name) if self._day is not None else None
        lefts = [left for left in (self._own(name), day) if left is not None]
        if not lefts:
            return None
        given = sum(given[name] for given in self._given.values())
        return 0.0 if self._used(name) is None else min(lefts) - given

    def _own(self, name: str) -> float | None:
        """What the cap of the run leaves."""
        cap = self._caps[name]
        return None if cap is None else cap - (self._used(name) or 0)

    def _used(self, name: str) -> float | None:
        spent = self.spent
        return spent.dollars if name == "cost" else spent.tokens and spent.tokens.all


def _since(now: Spent, before: Spent) -> Spent:
    """What was used besides; not known where one of them is not."""
    known = now.dollars is not None and before.dollars is not None
    dollars = (now.dollars or 0.0) - (before.dollars or 0.0) if known else None
    if now.tokens is None or before.tokens is None:
        return Spent(tokens=None, dollars=dollars)
    return Spent(tokens=Tokens(fresh=now.tokens.all - before.tokens.all), dollars=dollars)
