"""Types that satisfy interfaces without saying so: worked out from the methods both have.

In Go a type is what an interface wants when it has the methods. A call through the interface is
then a use of the type's method, too, and the other way round. Nothing of this is stored.
"""

import sqlite3
from collections.abc import Iterator

Place = tuple[str, str]  # space and slot
_LANGUAGES = frozenset(("go",))
_DEEPEST = 6  # types within types
_MOST = 2000  # methods of one name that are looked at


class Kinship:
    """Asks one store. Made for one question: what it learns of types is kept."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._methods: dict[Place, frozenset[str]] = {}

    def same_method(self, space: str, slot: str) -> list[Place]:
        """Methods a call of this one may mean besides: of interfaces it serves, of types that serve it."""
        owner, _, name = slot.rpartition(".")
        if not owner or not self._applies(space):
            return []
        kind = self._kind(space, owner)
        return [
            (other, f"{type_}.{name}")
            for other, type_ in self._owners(name, interfaces=kind != "interface")
            if self._serves((space, owner), (other, type_), kind)
        ]

    def serving(self, space: str, slot: str) -> list[Place]:
        """The types that have all methods of an interface."""
        if not self._applies(space) or self._kind(space, slot) != "interface":
            return []
        wanted = self._all_methods((space, slot))
        if not wanted:
            return []
        rarest = min(wanted)
        return [
            place
            for place in self._owners(rarest, interfaces=False)
            if wanted <= self._all_methods(place)
        ]

    def _serves(self, one: Place, other: Place, kind: str) -> bool:
        mine, theirs = self._all_methods(one), self._all_methods(other)
        return (
            bool(mine)
            and bool(theirs)
            and (mine <= theirs if kind == "interface" else theirs <= mine)
        )

    def _applies(self, space: str) -> bool:
        query = "SELECT language FROM file WHERE space=? LIMIT 1"
        found = self._db.execute(query, (space,)).fetchone()
        return found is not None and found[0] in _LANGUAGES

    def _kind(self, space: str, slot: str) -> str:
        query = "SELECT s.kind FROM slot t JOIN symbol s ON s.slot=t.id WHERE t.space=? AND t.name=? LIMIT 1"
        found = self._db.execute(query, (space, slot)).fetchone()
        return str(found[0]) if found is not None else ""

    def _owners(self, name: str, *, interfaces: bool) -> Iterator[Place]:
        """Types, or interfaces, that have a method of this name."""
        query = (
            "SELECT DISTINCT t.space, t.name, f.language FROM symbol s JOIN slot t ON s.slot=t.id"
            " JOIN file f ON s.file=f.id WHERE s.name=? COLLATE NOCASE AND s.kind='method'"
            f" ORDER BY t.space, t.name LIMIT {_MOST}"
        )
        for space, slot, language in self._db.execute(query, (name,)).fetchall():
            owner, _, last = slot.rpartition(".")
            wanted = language in _LANGUAGES and owner and last == name
            if wanted and (self._kind(space, owner) == "interface") == interfaces:
                yield space, owner

    def _all_methods(self, place: Place, depth: int = 0) -> frozenset[str]:
        """Names of a type's methods, those of the types it embeds included."""
        known = self._methods.get(place)
        if known is not None or depth > _DEEPEST:
            return known or frozenset()
        space, slot = place
        query = (
            "SELECT DISTINCT s.name FROM slot t JOIN symbol s ON s.slot=t.id"
            " WHERE t.space=? AND t.name>? AND t.name<? AND s.kind='method'"
        )
        rows = self._db.execute(query, (space, f"{slot}.", f"{slot}/")).fetchall()
        found = {name for (name,) in rows}
        query = (
            "SELECT DISTINCT t.space, t.name FROM edge e JOIN part p ON e.part=p.id"
            " JOIN file f ON p.file=f.id JOIN slot t ON e.slot=t.id"
            " WHERE f.space=? AND e.source=? AND e.kind='base'"
        )
        for embedded in self._db.execute(query, (space, slot)).fetchall():
            if embedded != place:
                found |= self._all_methods(embedded, depth + 1)
        methods = frozenset(found)
        if not depth:
            self._methods[place] = methods
        return methods
