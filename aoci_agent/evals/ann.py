"""Measure ways to find near vectors: `python -m aoci_agent.evals.ann [--vectors N...] [PATH...]`.

For each number of vectors: the dense view's indexes (Flat, IVF and HNSW of FAISS; numpy alone), and Flat
on 8 bits (SQ8), each on one thread, one query at a time. Recall@10 is the share of the ten nearest that
are found; `search ms` is the middle of 200 queries by the clock, `CPU ms` their mean on the processor,
which other programs do not change; `CPU s` is for building. The vectors are those of the units of the folders named, by the static embedder; half of the
queries are units left out, half the short names of units. Where there are fewer units than asked for, the
table has what there is. Then random vectors in clusters, by default the only ones.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from aoci_agent.base.errors import ForUser
from aoci_agent.views.dense.arrays import faiss_module, normalised, products, require
from aoci_agent.views.dense.exact import ExactIndex
from aoci_agent.views.dense.faiss_index import FaissIndex, HnswIndex
from aoci_agent.views.dense.index import Near, VectorIndex

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors

NEIGHBOURS = 10
QUERIES = 200
ROUNDING = 1e-5
DIMENSIONS = 256  # of the random vectors
COLUMNS = ("of", "vectors", "index", "recall@10", "search ms", "CPU ms", "build s", "CPU s", "MB")
WIDTH = 10


class Data(NamedTuple):
    """Vectors to search among, and queries that are not among them."""

    name: str
    vectors: "Vectors"
    queries: "Vectors"


class Built(NamedTuple):
    """An index ready to be asked."""

    search: "Callable[[Vectors, int], list[Near]]"
    size: int  # bytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each index and number of vectors."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.ann")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="repositories")
    parser.add_argument("--vectors", nargs="+", type=int, default=[5_000, 50_000], metavar="N")
    options = parser.parse_args(arguments)
    try:
        require("faiss", "dense", "this measure")
        print(" ".join(f"{name:>{WIDTH}}" for name in COLUMNS))
        for data in _all_data(options.paths, options.vectors):
            for cells in rows(data):
                print(" ".join(f"{cell:>{WIDTH}}" for cell in cells), flush=True)
    except ForUser as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return 1
    return 0


def rows(data: Data) -> Iterator[list[str]]:
    """The rows of the table for one set of vectors."""
    for name, build in WAYS.items():
        wall, spent = time.monotonic(), time.process_time()
        index = build(data.vectors)
        wall, spent = time.monotonic() - wall, time.process_time() - spent
        index.search(data.queries[0], NEIGHBOURS)
        start = time.process_time()
        found, seconds = _asked(index, data.queries)
        busy = (time.process_time() - start) / len(seconds)
        right = [_right(data.vectors, *asked) for asked in zip(data.queries, found, strict=True)]
        yield [
            *(data.name, f"{len(data.vectors):,}", name, f"{fmean(right):.3f}"),
            *(f"{1000 * median(seconds):.2f}", f"{1000 * busy:.2f}"),
            *(f"{wall:.2f}", f"{spent:.2f}", f"{index.size / 1e6:.1f}"),
        ]


def _flat(vectors: "Vectors") -> Built:
    index = FaissIndex.flat(vectors.shape[1])
    return _of_faiss(index, vectors, index.index)


def _ivf(vectors: "Vectors") -> Built:
    index = FaissIndex.ivf(vectors)
    return _of_faiss(index, vectors, index.index)


def _hnsw(vectors: "Vectors") -> Built:
    index = HnswIndex(vectors.shape[1])
    return _of_faiss(index, vectors, index.index)


def _numpy(vectors: "Vectors") -> Built:
    index = ExactIndex(vectors.shape[1])
    index.add(range(len(vectors)), vectors)
    return Built(index.search, vectors.nbytes)


def _sq8(vectors: "Vectors") -> Built:
    """Every vector looked at, a byte a number: not in the view, whose scores are to be exact."""
    faiss = faiss_module()
    kind = faiss.ScalarQuantizer.QT_8bit
    index = faiss.IndexScalarQuantizer(vectors.shape[1], kind, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors)
    index.add(vectors)

    def search(query: "Vectors", limit: int) -> list[Near]:
        scores, ids = index.search(query.reshape(1, -1), limit)
        return [Near(int(id_), float(score)) for id_, score in zip(ids[0], scores[0], strict=True)]

    return Built(search, len(faiss.serialize_index(index)))


WAYS: dict[str, "Callable[[Vectors], Built]"] = {
    "Flat": _flat,
    "numpy": _numpy,
    "IVF": _ivf,
    "HNSW": _hnsw,
    "SQ8": _sq8,
}


def _of_faiss(index: VectorIndex, vectors: "Vectors", inner: Any) -> Built:
    index.add(range(len(vectors)), vectors)
    return Built(index.search, len(faiss_module().serialize_index(inner)))


def _asked(index: Built, queries: "Vectors") -> tuple[list[list[int]], list[float]]:
    """What was found for each query, and the seconds each took."""
    found: list[list[int]] = []
    seconds: list[float] = []
    for query in queries:
        start = time.perf_counter()
        near = index.search(query, NEIGHBOURS)
        seconds.append(time.perf_counter() - start)
        found.append([each.id for each in near])
    return found, seconds


def _right(vectors: "Vectors", query: "Vectors", found: Sequence[int]) -> float:
    """The share of the nearest that was found; one as near as the last of them counts as one."""
    import numpy as np

    scores = products(vectors, query)
    wanted = min(NEIGHBOURS, len(scores))
    last = np.partition(scores, -wanted)[-wanted]
    return sum(float(scores[each]) >= last - ROUNDING for each in found) / wanted


def _all_data(paths: Sequence[Path], sizes: Sequence[int]) -> Iterator[Data]:
    import numpy as np

    if paths:
        units, names = _embedded(paths)
        asked = min(QUERIES // 2, len(units) // 10)
        if not asked:
            raise ForUser(f"only {len(units)} units are there", "name more repositories")
        there, queries = units[asked:], np.concatenate([units[:asked], names])
        for size in sizes:
            yield Data("units", there[:size], queries)
            if len(there) < size:
                print(f"{'':{WIDTH}} asked for {size:,}; there are {len(there):,} units")
                break
    for size in sizes:
        yield _clustered(size)


def _embedded(paths: Sequence[Path]) -> "tuple[Vectors, Vectors]":
    """Vectors of the units of some repositories, shuffled; and of the names of some of them."""
    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository
    from aoci_agent.views.dense.static import StaticEmbedder
    from aoci_agent.views.dense.texts import pieces_of
    from aoci_agent.views.source import WorkTree

    texts: dict[str, str] = {}
    for path in paths:
        with Workspace(path) as workspace:
            tree = WorkTree(workspace, Repository.find(workspace.root))
            tree.look()
            for name in tree.files:
                texts |= {piece.text: piece.symbol for piece in pieces_of(name, tree.read(name))}
    order = sorted(texts)
    random.Random(1).shuffle(order)
    embedder = StaticEmbedder()
    symbols = list(dict.fromkeys(symbol for text in order if (symbol := texts[text])))
    return embedder.embed(order), embedder.embed(symbols[: QUERIES // 2])


def _clustered(size: int) -> Data:
    """Points around centres: one centre for a hundred points, as far from it as centres from each other."""
    import numpy as np

    rng = np.random.default_rng(size)
    centres = rng.standard_normal((max(size // 100, 1), DIMENSIONS)).astype(np.float32)
    chosen = rng.integers(0, len(centres), size + QUERIES)
    noise = rng.standard_normal((size + QUERIES, DIMENSIONS)).astype(np.float32)
    points = normalised(centres[chosen] + noise)
    return Data("clusters", points[:size], points[size:])


if __name__ == "__main__":
    sys.exit(main())
