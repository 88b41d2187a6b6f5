"""Which index for how many vectors, made or restored. Without FAISS every one is exact, by numpy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aoci_agent.views.dense.arrays import has_faiss
from aoci_agent.views.dense.exact import ExactIndex
from aoci_agent.views.dense.faiss_index import FaissIndex, HnswIndex
from aoci_agent.views.dense.index import Choice, Kind, VectorIndex

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors

FLAT_LIMIT = 200_000
"""Vectors up to which `auto` is exact: there a search takes 8 ms, an approximate one 0.5 ms, which nobody
notices; but IVF misses some of the neighbours, and needs seconds to be made."""
LEAST_IVF = 4_096  # below it there is too little to learn cells from


def kind_for(choice: Choice, size: int) -> Kind:
    """The kind of index for so many vectors."""
    if not has_faiss():
        return "flat"
    if choice == "auto":
        return "ivf" if size > FLAT_LIMIT else "flat"
    return "flat" if choice == "ivf" and size < LEAST_IVF else choice


def restored(kind: Kind, image: bytes, ids: Sequence[int]) -> VectorIndex | None:
    """The index of an image, None where there is none of this kind. ValueError for another's."""
    if not image or kind == "flat":
        return None
    index = FaissIndex.of_image(image) if kind == "ivf" else HnswIndex.of_image(image, ids)
    if len(index) != len(ids):
        raise ValueError("the stored index is of other vectors")
    return index


def built(kind: Kind, ids: Sequence[int], vectors: "Vectors") -> VectorIndex:
    """A new index of these vectors."""
    if not has_faiss():
        index: VectorIndex = ExactIndex(vectors.shape[1])
    elif kind == "hnsw":
        index = HnswIndex(vectors.shape[1])
    else:
        index = FaissIndex.ivf(vectors) if kind == "ivf" else FaissIndex.flat(vectors.shape[1])
    index.add(ids, vectors)
    return index
