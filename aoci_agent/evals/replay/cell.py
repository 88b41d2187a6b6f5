"""One square of the grid: a task worked on by a solver with a model, once; and what came of it."""

import hashlib
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from aoci_agent.agent.meter import Totals

Status = Literal["passed", "failed", "infrastructure"]


class Cell(BaseModel):
    """`solver` is a context policy of this program or the name of another agent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: str
    solver: str
    model: str
    seed: int = 0

    @property
    def id(self) -> str:
        """A folder's name: readable, and unique by its digest."""
        digest = hashlib.blake2b(self._words.encode(), digest_size=4).hexdigest()
        return f"{self.name}-{digest}"

    @property
    def name(self) -> str:
        """What is printed, and what `show` takes."""
        return re.sub(r"[^A-Za-z0-9._-]+", "_", self._words)[:120]

    @property
    def _words(self) -> str:
        return "--".join((self.task, self.solver, self.model, str(self.seed)))


class Tokens(BaseModel):
    """Tokens of all calls by bucket."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fresh: int = 0
    read: int = 0
    write: int = 0
    output: int = 0

    @property
    def all(self) -> int:
        """The trajectory's tokens."""
        return self.fresh + self.read + self.write + self.output

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            fresh=self.fresh + other.fresh,
            read=self.read + other.read,
            write=self.write + other.write,
            output=self.output + other.output,
        )


class Spent(BaseModel):
    """What calls cost. None: not every call said it, or no price is known; never zero for that."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: Tokens | None = Tokens()
    dollars: float | None = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        tokens = None if self.tokens is None or other.tokens is None else self.tokens + other.tokens
        known = self.dollars is not None and other.dollars is not None
        dollars = (self.dollars or 0.0) + (other.dollars or 0.0) if known else None
        return Spent(tokens=tokens, dollars=dollars)

    @classmethod
    def of(cls, totals: Totals) -> "Spent":
        """Of a session. Estimated tokens are no measurement, so there are none then."""
        measured = Tokens(
            fresh=totals.fresh,
            read=totals.cache_read,
            write=totals.cache_write,
            output=totals.output,
        )
        return cls(tokens=None if totals.estimated else measured, dollars=totals.cost)


class Outcome(BaseModel):
    """What came of a cell. `charged` is what earlier attempts cost that ended by the infrastructure.

    Shares are None where there is nothing to compare with: a task without gold, an empty change.
    `defects` are None where nobody could look for them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    cell: Cell
    status: Status
    reason: str = ""  # how the agent's turn ended: done, steps, cost, ...; or what failed
    message: str = ""
    check_exit: int | None = None
    changed: dict[str, int] = Field(default_factory=dict[str, int])  # path -> lines
    precision: float | None = None
    recall: float | None = None
    answer_recall: float | None = None  # AnswerRecall@5
    line_precision: float | None = None
    outside_gold: tuple[str, ...] = ()
    regressions: tuple[str, ...] = ()
    defects: tuple[str, ...] | None = None
    steps: int = 0
    seconds: float = 0.0
    commands: int = 0
    failed_edits: int | None = 0  # None: not known
    spent: Spent = Spent()
    charged: Spent = Spent()
    attempts: int = 1
    version: str = ""  # of the agent that worked

    @property
    def broken(self) -> bool:
        """The infrastructure ended it, or its cap: it is not judged, and may be run again."""
        return self.status == "infrastructure"

    @property
    def passed(self) -> bool:
        """The hidden check passed after the agent stopped."""
        return self.status == "passed"

    @property
    def total(self) -> Spent:
        """With what failed attempts cost."""
        return self.spent + self.charged
