"""The graph in SQLite: files, symbols, parts with their uses, edges, and what each part depends on."""

import shutil
import sqlite3
import tempfile
import weakref
from array import array
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

from aoci_agent.base.database import connect
from aoci_agent.views.graph.keys import Keys
from aoci_agent.views.graph.model import Defined, FileFacts, Part
from aoci_agent.views.graph.records import (
    pack_face,
    pack_parts,
    packed,
    unpack_face,
    unpack_parts,
    unpacked,
)
from aoci_agent.views.graph.tables import Face

SCHEMA = 3
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, content TEXT, language TEXT,
  space TEXT, face BLOB, parts BLOB);
CREATE INDEX file_space ON file (space);
CREATE INDEX file_named ON file (path, language, space);
CREATE TABLE symbol (file INTEGER, slot INTEGER, name TEXT, qualified TEXT, kind TEXT, start INTEGER,
  end INTEGER, line INTEGER, column INTEGER, signature TEXT, doc TEXT);
CREATE INDEX symbol_file ON symbol (file);
CREATE INDEX symbol_slot ON symbol (slot);
CREATE INDEX symbol_name ON symbol (name COLLATE NOCASE);
CREATE TABLE slot (id INTEGER PRIMARY KEY, space TEXT, name TEXT, UNIQUE (space, name));
CREATE INDEX slot_name ON slot (name);
CREATE TABLE offer (file INTEGER, slot TEXT, PRIMARY KEY (file, slot)) WITHOUT ROWID;
CREATE INDEX offer_slot ON offer (slot);
CREATE TABLE star (file INTEGER, number INTEGER, module TEXT, clue TEXT, PRIMARY KEY (file, number))
  WITHOUT ROWID;
CREATE INDEX star_clue ON star (clue) WHERE clue IS NOT NULL;
CREATE TABLE part (id INTEGER PRIMARY KEY, file INTEGER, name TEXT, start INTEGER, end INTEGER,
  meaning TEXT, uses BLOB, keys BLOB);
CREATE INDEX part_file ON part (file);
CREATE TABLE edge (slot INTEGER, part INTEGER, source TEXT, kind TEXT, count INTEGER,
  PRIMARY KEY (slot, part, source, kind)) WITHOUT ROWID;
CREATE INDEX edge_part ON edge (part);
CREATE TABLE key (id INTEGER PRIMARY KEY, kind TEXT, place TEXT, name TEXT, language TEXT, value TEXT,
  clue TEXT, UNIQUE (place, name, kind, language));
