"""The dense view: units found by what they mean."""

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.base.errors import ForUser
from aoci_agent.views.dense import stored
from aoci_agent.views.dense.arrays import has_faiss, packed, unpacked
from aoci_agent.views.dense.index import Choice
from aoci_agent.views.dense.shelf import Entry, Shelf
from aoci_agent.views.dense.texts import Piece, pieces_of
from aoci_agent.views.dense.vectors import Key, VectorCache, key_of
from aoci_agent.views.model import Delta, Level, Scored, Source

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors
    from aoci_agent.views.dense.embedder import Embedder

_PART = 500  # files

Derive = Callable[[str, bytes], Iterable[Piece]]


class DenseView:
    """Two indexes of vectors: of files by their skeletons (L0), and of blocks (L1 and L2).

    What it holds is a function of the files and the embedder, and with a flat index so are its
    answers. With IVF and HNSW every score is exact, but which of the units a search finds also depends on
    the order in which they came: equal digests then mean equal units and vectors.

    With a slow embedder some units may wait for their vector: `counts` tells how many, and searches
    answer over the others until `embed_pending` has done the rest.
    """

    name = "dense"

    def __init__(
        self,
        embedder: "Embedder",
        cache: VectorCache,
        *,
        index: Choice = "auto",
        seconds: float | None = None,
        derive: Derive = pieces_of,
    ) -> None:
        """`seconds`: how long `build` and `apply` may embed; None is until nothing waits."""
        self.embedder = embedder
        self.problem = ""  # why the embedder failed at the last attempt, for people
        self._cache = cache
        self._choice: Choice = index
        self._seconds = seconds
        self._derive = derive
        self._texts: dict[Key, str] = {}  # of the units that wait
        self._files, self._blocks = self._empty()

    @property
    def config(self) -> Mapping[str, str]:
        """The model, what it is given, and how vectors are searched."""
        engine = "faiss" if has_faiss() else "numpy: exact search, faiss is not installed"
        return {
            **stored.VERSIONS,
            "embedder": self.embedder.name,
            "index": self._choice,
            "engine": engine,
        }

    @property
    def counts(self) -> Mapping[str, int]:
        """`pending` is the number of distinct texts without a vector."""
        return {
            "files": len(self._files.files),
            "units": self._files.entries + self._blocks.entries,
            "vectors": self._files.vectors + self._blocks.vectors,
            "pending": len(self._texts),
        }

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kind of index in use, of files and of blocks."""
        named = (("files", self._files), ("blocks", self._blocks))
        return {name: shelf.index.kind if shelf.index else "flat" for name, shelf in named}

    def build(self, source: Source) -> None:
        """Derive everything; texts met before, here or elsewhere, are not embedded again.

        A failure leaves the view as it was.
        """
        before = (self._files, self._blocks), self._texts
        (self._files, self._blocks), self._texts = self._empty(), {}
        until = self._until(self._seconds)
        vectors: dict[Key, Vectors] = {}
        try:
            paths = iter(source.files)
            while part := list(islice(paths, _PART)):  # so that not all texts are held at once
                self._put({path: self._pieces(path, source) for path in part}, vectors)
                self._find(vectors)
                self._embed(vectors, until)
        except BaseException:
            (self._files, self._blocks), self._texts = before
            raise
        self._settle(vectors)

    def apply(self, source: Source, delta: Delta) -> None:
        """As `build`, for the files that changed."""
        derived = {path: self._pieces(path, source) for path in delta.touched}
        for path in delta.removed:
            self._files.drop(path)
            self._blocks.drop(path)
        vectors: dict[Key, Vectors] = {}
        self._put(derived, vectors)
        self._find(vectors)
        self._settle(vectors)
        self.embed_pending(self._seconds)

    def embed_pending(self, seconds: float | None = None) -> int:
        """Embed what waits, at most that long (a batch that was begun is ended); how many still wait."""
        vectors: dict[Key, Vectors] = {}
        try:
            self._embed(vectors, self._until(seconds))
        finally:
            self._settle(vectors)
        return len(self._texts)

    def search(
        self, query: str, *, level: Level | None = None, limit: int, tests: bool = True
    ) -> list[Scored]:
        """The nearest units; without a level, blocks. Scores are cosines, ties go by place.

        Raises what the embedder raises when it cannot embed the query.
        """
        shelf = self._files if level is Level.L0 else self._blocks
        if not shelf.vectors:
            return []
        vector = self.embedder.embed([query[: self.embedder.limit]], query=True)
        return shelf.search(
            vector,
            limit,
            lambda entry: (level is None or entry.level is level) and (tests or not entry.test),
        )

    def keys(self) -> set[Key]:
        """Every text of every unit: what `VectorCache.prune` must keep."""
        return {
            entry.key
            for shelf in (self._files, self._blocks)
            for entries in shelf.files.values()
            for entry in entries
        }

    def save(self, folder: Path) -> None:
        """Units and waiting texts as JSON, vectors as numbers, an approximate index as FAISS has it.

        What the cache holds besides and nobody asked for in a month goes.
        """
        stored.save(folder, self.embedder.name, (self._files, self._blocks), self._texts)
        self._cache.prune(self.keys())

    def load(self, folder: Path) -> None:
        """ValueError for another model's, another version's, or a damaged one."""
        shelves = self._empty()
        texts = stored.load(folder, self.embedder.name, shelves)
        (self._files, self._blocks), self._texts = shelves, texts

    def digest(self) -> str:
        """Of every unit with its vector, or that it waits: neither order nor history count."""
        told = hashlib.blake2b(digest_size=16)
        for shelf in (self._files, self._blocks):
            keys = shelf.embedded()
            numbers = packed(shelf.rows(keys)) if keys else b""
            width = 2 * shelf.dimensions
            known = {key: numbers[at * width : (at + 1) * width] for at, key in enumerate(keys)}
            for path in sorted(shelf.files):
                for entry in sorted(shelf.files[path]):
                    told.update(repr((path, entry, known.get(entry.key, b""))).encode())
            told.update(b"\0")
        return told.hexdigest()

    def _empty(self) -> tuple[Shelf, Shelf]:
        dimensions = self.embedder.dimensions
        return Shelf(dimensions, self._choice), Shelf(dimensions, self._choice)

    def _pieces(self, path: str, source: Source) -> list[tuple[Entry, str]]:
        limit, model = self.embedder.limit, self.embedder.name
        found: list[tuple[Entry, str]] = []
        for piece in self._derive(path, source.read(path)):
            text = piece.text[:limit]
            entry = Entry(
                piece.start, piece.end, piece.level, piece.kind, piece.symbol, piece.test,
                key_of(model, text),
            )  # fmt: skip
            found.append((entry, text))
        return found

    def _put(
        self, derived: Mapping[str, list[tuple[Entry, str]]], known: "Mapping[Key, Vectors]"
    ) -> None:
        """Set the entries of files; the texts of units without a vector, here or in `known`, wait."""
        for path, pieces in derived.items():
            files = tuple(entry for entry, _ in pieces if entry.level is Level.L0)
            blocks = tuple(entry for entry, _ in pieces if entry.level is not Level.L0)
            self._files.put(path, files)
            self._blocks.put(path, blocks)
        texts = {entry.key: text for pieces in derived.values() for entry, text in pieces}
        files, blocks = self._files.missing, self._blocks.missing
        self._texts = {
            key: text
            for key, text in (self._texts | texts).items()
            if (key in files or key in blocks) and key not in known
        }

    def _find(self, vectors: "dict[Key, Vectors]") -> None:
        """Add the vectors of waiting texts that the cache has."""
        for key, row in self._cache.load(self._texts, self.embedder.dimensions).items():
            vectors[key] = row
            del self._texts[key]

    def _embed(self, vectors: "dict[Key, Vectors]", until: float) -> None:
        """Add vectors of waiting texts, made in batches, each kept in the cache before the next."""
        self.problem = ""
        try:
            for keys in _batches(list(self._texts), self.embedder.batch):
                if time.monotonic() >= until:
                    break
                rows = self.embedder.embed([self._texts[key] for key in keys])
                rows = unpacked(packed(rows), self.embedder.dimensions)  # as the cache gives them
                self._cache.store(keys, rows)
                for at, key in enumerate(keys):
                    vectors[key] = rows[at : at + 1]
                    del self._texts[key]
        except ForUser as error:  # the model cannot be had now; the units go on waiting
            self.problem = error.message

    def _settle(self, vectors: "Mapping[Key, Vectors]") -> None:
        self._files.settle(vectors)
        self._blocks.settle(vectors)

    def _until(self, seconds: float | None) -> float:
        return math.inf if seconds is None else time.monotonic() + seconds


def _batches(keys: list[Key], size: int) -> Iterator[list[Key]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
