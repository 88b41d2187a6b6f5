"""Units of one granularity and the index of their vectors, kept in step."""

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.views.dense.arrays import no_vectors, similarities, stacked
from aoci_agent.views.dense.index import DELTA, Choice, VectorIndex
from aoci_agent.views.dense.kinds import built, kind_for
from aoci_agent.views.model import Level, Scored

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors
    from aoci_agent.views.dense.vectors import Key

_SLACK = 16
_ROUNDING = 1e-5  # two ways of summing the same products differ by less


class Entry(NamedTuple):
    """A unit without its text: where it is, and the key of its vector."""

    start: int
    end: int
    level: Level
    kind: str
    symbol: str
    test: bool
    key: "Key"


class Shelf:
    """Entries by file, one vector for all entries of the same text, and their index."""

    def __init__(self, dimensions: int, choice: Choice) -> None:
        self.dimensions = dimensions
        self.choice: Choice = choice
        self.files: dict[str, tuple[Entry, ...]] = {}
        self.index: VectorIndex | None = None
        self._users: dict[Key, tuple[str, ...]] = {}  # files with a unit of this text
        self._ids: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}
        self._missing: dict[Key, None] = {}  # used, and without a vector; in the order they came
        self._unused: set[Key] = set()  # with a vector, and no longer used
        self._next = 0

    def put(self, path: str, entries: tuple[Entry, ...]) -> None:
        """Set the entries of a file."""
        self.drop(path)
        if entries:
            self.files[path] = entries
        users, ids = self._users, self._ids
        for key in {entry.key for entry in entries}:
            users[key] = (*users.get(key, ()), path)
            if key in ids:
                self._unused.discard(key)
        for entry in entries:  # in their order, which is the order of embedding
            if entry.key not in ids:
                self._missing[entry.key] = None

    def drop(self, path: str) -> None:
        """Forget a file."""
        for key in {entry.key for entry in self.files.pop(path, ())}:
            users = tuple(user for user in self._users.pop(key) if user != path)
            if users:
                self._users[key] = users
            elif key in self._ids:
                self._unused.add(key)
            else:
                del self._missing[key]

    @property
    def entries(self) -> int:
        """Units."""
        return sum(len(entries) for entries in self.files.values())

    @property
    def vectors(self) -> int:
        """Distinct texts that have their vector."""
        return len(self._ids) - len(self._unused)

    @property
    def missing(self) -> "KeysView[Key]":
        """Distinct texts without a vector."""
        return self._missing.keys()

    def settle(self, fresh: "Mapping[Key, Vectors]") -> None:
        """Bring the index in step with the entries; `fresh` are vectors (one row each) of missing keys."""
        new = [key for key in fresh if key in self._missing]
        moved = len(self._unused) + len(new)
        if not moved:
            return
        size, index = self.vectors + len(new), self.index
        if index is None or moved > DELTA * max(size, 1) or not self._fits(index, size):
            self._rebuild(new, fresh)
            return
        index.remove([self._ids[key] for key in self._unused])
        self._forget_unused()
        index.add(self._name(new), stacked([fresh[key] for key in new], self.dimensions))

    def _rebuild(self, new: "Sequence[Key]", fresh: "Mapping[Key, Vectors]") -> None:
        """A new index of the vectors in use, in the order of their keys."""
        kept = sorted(key for key in self._ids if key not in self._unused)
        added = sorted(new)
        keys = [*kept, *added]
        parts = [self.rows(kept), *(fresh[key] for key in added)]
        vectors = stacked(parts, self.dimensions)
        if kept and added:
            order = sorted(range(len(keys)), key=keys.__getitem__)
            keys, vectors = [keys[at] for at in order], vectors[order]
        self._forget_unused()
        self._ids, self._keys = {}, {}
        ids = self._name(keys)
        self.index = built(kind_for(self.choice, len(ids)), ids, vectors)

    def _forget_unused(self) -> None:
        for key in self._unused:
            del self._keys[self._ids.pop(key)]
        self._unused.clear()

    def search(self, query: "Vectors", limit: int, wanted: Callable[[Entry], bool]) -> list[Scored]:
        """The best entries, best first, those of equal text by place. `query` is one row.

        The index proposes; scores are summed anew, each by itself, so that with a flat index the
        answer does not depend on the order in which vectors came. A query of zeros, of which the
        model knows no word, is as near to all of them as to none, and finds nothing.
        """
        index = self.index
        if index is None or not len(index) or limit <= 0 or not query.any():
            return []
        asked = 2 * limit + _SLACK
        while True:
            near = index.search(query, min(asked, len(index)))
            keys = [self._keys[found.id] for found in near]
            scores = similarities(index.rows([found.id for found in near]), query)
            found = sorted(self._scored(keys, scores, wanted), key=_rank)
            everything = asked >= len(index)
            if everything or (
                len(found) >= limit and found[limit - 1].score > near[-1].score + _ROUNDING
            ):
                return found[:limit]
            asked *= 4

    def rows(self, keys: Sequence["Key"]) -> "Vectors":
        """The vectors of keys that have one."""
        if self.index is None:
            return no_vectors(self.dimensions)
        return self.index.rows([self._ids[key] for key in keys])

    def embedded(self) -> list["Key"]:
        """Keys in use that have a vector, sorted."""
        return sorted(key for key in self._ids if key not in self._unused)

    def ids(self, keys: Sequence["Key"]) -> list[int]:
        """What the index calls the vectors of these keys."""
        return [self._ids[key] for key in keys]

    def adopt(self, keys: Sequence["Key"], index: VectorIndex) -> None:
        """Before any entry is put: take an index whose ids are the places of these keys."""
        self._name(keys)
        self._unused.update(keys)
        self.index = index

    def _fits(self, index: VectorIndex, size: int) -> bool:
        """Whether the index may go on, with `size` vectors after those newly unused are gone."""
        if index.kind != kind_for(self.choice, size):
            return False
        return index.bears(size, len(self._unused))

    def _scored(
        self, keys: Iterable["Key"], scores: Iterable[float], wanted: Callable[[Entry], bool]
    ) -> Iterator[Scored]:
        for key, score in zip(keys, scores, strict=True):
            for path in self._users[key]:
                for entry in self.files[path]:
                    if entry.key == key and wanted(entry):
                        place = (path, entry.start, entry.end)
                        yield Scored(*place, entry.level, entry.kind, entry.symbol, score)

    def _name(self, keys: Sequence["Key"]) -> list[int]:
        """New ids for keys."""
        ids = list(range(self._next, self._next + len(keys)))
        self._next += len(keys)
        self._ids.update(zip(keys, ids, strict=True))
        self._keys.update(zip(ids, keys, strict=True))
        for key in keys:
            self._missing.pop(key, None)
        return ids


def _rank(found: Scored) -> tuple[float, str, int, int]:
    return (-found.score, found.path, found.start, found.end)
