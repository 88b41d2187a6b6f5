"""Typed questions to a stored graph."""

from collections.abc import Iterable, Iterator
from typing import Any

from aoci_agent.aoci.layers import is_test
from aoci_agent.views.graph.kinship import Kinship
from aoci_agent.views.graph.model import Reference, Symbol
from aoci_agent.views.graph.spread import DECLARED
from aoci_agent.views.graph.store import Resolved, Store, StoredPart
from aoci_agent.views.model import Location

_SYMBOL = (
    "SELECT f.path, s.name, s.qualified, s.kind, s.start, s.end, s.column, s.line, s.signature, s.doc,"
    " t.space, t.name FROM symbol s JOIN file f ON s.file=f.id JOIN slot t ON s.slot=t.id"
)
_NAMED = 200  # symbols of one name looked at


class Queries:
    """Reads one store. Answers are in a fixed order: by path, then by place."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def definition(self, path: str, line: int, column: int) -> list[Symbol]:
        """What the name at a place means; lines from 1, columns from 0 in characters.

        On the name of a definition that is the definition itself. Nothing where it is not known.
        """
        own = f"{_SYMBOL} WHERE f.path=? AND s.line=? AND s.column<=? AND s.column+length(s.name)>?"
        if found := self._symbols(own, (path, line, column, column)):
            return found
        for part in self._store.parts_at(path, line):
            all_found: dict[Symbol, None] = {}
            for use in _at(part, line, column):
                symbols = [symbol for slot in use.slots for symbol in self._of_slot(slot)]
                local = [self._local(path, part, place) for place in use.local]
                # A package of many files is told better by its import than by all of them.
                package = len(symbols) > 1 and all(item.kind == "module" for item in symbols)
                all_found.update(dict.fromkeys(local if package and local else symbols or local))
            if all_found:
                return sorted(all_found, key=_place)
        return []

    def named(self, name: str) -> list[Symbol]:
        """Definitions by name, the likeliest first: the same qualified name, then the end of one.

        Product code comes before tests, then what is referred to most.
        """
        last = name.replace("::", ".").replace("#", ".").rpartition(".")[2]
        query = f"{_SYMBOL} WHERE s.name=? COLLATE NOCASE LIMIT {_NAMED * 10}"
        found = [symbol for symbol in self._symbols(query, (last,)) if _fits(symbol, name)]
        uses = {slot: self._uses(*slot) for slot in {(s.space, s.slot) for s in found}}

        def rank(symbol: Symbol) -> tuple[object, ...]:
            exact = symbol.qualified == name
            used = uses[symbol.space, symbol.slot]
            return (not exact, symbol.name != last, is_test(symbol.path), -used, _place(symbol))

        return sorted(found, key=rank)[:_NAMED]

    def references(self, symbol: Symbol) -> list[Reference]:
        """Every use that leads to a symbol."""
        query = (
            "SELECT DISTINCT f.path, p.id FROM edge e JOIN part p ON e.part=p.id"
            " JOIN file f ON p.file=f.id WHERE e.slot=?"
        )
        found: set[Reference] = set()
        for slot in self._meant(symbol):
            for path, part in self._rows(query, (slot,)):
                stored = self._store.part(part)
                found |= {
                    Reference(_location(path, stored, use), use.source, use.kind)
                    for use in stored.uses
                    if slot in use.slots and use.kind != "declares"
                }
        return sorted(found)

    def callers(self, symbol: Symbol) -> list[Symbol]:
        """Definitions that call it; calls at the top of a file have none."""
        query = (
            "SELECT DISTINCT p.file, e.source FROM edge e JOIN part p ON e.part=p.id"
            " WHERE e.slot=? AND e.kind='call' AND e.source<>''"
        )
        rows = [row for slot in self._meant(symbol) for row in self._rows(query, (slot,))]
        return self._sources(dict.fromkeys(rows))

    def callees(self, symbol: Symbol) -> list[Symbol]:
        """Definitions it calls, those called by what is defined within it included."""
        return self._used(symbol, "AND e.kind='call'")

    def uses(self, symbol: Symbol) -> list[Symbol]:
        """Definitions it refers to in any way."""
        return self._used(symbol, "")

    def bases(self, symbol: Symbol) -> list[Symbol]:
        """The types it names among its bases."""
        query = (
            "SELECT DISTINCT e.slot FROM part p JOIN file f ON p.file=f.id JOIN edge e ON e.part=p.id"
            " WHERE f.path=? AND e.source=? AND e.kind='base'"
        )
        rows = self._rows(query, (symbol.path, symbol.qualified))
        return sorted({item for (slot,) in rows for item in self._of_slot(slot)}, key=_place)

    def names(self) -> list[str]:
        """Every name there is, sorted."""
        return [name for (name,) in self._rows("SELECT DISTINCT name FROM symbol ORDER BY name")]

    def subclasses(self, symbol: Symbol, *, transitive: bool = False) -> list[Symbol]:
        """Types that name it among their bases; with `transitive` those that build on these, too."""
        query = (
            "SELECT DISTINCT p.file, e.source FROM edge e JOIN part p ON e.part=p.id"
            " WHERE e.slot=? AND e.kind='base'"
        )
        found: dict[Symbol, None] = {}
        pending = [symbol]
        while pending:
            item = pending.pop()
            below = [*self._sources(self._rows(query, (self._slot(item),))), *self._serving(item)]
            new = [item for item in below if item not in found and item != symbol]
            found.update(dict.fromkeys(new))
            pending += new if transitive else []
        return sorted(found, key=_place)

    def neighbours(self, symbol: Symbol, depth: int = 1) -> list[tuple[Symbol, int]]:
        """Symbols at most so many edges away (containment, reference, either way), with the distance."""
        found = {symbol: 0}
        edge = [symbol]
        for distance in range(1, depth + 1):
            reached = {item for one in edge for item in self._beside(one)} - found.keys()
            edge = sorted(reached, key=_place)
            found.update(dict.fromkeys(edge, distance))
        return [(item, distance) for item, distance in found.items() if distance]

    def symbols_in(self, path: str) -> list[Symbol]:
        """The definitions of a file, in source order."""
        return self._symbols(f"{_SYMBOL} WHERE f.path=?", (path,))

    def counts(self) -> dict[str, int]:
        """How much there is of everything."""
        tables = {"files": "file", "symbols": "symbol", "parts": "part", "edges": "edge"}
        return {
            name: int(next(iter(self._rows(f"SELECT count(*) FROM {table}")))[0])
            for name, table in tables.items()
        }

    # inside

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        return self._store.db.execute(query, values).fetchall()

    def _symbols(self, query: str, values: tuple[object, ...]) -> list[Symbol]:
        rows = self._rows(query, values)
        return sorted((_symbol(*row) for row in rows), key=_place)

    def _of_slot(self, slot: int) -> list[Symbol]:
        return self._symbols(f"{_SYMBOL} WHERE s.slot=?", (slot,)) or self._module(slot)

    def _module(self, slot: int) -> list[Symbol]:
        """The files of a space, for a name that means the module itself."""
        query = (
            "SELECT f.path, t.space FROM slot t JOIN file f ON f.space=t.space"
            " WHERE t.id=? AND t.name='' ORDER BY f.path LIMIT 20"
        )
        return [
            Symbol(
                path, path.rpartition("/")[2], "", "module", Location(path, 1, 1), 1, space=space
            )
            for path, space in self._rows(query, (slot,))
        ]

    def _slot(self, symbol: Symbol) -> int:
        return self._slot_at(symbol.space, symbol.slot) if symbol.space else -1

    def _slot_at(self, space: str, slot: str) -> int:
        found = self._rows("SELECT id FROM slot WHERE space=? AND name=?", (space, slot))
        return int(found[0][0]) if found else -1

    def _meant(self, symbol: Symbol) -> list[int]:
        """The slots whose uses are uses of a symbol."""
        places = [(symbol.space, symbol.slot)] if symbol.space else []
        if symbol.kind == "method":
            places += Kinship(self._store.db).same_method(symbol.space, symbol.slot)
        found = [slot for place in places if (slot := self._slot_at(*place)) >= 0]
        return [*found, *self._defining(symbol)] if symbol.slot.endswith(DECLARED) else found

    def _defining(self, symbol: Symbol) -> list[int]:
        """The slots of the definition of what is only declared."""
        return [
            slot
            for part in self._store.parts_at(symbol.path, symbol.line)
            for use in _at(part, symbol.line, symbol.column)
            if use.kind == "declares"
            for slot in use.slots
        ]

    def _serving(self, symbol: Symbol) -> list[Symbol]:
        found = Kinship(self._store.db).serving(symbol.space, symbol.slot)
        return [item for place in found for item in self._of_slot(self._slot_at(*place))]

    def _uses(self, space: str, slot: str) -> int:
        query = "SELECT sum(e.count) FROM edge e JOIN slot t ON e.slot=t.id WHERE t.space=? AND t.name=?"
        return int(self._rows(query, (space, slot))[0][0] or 0)

    def _sources(self, rows: Iterable[tuple[Any, ...]]) -> list[Symbol]:
        found: dict[Symbol, None] = {}
        for file, source in rows:
            query = f"{_SYMBOL} WHERE s.file=? AND s.qualified=?"
            found.update(dict.fromkeys(self._symbols(query, (file, source))))
        return sorted(found, key=_place)

    def _used(self, symbol: Symbol, condition: str) -> list[Symbol]:
        query = (
            "SELECT DISTINCT e.slot FROM part p JOIN file f ON p.file=f.id JOIN edge e ON e.part=p.id"
            f" WHERE f.path=? AND (e.source=? OR substr(e.source, 1, ?)=?) {condition}"
        )
        below = f"{symbol.qualified}."
        rows = self._rows(query, (symbol.path, symbol.qualified, len(below), below))
        found = {item for (slot,) in rows for item in self._of_slot(slot)} - {symbol}
        return sorted(found, key=_place)

    def _beside(self, symbol: Symbol) -> Iterator[Symbol]:
        yield from self.uses(symbol)
        query = (
            "SELECT DISTINCT p.file, e.source FROM edge e JOIN part p ON e.part=p.id"
            " WHERE e.slot=? AND e.source<>''"
        )
        yield from self._sources(self._rows(query, (self._slot(symbol),)))
        owner = symbol.qualified.rpartition(".")[0]
        around = f"{_SYMBOL} WHERE f.path=? AND s.qualified=?"
        yield from self._symbols(around, (symbol.path, owner))
        for item in self.symbols_in(symbol.path):
            if item.qualified.rpartition(".")[0] == symbol.qualified:
                yield item

    def _local(self, path: str, part: StoredPart, place: tuple[int, int]) -> Symbol:
        """A variable or parameter nobody outside can see. It is no symbol of the graph."""
        line, column = part.start + place[0], place[1]
        location = Location(path, line, line, column)
        return Symbol(path, "", "", "variable", location, line)


def _symbol(path: str, name: str, qualified: str, kind: str, *rest: Any) -> Symbol:
    start, end, column, *others = rest
    return Symbol(path, name, qualified, kind, Location(path, start, end, column), *others)


def _at(part: StoredPart, line: int, column: int) -> list[Resolved]:
    row = line - part.start
    return [u for u in part.uses if u.line == row and u.column <= column < u.column + u.length]


def _location(path: str, part: StoredPart, use: Resolved) -> Location:
    line = part.start + use.line
    return Location(path, line, line, use.column)


def _place(symbol: Symbol) -> tuple[object, ...]:
    return symbol.path, symbol.line, symbol.column, symbol.qualified


def _fits(symbol: Symbol, name: str) -> bool:
    """Whether the name is the symbol's qualified one, an end of it, or begins with its file."""
    wanted = name.replace("::", ".").replace("#", ".").lower()
    whole = symbol.qualified.lower()
    if whole == wanted or whole.endswith(f".{wanted}"):
        return True
    head = wanted.removesuffix(whole).rstrip(".:/")
    if not wanted.endswith(f".{whole}") or not head:
        return False
    module = symbol.path.rpartition(".")[0].removesuffix("/__init__").replace("/", ".").lower()
    return module == head or module.endswith(f".{head}") or head.endswith(module.rpartition(".")[2])
