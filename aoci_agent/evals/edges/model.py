"""What is compared: an edge of ours, and what another tool found in the same file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from aoci_agent.evals.policies_statistics import wilson


class Edge(NamedTuple):
    """One file uses another. Without names it is the whole module that is used."""

    source: str
    target: str
    names: tuple[str, ...] = ()
    shown: bool = False  # the R element of the source names the target


class Reference(NamedTuple):
    """What a name used in a file means: the file that defines it.

    `*` is a module used as a whole, "" the module that single names are imported from.
    The target is a repository path, "" for what is defined elsewhere (another package, a local
    variable, the platform), None where the tool cannot tell.
    """

    name: str
    target: str | None


Answers = Mapping[str, Sequence[Reference]]  # by source; a file the tool did not read is not in it


class NoOracle(Exception):
    """The tool is not here and cannot be had."""


class Oracle(Protocol):
    """An independent reading of a repository."""

    @property
    def title(self) -> str:
        """What it is, with its version, and what it is not."""
        ...

    def ask(self, root: str, sources: Sequence[str]) -> Answers:
        """References of these files; raises NoOracle."""
        ...


class Verdict(StrEnum):
    """What became of one edge."""

    AGREED = "agreed"
    THROUGH = "through"  # the import leads here, the name is defined further on
    WRONG = "wrong"
    UNDECIDED = "undecided"


class Finding(NamedTuple):
    """An edge that is not as the oracle says, with where the oracle finds the names."""

    verdict: Verdict
    edge: Edge
    theirs: tuple[tuple[str, str], ...] = ()  # name, target


@dataclass(frozen=True)
class Share:
    """So many of so many, with what that says of the whole."""

    hits: int
    count: int

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's; 0 to 1 when nothing was counted."""
        return wilson(self.hits, self.count)

    def __str__(self) -> str:
        if not self.count:
            return "-"
        low, high = self.interval
        return f"{self.hits}/{self.count} {self.hits / self.count:.1%} [{low:.1%}, {high:.1%}]"
