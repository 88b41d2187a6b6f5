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

    def put(self, key: Key, value: str, clue: str | None) -> int:
        """A new key with what it leads to, and its clue (see `model.Finder`)."""
        query = "INSERT INTO key (kind, place, name, language, value, clue) VALUES (?,?,?,?,?,?)"
        return int(self._db.execute(query, (*key, value, clue)).lastrowid or 0)

    def watch(self, file: int, keys: Iterable[int]) -> None:
        """The keys parts of a file depend on, in place of the former ones."""
        self._db.execute("DELETE FROM watch WHERE file=?", (file,))
        rows = [(key, file) for key in keys]
        self._db.executemany("INSERT INTO watch VALUES (?,?)", rows)

    def of_spaces(self, spaces: Iterable[str]) -> Iterator[tuple[int, Key, str]]:
        """Every slot key of these spaces, with its value."""
        for space in spaces:
            yield from self._where("place=? AND kind='slot'", space)

    def of_finder(self, language: str) -> Iterator[tuple[int, Key, str]]:
        """Every key of a language whose value depends on the set of files."""
        yield from self._where("language=? AND kind NOT IN ('slot', 'homes')", language)

    def of_clues(self, language: str, clues: Iterable[str]) -> Iterator[tuple[int, Key, str]]:
        """Those of them that have one of these clues."""
        for clue in clues:
            yield from self._where("language=? AND clue=?", language, clue)

    def seen_from(self, places: Iterable[str]) -> Iterator[tuple[int, Key, str]]:
        """Every key of where these files lead, of whatever kind."""
        for place in places:
            yield from self._where("place=? AND kind NOT IN ('slot', 'homes')", place)

    def of_stars(self, language: str) -> Iterator[tuple[int, Key, str]]:
        """Every key of what a file of a language sees."""
        yield from self._where("kind='sees' AND language=?", language)

    def of_homes(self, slots: Iterable[str]) -> Iterator[tuple[int, Key, str]]:
        """Every key of where one of these slots is defined."""
        for slot in slots:
            yield from self._where("place='' AND kind='homes' AND name=?", slot)

    def change(self, number: int, value: str) -> None:
        """A key leads to something else now."""
        self._db.execute("UPDATE key SET value=? WHERE id=?", (value, number))

    def watchers(self, keys: Iterable[int]) -> set[int]:
        """Files with parts that depend on any of these keys."""
        query = "SELECT file FROM watch WHERE key=?"
        return {row[0] for key in keys for row in self._db.execute(query, (key,)).fetchall()}

    def _where(self, condition: str, *values: str) -> Iterator[tuple[int, Key, str]]:
        query = f"SELECT id, kind, place, name, language, value FROM key WHERE {condition}"
        for number, *key, value in self._db.execute(query, values).fetchall():
            yield number, Key(*key), value
