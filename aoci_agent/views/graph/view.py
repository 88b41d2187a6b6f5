"""The graph as one of the repository's views."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from aoci_agent.views.graph.finders import Finders
from aoci_agent.views.graph.model import Reference, Symbol
from aoci_agent.views.graph.queries import Queries
from aoci_agent.views.graph.repair import Repair, Repaired, Strategy
from aoci_agent.views.graph.store import SCHEMA, Store
from aoci_agent.views.model import Delta, Source

VERSION = 3  # raise whenever facts or resolution come out differently
_FILE = "graph.db"


class GraphView:
    """Symbols and references of a repository (a `View`), and questions about them.

    `strategy` is how `apply` repairs: by symbols, or by whole files. Both give what a build gives.
    """

    name = "graph"

    def __init__(self, strategy: Strategy = "symbol") -> None:
        self.strategy: Strategy = strategy
        self.repaired = Repaired()  # what the last update did
        self._finders = Finders()
        self._store = Store()
        self._private = True
        self._queries = Queries(self._store)

    @property
    def config(self) -> Mapping[str, str]:
        """What decides the content besides the files."""
        return {"schema": str(SCHEMA), "version": str(VERSION)}

    @property
    def counts(self) -> Mapping[str, int]:
        """files, symbols, parts (stretches resolved as a whole) and edges."""
        return self._queries.counts()

    def build(self, source: Source) -> None:
        """Derive everything from nothing."""
        store = Store()
        repair = Repair(store, source, self._finders)
        with store.changing():
            repair.build()
        self._take(store, private=True)
        self.repaired = repair.done

    def apply(self, source: Source, delta: Delta) -> None:
        """Follow a change of files; the stored database it was loaded from stays as it is."""
        if not self._private:
            self._take(self._store.copied(), private=True)
        repair = Repair(self._store, source, self._finders)
        with self._store.changing():
            repair.apply(delta, self.strategy)
        self.repaired = repair.done

    def save(self, folder: Path) -> None:
        """Write `graph.db` into an empty folder."""
        self._store.write(folder / _FILE)

    def load(self, folder: Path) -> None:
        """Read what `save` wrote. Raises ValueError or OSError for what it cannot take."""
        path = folder / _FILE
        if not path.is_file():
            raise FileNotFoundError(str(path))
        self._take(Store.opened(path), private=False)

    def digest(self) -> str:
        """Equal only for graphs that answer alike, however they came about."""
        state = hashlib.blake2b(digest_size=16)
        for row in self._store.canonical():
            state.update(repr(row).encode())
            state.update(b"\n")
        return state.hexdigest()

    def _take(self, store: Store, *, private: bool) -> None:
        self._store, self._private = store, private
        self._queries = Queries(store)

    # questions

    def definition(self, path: str, line: int, column: int) -> list[Symbol]:
        """What the name at a place means; line from 1, column from 0 in characters."""
        return self._queries.definition(path, line, column)

    def named(self, name: str) -> list[Symbol]:
        """Definitions by (qualified) name, the likeliest first."""
        return self._queries.named(name)

    def references(self, symbol: Symbol) -> list[Reference]:
        """Every use that leads to it, by path and place."""
        return self._queries.references(symbol)

    def callers(self, symbol: Symbol) -> list[Symbol]:
        """Definitions that call it."""
        return self._queries.callers(symbol)

    def callees(self, symbol: Symbol) -> list[Symbol]:
        """Definitions it calls."""
        return self._queries.callees(symbol)

    def uses(self, symbol: Symbol) -> list[Symbol]:
        """Definitions it refers to in any way."""
        return self._queries.uses(symbol)

    def bases(self, symbol: Symbol) -> list[Symbol]:
        """The types it builds on."""
        return self._queries.bases(symbol)

    def names(self) -> list[str]:
        """Every name there is, sorted."""
        return self._queries.names()

    def subclasses(self, symbol: Symbol, *, transitive: bool = False) -> list[Symbol]:
        """Types that build on it, directly or at all."""
        return self._queries.subclasses(symbol, transitive=transitive)

    def neighbours(self, symbol: Symbol, depth: int = 1) -> list[tuple[Symbol, int]]:
        """Symbols at most `depth` edges away, each with its distance."""
        return self._queries.neighbours(symbol, depth)

    def symbols_in(self, path: str) -> list[Symbol]:
        """The definitions of a file, in source order."""
        return self._queries.symbols_in(path)
