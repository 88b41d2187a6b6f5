"""The indexes of FAISS: exact (Flat), cells (IVF), a graph (HNSW)."""

from collections.abc import Iterable, Sequence
from math import isqrt
from typing import TYPE_CHECKING, Any, Self

from aoci_agent.views.dense.arrays import deserialised, faiss_module, no_vectors, serialised
from aoci_agent.views.dense.index import DELTA, Kind, Near

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Ids, Vectors

_LEARNED = 64  # vectors a cell that its centre is learned from
_HNSW_LINKS = 32
_HNSW_SEARCH = 64


class FaissIndex:
    """IndexIDMap2 over Flat, or IVF with its own map of ids: both add and remove in place."""

    def __init__(self, kind: Kind, index: Any, learned: int) -> None:
        """Use `flat`, `ivf` or `of_image`. `learned`: of how many vectors the cells were learned."""
        self.kind: Kind = kind
        self.index = index
        self._learned = learned

    @classmethod
    def flat(cls, dimensions: int) -> Self:
        """Empty, exact."""
        faiss = faiss_module()
        return cls("flat", faiss.IndexIDMap2(faiss.IndexFlatIP(dimensions)), 0)

    @classmethod
    def ivf(cls, sample: "Vectors") -> Self:
        """Empty, with cells learned from `sample`, the vectors it will hold."""
        faiss = faiss_module()
        dimensions, size = int(sample.shape[1]), len(sample)
        cells = max(min(2 * isqrt(size), size // 40), 1)  # FAISS wants 39 vectors or more a cell
        inner = faiss.IndexFlatIP(dimensions)
        index = faiss.IndexIVFFlat(inner, dimensions, cells, faiss.METRIC_INNER_PRODUCT)
        index.cp.max_points_per_centroid = _LEARNED
        index.train(sample)
        return cls("ivf", _ready(index), size)

    @classmethod
    def of_image(cls, image: bytes) -> Self:
        """An IVF index that was saved."""
        index = deserialised(image)
        return cls("ivf", _ready(index), int(index.ntotal))

    def __len__(self) -> int:
        return int(self.index.ntotal)

    def add(self, ids: Sequence[int], vectors: "Vectors") -> None:
        if ids:
            self.index.add_with_ids(vectors, _array(ids))

    def remove(self, ids: Sequence[int]) -> None:
        if ids:
            self.index.remove_ids(_array(ids))

    def bears(self, size: int, removed: int) -> bool:
        """Cells learned from far fewer or far more vectors divide them badly."""
        return self.kind == "flat" or self._learned <= 2 * size <= 4 * self._learned

    def search(self, query: "Vectors", limit: int) -> list[Near]:
        return _neighbours(self.index, query, min(limit, len(self)))

    def rows(self, ids: Sequence[int]) -> "Vectors":
        if not ids:
            return no_vectors(int(self.index.d))
        return self.index.reconstruct_batch(_array(ids))

    def image(self, ids: Sequence[int]) -> bytes:
        if self.kind == "flat":
            return b""
        faiss = faiss_module()
        copy = faiss.clone_index(self.index)
        copy.reset()  # the cells stay
        copy.add_with_ids(self.rows(ids), _array(range(len(ids))))
        return serialised(copy)


def _ready(index: Any) -> Any:
    """An IVF index that can tell and remove vectors by id, and looks into a fifth of its cells."""
    index.set_direct_map_type(faiss_module().DirectMap.Hashtable)
    index.nprobe = max(32, int(index.nlist) // 5)
    return index


class HnswIndex:
    """FAISS's HNSW graph. It cannot forget: a removed vector stays in it and is passed over."""

    kind: Kind = "hnsw"

    def __init__(self, dimensions: int) -> None:
        self._faiss = faiss_module()
        self.index: Any = self._faiss.IndexHNSWFlat(
            dimensions, _HNSW_LINKS, self._faiss.METRIC_INNER_PRODUCT
        )
        self._ids: list[int] = []
        self._places: dict[int, int] = {}
        self._dead: list[int] = []

    @classmethod
    def of_image(cls, image: bytes, ids: Sequence[int]) -> Self:
        """A graph that was saved; `ids` of its vectors, in order."""
        index = deserialised(image)
        made = cls(int(index.d))
        made.index = index
        made._ids = list(ids)
        made._places = {id_: place for place, id_ in enumerate(ids)}
        return made

    def __len__(self) -> int:
        return len(self._places)

    def add(self, ids: Sequence[int], vectors: "Vectors") -> None:
        if ids:
            places = range(len(self._ids), len(self._ids) + len(ids))
            self._places.update(zip(ids, places, strict=True))
            self._ids.extend(ids)
            self.index.add(vectors)

    def remove(self, ids: Sequence[int]) -> None:
        self._dead.extend(self._places.pop(id_) for id_ in ids)

    def bears(self, size: int, removed: int) -> bool:
        return len(self._dead) + removed <= DELTA * size

    def search(self, query: "Vectors", limit: int) -> list[Near]:
        settings = self._faiss.SearchParametersHNSW(efSearch=max(_HNSW_SEARCH, limit))
        dead = _array(self._dead)
        if self._dead:
            selector = self._faiss.IDSelectorBatch(dead)
            settings.sel = self._faiss.IDSelectorNot(selector)
        found = _neighbours(self.index, query, min(limit, len(self)), settings)
        return [Near(self._ids[near.id], near.score) for near in found]

    def rows(self, ids: Sequence[int]) -> "Vectors":
        if not ids:
            return no_vectors(int(self.index.d))
        return self.index.reconstruct_batch(_array([self._places[id_] for id_ in ids]))

    def image(self, ids: Sequence[int]) -> bytes:
        """Only of a graph whose vectors stand in this order, as after it was made from all of them."""
        return serialised(self.index) if list(ids) == self._ids else b""


def _neighbours(index: Any, query: "Vectors", limit: int, settings: Any = None) -> list[Near]:
    if limit <= 0:
        return []
    scores, ids = index.search(query.reshape(1, -1), limit, params=settings)
    pairs: Iterable[tuple[float, int]] = zip(scores[0].tolist(), ids[0].tolist(), strict=True)
    return [Near(id_, score) for score, id_ in pairs if id_ >= 0]


def _array(ids: Sequence[int]) -> "Ids":
    import numpy as np

    return np.array(ids, dtype=np.int64)
