"""What an index of vectors does."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors

Kind = Literal["flat", "ivf", "hnsw"]
Choice = Literal["auto", "flat", "ivf", "hnsw"]

DELTA = 0.1  # vectors that come or go, of all: above it an index is made anew from the vectors


class Near(NamedTuple):
    """A neighbour: the id of a vector, and its inner product with the query."""

    id: int
    score: float


class VectorIndex(Protocol):
    """Vectors by id, searched by inner product."""

    @property
    def kind(self) -> Kind:
        """What it is."""
        ...

    def __len__(self) -> int: ...

    def add(self, ids: Sequence[int], vectors: "Vectors") -> None:
        """Take one row an id; the ids are new."""
        ...

    def remove(self, ids: Sequence[int]) -> None:
        """Forget vectors that are there."""
        ...

    def bears(self, size: int, removed: int) -> bool:
        """Whether it stays as good with `size` vectors, so many of the present ones removed."""
        ...

    def search(self, query: "Vectors", limit: int) -> list[Near]:
        """The best so many, best first; exact for flat only."""
        ...

    def rows(self, ids: Sequence[int]) -> "Vectors":
        """The vectors of these ids, as they were added."""
        ...

    def image(self, ids: Sequence[int]) -> bytes:
        """The index as `restored` takes it, with these ids (all of its own) called 0, 1, 2...

        Empty where making it anew from the vectors is as quick.
        """
        ...
