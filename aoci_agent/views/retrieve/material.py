"""What a plan may look into, as small as it needs it to be."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from aoci_agent.aoci.model import Index
from aoci_agent.base.errors import NotPossible
from aoci_agent.views.graph.model import Symbol
from aoci_agent.views.model import Level, Scored

Within = Callable[[str], bool]
PROSE = frozenset(("section", "paragraph"))  # kinds of blocks of files that are no code


class Words(Protocol):
    """The lexical view."""

    def search_weighted(
        self,
        weights: Mapping[str, float],
        *,
        level: Level | None = None,
        limit: int = 10,
        tests: bool = True,
        within: Within | None = None,
    ) -> list[Scored]: ...


class Meaning(Protocol):
    """The dense view."""

    def search(
        self, query: str, *, level: Level | None = None, limit: int, tests: bool = True
    ) -> list[Scored]: ...


class Links(Protocol):
    """The graph view."""

    def named(self, name: str) -> Sequence[Symbol]: ...

    def neighbours(self, symbol: Symbol, depth: int = 1) -> Sequence[tuple[Symbol, int]]: ...


class Judge(Protocol):
    """A model that says how well texts answer a query: a local one or a service."""

    @property
    def name(self) -> str: ...

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One number a text, greater is better, from 0 to 1. Raises ForUser when it cannot."""
        ...


@dataclass(frozen=True, slots=True)
class Material:
    """Views in step with the files, and which files may be in an answer. None: cannot answer."""

    files: Collection[str]
    words: Words | None = None
    meaning: Meaning | None = None
    links: Links | None = None
    entries: Index | None = None
    judge: Judge | None = None
    read: Callable[[str], str] | None = None  # the text of a file
    tests: bool = True  # whether tests may be in an answer
    prose: bool = True  # whether what is no code may
    within: Within | None = None

    def found(self, weights: Mapping[str, float], limit: int) -> list[Scored]:
        """What the words find. Raises NotPossible without them."""
        if self.words is None:
            raise NotPossible("the lexical view cannot answer")
        hits = self.words.search_weighted(
            weights, limit=limit, tests=self.tests, within=self.within
        )
        return hits if self.prose else [hit for hit in hits if hit.kind not in PROSE]

    def near(self, text: str, limit: int) -> list[Scored]:
        """What is nearest in meaning. Raises NotPossible without the view."""
        if self.meaning is None:
            raise NotPossible("the dense view cannot answer")
        hits = self.meaning.search(text, limit=limit, tests=self.tests)
        return [hit for hit in hits if self.allows(hit)]

    def allows(self, hit: Scored) -> bool:
        """Whether a hit may be in an answer, as far as its path and kind tell."""
        return (self.prose or hit.kind not in PROSE) and self.covers(hit.path)

    def covers(self, path: str) -> bool:
        """Whether a file may be in an answer."""
        return self.within is None or self.within(path)
