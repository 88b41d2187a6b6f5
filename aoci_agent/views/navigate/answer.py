"""What navigation answers: places in the repository, and where they were learnt."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from aoci_agent.base.errors import NotPossible
from aoci_agent.views.model import Location


class Provenance(StrEnum):
    """Where an answer comes from: the graph of the files, or a language server."""

    STATIC = "static"
    LIVE = "live"


class Place(NamedTuple):
    """A place of an answer. `symbol` is what is defined there, or the one the place lies in; "" unknown."""

    location: Location
    symbol: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """Places in order of path and line. `exact`: nothing was guessed and nothing left out.

    `text` is what a hover says. `note` tells a reader what the places alone do not: what lies outside
    the repository, what may be missing, why another source was not used.
    """

    places: tuple[Place, ...]
    provenance: Provenance
    note: str = ""
    exact: bool = False
    text: str = ""


class NoAnswer(NotPossible):
    """The source cannot answer now, and says why: it is off, has no server, or took too long."""


class Navigator(Protocol):
    """Something that can be asked about a place. Lines count from 1, columns from 0 in characters.

    Every method raises NoAnswer where the source cannot answer; an empty answer means "nothing".
    """

    def definition(self, path: str, line: int, column: int) -> Answer:
        """Where the name at this place is defined."""
        ...

    def references(self, path: str, line: int, column: int) -> Answer:
        """Where the thing named at this place is used, its definition left out."""
        ...

    def hover(self, path: str, line: int, column: int) -> Answer:
        """What is known of the name at this place: signature and documentation, as `text`."""
        ...

    def symbols(self, query: str) -> Answer:
        """Definitions whose name fits the query, best first."""
        ...

    def callers(self, path: str, line: int, column: int) -> Answer:
        """Where the callable named at this place is called; `symbol` names the calling one."""
        ...


def joined(*notes: str) -> str:
    """Notes as one, without empty ones."""
    return "; ".join(note for note in notes if note)
