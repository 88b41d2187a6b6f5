"""What the views share: units, places, sources and changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple, Protocol


class Level(IntEnum):
    """Granularity of a unit (CodeNib): file, top-level entity, callable."""

    L0 = 0
    L1 = 1
    L2 = 2


class Unit(NamedTuple):
    """A piece of a file that can be retrieved. Lines count from 1, both ends belong to it."""

    path: str
    start: int
    end: int
    level: Level
    kind: str  # file class interface enum type function method constants module section paragraph
    symbol: str = ""  # `Class.method`; "" where it has no name
    text: str = ""
    test: bool = False


class Scored(NamedTuple):
    """A unit found by a search. A greater score is better, comparable within one answer only."""

    path: str
    start: int
    end: int
    level: Level
    kind: str
    symbol: str
    score: float


class Location(NamedTuple):
    """A range of lines of a file, with the column of the name at its start (from 0, in characters)."""

    path: str
    start: int
    end: int
    column: int = 0


@dataclass(frozen=True, slots=True)
class Delta:
    """From one state of the files to another, by path; all sorted. A move is a removal and an addition."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def touched(self) -> tuple[str, ...]:
        """Files to derive anew."""
        return (*self.added, *self.changed)


class Source(Protocol):
    """One state of a repository's files: the work tree as it is, or a commit."""

    @property
    def files(self) -> Mapping[str, str]:
        """Path -> content id (`base.text.content_id`) of every file the views cover, in path order."""
        ...

    def read(self, path: str) -> bytes:
        """The bytes the content id was computed of. Raises ForModel where they cannot be had."""
        ...


class View(Protocol):
    """One derived view, held in memory. What it holds is a function of the source's files alone."""

    @property
    def name(self) -> str:
        """lexical, dense or graph."""
        ...

    @property
    def config(self) -> Mapping[str, str]:
        """Everything besides the files that decides the content: schema version, tokeniser, model."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """What it holds, for people: units, symbols, edges, vectors."""
        ...

    def build(self, source: Source) -> None:
        """Derive everything from nothing."""
        ...

    def apply(self, source: Source, delta: Delta) -> None:
        """Bring the view from the files before `delta` to those of `source`, deriving only what moved."""
        ...

    def save(self, folder: Path) -> None:
        """Write it into an empty private folder; nothing pickled."""
        ...

    def load(self, folder: Path) -> None:
        """Take what `save` wrote. Raises ValueError or OSError for what it cannot take."""
        ...

    def digest(self) -> str:
        """F(view): equal for two views only when they answer alike, however they came about."""
        ...
