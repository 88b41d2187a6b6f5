"""Exact search with numpy alone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aoci_agent.views.dense.arrays import no_vectors, products
from aoci_agent.views.dense.index import Kind, Near

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors


class ExactIndex:
    """Every vector looked at, with numpy alone. Gives what FAISS's Flat gives."""

    kind: Kind = "flat"

    def __init__(self, dimensions: int) -> None:
        self._rows = no_vectors(dimensions)  # with room at the end
        self._ids: list[int] = []
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, ids: Sequence[int], vectors: "Vectors") -> None:
        import numpy as np

        start, end = len(self), len(self) + len(ids)
        if end > len(self._rows):
            room = np.zeros((max(end, start * 5 // 4), vectors.shape[1]), dtype=np.float32)
            room[:start] = self._rows[:start]
            self._rows = room
        self._rows[start:end] = vectors
        self._ids.extend(ids)
        self._places.update(zip(ids, range(start, end), strict=True))

    def remove(self, ids: Sequence[int]) -> None:
        for id_ in ids:
            place, last = self._places.pop(id_), self._ids.pop()
            if last != id_:  # the last one takes the free place
                self._rows[place] = self._rows[len(self._ids)]
                self._ids[place] = last
                self._places[last] = place

    def bears(self, size: int, removed: int) -> bool:
        return True

    def search(self, query: "Vectors", limit: int) -> list[Near]:
        import numpy as np

        scores = products(self._rows[: len(self)], query)
        best = (
            np.argpartition(-scores, limit - 1)[:limit] if limit < len(self) else range(len(self))
        )
        found = [Near(self._ids[place], float(scores[place])) for place in best]
        return sorted(found, key=lambda near: -near.score)

    def rows(self, ids: Sequence[int]) -> "Vectors":
        return self._rows[[self._places[id_] for id_ in ids]]

    def image(self, ids: Sequence[int]) -> bytes:
        return b""
