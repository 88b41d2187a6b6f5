"""What parts depend on, in SQLite: keys with what they lead to, and the files that consulted them."""

import sqlite3
from collections.abc import Iterable, Iterator

from aoci_agent.views.graph.tables import Key


class Keys:
    """The keys of one store."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def row(self, key: Key) -> int | None:
        """The row of a known key."""
        query = "SELECT id FROM key WHERE kind=? AND place=? AND name=? AND language=?"
        found = self._db.execute(query, key).fetchone()
        return int(found[0]) if found else None

    def put(self, key: Key, value: str) -> int:
        """A new key with what it leads to."""
        query = "INSERT INTO key (kind, place, name, language, value) VALUES (?,?,?,?,?)"
        return int(self._db.execute(query, (*key, value)).lastrowid or 0)

    def watch(self, file: int, keys: Iterable[int]) -> None:
        """The keys parts of a file depend on, in place of the former ones."""
        self._db.execute("DELETE FROM watch WHERE file=?", (file,))
        rows = [(key, file) for key in keys]
        self._db.executemany("INSERT INTO watch VALUES (?,?)", rows)

    def of_spaces(self, spaces: Iterable[str]) -> Iterator[tuple[int, Key, str]]:
        """Every slot key of these spaces, with its value."""
        query = (
            "SELECT id, kind, place, name, language, value FROM key WHERE place=? AND kind='slot'"
        )
        for space in spaces:
            for number, *key, value in self._db.execute(query, (space,)).fetchall():
                yield number, Key(*key), value

    def of_finders(self) -> Iterator[tuple[int, Key, str]]:
        """Every key whose value depends on the set of files."""
        query = "SELECT id, kind, place, name, language, value FROM key WHERE kind NOT IN ('slot', 'homes')"
        for number, *key, value in self._db.execute(query).fetchall():
            yield number, Key(*key), value

    def of_stars(self) -> Iterator[tuple[int, Key, str]]:
        """Every key of what a file sees."""
        query = "SELECT id, kind, place, name, language, value FROM key WHERE kind='sees'"
        for number, *key, value in self._db.execute(query).fetchall():
            yield number, Key(*key), value

    def of_homes(self, slots: Iterable[str]) -> Iterator[tuple[int, Key, str]]:
        """Every key of where one of these slots is defined."""
        query = (
            "SELECT id, kind, place, name, language, value FROM key"
            " WHERE place='' AND kind='homes' AND name=?"
        )
        for slot in slots:
            for number, *key, value in self._db.execute(query, (slot,)).fetchall():
                yield number, Key(*key), value

    def change(self, number: int, value: str) -> None:
        """A key leads to something else now."""
        self._db.execute("UPDATE key SET value=? WHERE id=?", (value, number))

    def watchers(self, keys: Iterable[int]) -> set[int]:
        """Files with parts that depend on any of these keys."""
        query = "SELECT file FROM watch WHERE key=?"
        return {row[0] for key in keys for row in self._db.execute(query, (key,)).fetchall()}
