"""What the index keeps of a unit."""

from collections.abc import Mapping
from typing import NamedTuple

from aoci_agent.views.model import Level


class Document(NamedTuple):
    """A unit as the index sees it: where it is, and how often each word counts in it."""

    start: int
    end: int
    level: Level
    kind: str
    symbol: str
    test: bool
    words: Mapping[str, int]

    @property
    def length(self) -> int:
        """Words, with repeats."""
        return sum(self.words.values())


class Filed(NamedTuple):
    """The documents of one file, sorted by where they start and end."""

    path: str
    documents: tuple[Document, ...]