CREATE INDEX key_clue ON key (language, clue) WHERE clue IS NOT NULL;
CREATE INDEX key_sees ON key (language) WHERE kind='sees';
CREATE TABLE watch (key INTEGER, file INTEGER, PRIMARY KEY (key, file)) WITHOUT ROWID;
CREATE INDEX watch_file ON watch (file);
"""

Targets = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]  # slots; places of local bindings


class Resolved(NamedTuple):
    """A use as stored; lines count from 0 at the start of its part."""

    line: int
    column: int
    length: int
    kind: str
    source: str
    slots: tuple[int, ...]
    local: tuple[tuple[int, int], ...]


class StoredPart(NamedTuple):
    """A part as stored."""

    id: int
    file: int
    name: str
    start: int
    end: int
    meaning: str
    uses: tuple[Resolved, ...]
    keys: tuple[int, ...]


class StoredSymbol(NamedTuple):
    """What an update compares of a symbol."""

    qualified: str
    kind: str
    start: int
    said: str


class Store:
    """One graph. Not shared between threads."""

    def __init__(self, connection: sqlite3.Connection | None = None) -> None:
        """A new private one, or one over a database that has the tables."""
        self.db = connection or connect("", threads=True)
        if connection is None:
            self.db.executescript(f"PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; {_TABLES}")
            self.db.execute("INSERT INTO meta VALUES ('schema', ?)", (str(SCHEMA),))
        self.keys = Keys(self.db)
        self._slots: dict[tuple[str, str], int] = {}
        self._files: dict[str, tuple[int, str, str]] | None = None  # row, language, space

    @classmethod
    def opened(cls, path: Path) -> "Store":
        """A stored graph, read only. Raises ValueError for what is none of this schema."""
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        connection = connect(address, threads=True, uri=True)
        try:
            found = connection.execute("SELECT value FROM meta WHERE name='schema'").fetchone()
        except sqlite3.DatabaseError as error:
            raise ValueError(f"not a graph: {error}") from error
        if found is None or found[0] != str(SCHEMA):
            raise ValueError("a graph of another version")
        return cls(connection)

    def copied(self) -> "Store":
        """A private copy that may be changed."""
        (path,) = [row[2] for row in self.db.execute("PRAGMA database_list")]
        if not path:
            connection = connect("", threads=True)
            self.db.backup(connection)
            return Store(connection)
        folder = Path(tempfile.mkdtemp(prefix="aoci-graph-"))
        copy = shutil.copyfile(path, folder / "graph.db")
        connection = connect(copy, threads=True)
        connection.executescript("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;")
        store = Store(connection)
        weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
        return store

    def write(self, path: Path) -> None:
        """The whole graph as one file that must not exist."""
        self.db.execute("VACUUM INTO ?", (str(path),))

    @contextmanager
    def changing(self) -> Generator[None]:
        """One transaction: all of a change or nothing of it."""
        self.db.execute("BEGIN")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            self._slots.clear()
            self._files = None
            raise
        self.db.execute("COMMIT")

    def canonical(self) -> Iterator[tuple[object, ...]]:
        """Everything that answers depend on, without numbers that depend on history."""
        names = {row[0]: row[1:] for row in self.db.execute("SELECT id, space, name FROM slot")}
        for number, *file in self.files():
            yield tuple(file)
            query = "SELECT * FROM symbol WHERE file=?"
            symbols = self.db.execute(query, (number,)).fetchall()
            yield from sorted(((names[slot], *row) for _, slot, *row in symbols), key=repr)
            uses: list[tuple[object, ...]] = []
            for part in self.parts(number):
                uses += [
                    (
                        part.start + use.line, *use[1:5],
                        sorted(names[slot] for slot in use.slots),
                        sorted((part.start + line, column) for line, column in use.local),
                    )
                    for use in part.uses
                ]  # fmt: skip
            yield from sorted(uses, key=repr)

    # files

    def put_file(
        self, path: str, content: str, facts: FileFacts, clues: Sequence[str | None]
    ) -> int:
        """A file with its facts and symbols, new or in place of what it was; `clues` of its stars."""
        found = self.db.execute("SELECT id FROM file WHERE path=?", (path,)).fetchone()
        blobs = pack_face(facts), pack_parts(facts.parts)
        row = (path, content, facts.language, facts.space, *blobs)
        if found is None:
            names = "path, content, language, space, face, parts"
            made = self.db.execute(f"INSERT INTO file ({names}) VALUES (?,?,?,?,?,?)", row)
            number = int(made.lastrowid or 0)
        else:
            number = int(found[0])
            self.db.execute(
                "UPDATE file SET path=?, content=?, language=?, space=?, face=?, parts=? WHERE id=?",
                (*row, number),
            )
            self.db.execute("DELETE FROM symbol WHERE file=?", (number,))
            self.db.execute("DELETE FROM star WHERE file=?", (number,))
            self.db.execute("DELETE FROM offer WHERE file=?", (number,))
        if self._files is not None:
            self._files[path] = number, facts.language, facts.space
        self._put_symbols(number, facts.space, facts.defined)
        stars = zip(facts.stars, clues, strict=True)
        rows = [(number, place, *star) for place, star in enumerate(stars)]
        self.db.executemany("INSERT INTO star VALUES (?,?,?,?)", rows)
        offers = [(number, slot) for slot in facts.offers]
        self.db.executemany("INSERT OR IGNORE INTO offer VALUES (?,?)", offers)
        return number

    def _put_symbols(self, file: int, space: str, defined: Sequence[Defined]) -> None:
        rows = [(file, self.slot(space, item.slot), *item[1:]) for item in defined]
        self.db.executemany(f"INSERT INTO symbol VALUES ({','.join('?' * 11)})", rows)

    def drop_file(self, path: str) -> None:
        """Forget a file and everything found in it."""
        number = self.file_id(path)
        if number is not None:
            for part in self.db.execute("SELECT id FROM part WHERE file=?", (number,)).fetchall():
                self.drop_part(part[0])
            self.db.execute("DELETE FROM symbol WHERE file=?", (number,))
            self.db.execute("DELETE FROM star WHERE file=?", (number,))
            self.db.execute("DELETE FROM offer WHERE file=?", (number,))
            self.db.execute("DELETE FROM watch WHERE file=?", (number,))
            self.db.execute("DELETE FROM file WHERE id=?", (number,))
            if self._files is not None:
                del self._files[path]

    def file_id(self, path: str) -> int | None:
        """The row of a file."""
        found = self.db.execute("SELECT id FROM file WHERE path=?", (path,)).fetchone()
        return int(found[0]) if found else None

    def path_of(self, file: int) -> str:
        """The path of a row."""
        return str(self.db.execute("SELECT path FROM file WHERE id=?", (file,)).fetchone()[0])

    def symbols_of(self, file: int) -> list[StoredSymbol]:
        """The symbols of a file."""
        query = "SELECT qualified, kind, start, signature || doc || (end - start) FROM symbol WHERE file=?"
        return [StoredSymbol(*row) for row in self.db.execute(query, (file,)).fetchall()]

    def face(self, path: str) -> Face:
        """What the engine sees of a known file."""
        found = self.db.execute("SELECT face FROM file WHERE path=?", (path,)).fetchone()
        return unpack_face(path, found[0])

    def said(self, path: str) -> tuple[Part, ...]:
        """The parts of a known file as it says them, not resolved."""
        found = self.db.execute("SELECT parts FROM file WHERE path=?", (path,)).fetchone()
        return unpack_parts(found[0])

    def files(self) -> list[tuple[int, str, str, str]]:
        """Row, path, language and space of every file, in path order."""
        if self._files is None:
            query = "SELECT path, id, language, space FROM file ORDER BY path"
            self._files = {path: tuple(row) for path, *row in self.db.execute(query).fetchall()}
        known = self._files
        return [(known[path][0], path, *known[path][1:]) for path in sorted(known)]

    def space_of(self, path: str) -> str | None:
        """The space of a known file."""
        found = self.db.execute("SELECT space FROM file WHERE path=?", (path,)).fetchone()
        return str(found[0]) if found else None

    def stars(self, path: str) -> list[str]:
        """The modules a file sees whole, in its order."""
        query = (
            "SELECT module FROM star s JOIN file f ON s.file=f.id WHERE f.path=? ORDER BY number"
        )
        return [row[0] for row in self.db.execute(query, (path,)).fetchall()]

    def has_star(self, language: str, clues: Collection[str]) -> bool:
        """Whether a file of a language sees a module whole that has one of these clues."""
        query = (
            "SELECT 1 FROM star s JOIN file f ON s.file=f.id WHERE clue=? AND language=? LIMIT 1"
        )
        return any(self.db.execute(query, (clue, language)).fetchone() for clue in clues)

    def homes(self, slot: str, language: str) -> list[str]:
        """The spaces in which files of a language define a slot."""
        query = (
            "SELECT f.space FROM slot t JOIN symbol s ON s.slot=t.id JOIN file f ON s.file=f.id"
            " WHERE t.name=?1 AND f.language=?2 UNION SELECT f.space FROM offer o JOIN file f ON o.file=f.id"
            " WHERE o.slot=?1 AND f.language=?2 ORDER BY 1"
        )
        return [row[0] for row in self.db.execute(query, (slot, language)).fetchall()]

    def slots_of(self, path: str) -> set[str]:
        """The slots a file defines or offers."""
        query = (
            "SELECT t.name FROM file f JOIN symbol s ON s.file=f.id JOIN slot t ON s.slot=t.id"
            " WHERE f.path=?1 UNION SELECT o.slot FROM file f JOIN offer o ON o.file=f.id WHERE f.path=?1"
        )
        return {row[0] for row in self.db.execute(query, (path,)).fetchall()}

    # slots, parts and edges

    def slot(self, space: str, name: str) -> int:
        """The row of a slot, made where it is new."""
        known = self._slots.get((space, name))
        if known is None:
            self.db.execute("INSERT OR IGNORE INTO slot (space, name) VALUES (?,?)", (space, name))
            found = self.db.execute("SELECT id FROM slot WHERE space=? AND name=?", (space, name))
            known = self._slots[space, name] = int(found.fetchone()[0])
        return known

    def parts(self, file: int) -> Iterator[StoredPart]:
        """The parts of a file."""
        query = "SELECT id, file, name, start, end, meaning, uses, keys FROM part WHERE file=? ORDER BY id"
        for row in self.db.execute(query, (file,)).fetchall():
            yield _part(row)

    def part(self, number: int) -> StoredPart:
        """One part."""
        query = "SELECT id, file, name, start, end, meaning, uses, keys FROM part WHERE id=?"
        return _part(self.db.execute(query, (number,)).fetchone())

    def parts_at(self, path: str, line: int) -> list[StoredPart]:
        """The parts around a line, the innermost first."""
        query = (
            "SELECT p.id, p.file, p.name, p.start, p.end, meaning, uses, keys FROM part p JOIN file f"
            " ON p.file=f.id WHERE f.path=? AND p.start<=? AND p.end>=? ORDER BY p.end-p.start, p.id"
        )
        return [_part(row) for row in self.db.execute(query, (path, line, line)).fetchall()]

    def put_part(self, part: StoredPart) -> int:
        """A part with its edges; its own id 0 makes a new row."""
        uses = packed(part.uses)
        row = (part.file, part.name, part.start, part.end, part.meaning, uses, _packed(part.keys))
        if part.id:
            query = "UPDATE part SET file=?, name=?, start=?, end=?, meaning=?, uses=?, keys=? WHERE id=?"
            self.db.execute(query, (*row, part.id))
            self.db.execute("DELETE FROM edge WHERE part=?", (part.id,))
            number = part.id
        else:
            query = "INSERT INTO part (file, name, start, end, meaning, uses, keys) VALUES (?,?,?,?,?,?,?)"
            number = int(self.db.execute(query, row).lastrowid or 0)
        counts: dict[tuple[int, str, str], int] = {}
        for use in part.uses:
            for slot in use.slots:
                edge = (slot, use.source, use.kind)
                counts[edge] = counts.get(edge, 0) + 1
        rows = [(slot, number, source, kind, n) for (slot, source, kind), n in counts.items()]
        self.db.executemany("INSERT INTO edge VALUES (?,?,?,?,?)", rows)
        return number

    def move_part(self, part: StoredPart) -> None:
        """A part whose uses mean the same but stand elsewhere."""
        uses = packed(part.uses)
        query = "UPDATE part SET start=?, end=?, uses=? WHERE id=?"
        self.db.execute(query, (part.start, part.end, uses, part.id))

    def drop_part(self, number: int) -> None:
        """Forget a part and its edges."""
        self.db.execute("DELETE FROM edge WHERE part=?", (number,))
        self.db.execute("DELETE FROM part WHERE id=?", (number,))


def _part(row: tuple[int, int, str, int, int, str, bytes, bytes]) -> StoredPart:
    number, file, name, start, end, meaning, uses, keys = row
    found = [
        Resolved(place, column, length, kind, source, tuple(slots), tuple((a, b) for a, b in local))
        for place, column, length, kind, source, slots, local in cast("list[Any]", unpacked(uses))
    ]
    numbers = array("I")
    numbers.frombytes(keys)
    return StoredPart(number, file, name, start, end, meaning, tuple(found), tuple(numbers))


def _packed(keys: Sequence[int]) -> bytes:
    return array("I", keys).tobytes()
