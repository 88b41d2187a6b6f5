"""Where snapshots are kept: one SQLite file of objects by content, and the moments that use them.

A transaction makes a snapshot whole or not there, also after `kill -9`; the file is in WAL mode
without a flush to disk at every commit, so a power cut may cost the newest moments and nothing
else. Every object is checked against its name when it is read.
"""

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from aoci_agent.base.database import connect
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.locks import opened, tried, wait
from aoci_agent.base.snapshots.gitdir import private_folder
from aoci_agent.base.snapshots.trees import ID

VERSION = 1
_BATCH = 64_000_000  # bytes after which what was written is committed, to keep the log small
_SCHEMA = """
CREATE TABLE IF NOT EXISTS object(id BLOB PRIMARY KEY, data BLOB);
CREATE TABLE IF NOT EXISTS seen(path BLOB PRIMARY KEY, stamp BLOB, id BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS moment(
    number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT, kind TEXT, turn INTEGER, label TEXT,
    at REAL, tree BLOB, git BLOB, tree_after BLOB, git_after BLOB);
CREATE INDEX IF NOT EXISTS moments ON moment(session, number);
"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state of the folder: the object of its tree, and of git's own small files beside it."""

    tree: bytes
    git: bytes


@dataclass(frozen=True, slots=True)
class Moment:
    """A point of a session that a snapshot was taken for. `after` is None while it is not over."""

    number: int
    session: str
    kind: Literal["turn", "call", "rewind"]
    turn: int  # which question of the session, from 1
    label: str  # the prompt's first words, the call's id, or what was rewound to
    at: float  # seconds since 1970
    before: Snapshot
    after: Snapshot | None


class Store:
    """The objects and moments of one folder. Methods raise OSError or sqlite3.Error.

    One process may have it open in several threads, and several processes at once; only a process
    that is alone removes anything.
    """

    def __init__(self, folder: Path) -> None:
        """Open or create. A damaged file is put aside (`.bad`) and a new one begun."""
        private_folder(folder)
        self.folder = folder
        self.damaged = False
        self._mutex = threading.RLock()
        self._lock = opened(folder / "lock")
        try:
            wait(self._lock, shared=True)
            self._db = self._opened(folder / "snapshots.db")
        except BaseException:
            os.close(self._lock)
            raise
        self.added = 0  # bytes of objects, as they are kept, since it was opened
        self._uncommitted = 0

    def _opened(self, file: Path) -> sqlite3.Connection:
        try:
            return _connected(file)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self.damaged = True
            for end in ("-wal", "-shm"):
                file.with_name(file.name + end).unlink(missing_ok=True)
            file.replace(file.with_suffix(".bad"))
            return _connected(file)

    def close(self) -> None:
        """Release the file."""
        with self._mutex:
            if self._lock >= 0:
                self._db.close()
                os.close(self._lock)
                self._lock = -1

    @contextmanager
    def writing(self) -> Generator[None]:
        """One transaction; what raises in it undoes it. Nested ones are part of the outer one."""
        with self._mutex:
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # -- objects ----------------------------------------------------------------------------------

    def add(self, data: bytes) -> bytes:
        """Keep these bytes, unless they are; their name."""
        name = blake2b(data, digest_size=ID).digest()
        with self._mutex:
            if not self.has(name):
                packed = zlib.compress(data, 1)
                self._db.execute("INSERT INTO object VALUES(?, ?)", (name, packed))
                self.added += len(packed)
                self._uncommitted += len(packed)
                if self._uncommitted > _BATCH and self._db.in_transaction:
                    self._uncommitted = 0
                    self._db.execute("COMMIT")
                    self._db.execute("BEGIN IMMEDIATE")
        return name

    def has(self, name: bytes) -> bool:
        """Whether an object is kept."""
        with self._mutex:
            found = self._db.execute("SELECT 1 FROM object WHERE id = ?", (name,))
            return found.fetchone() is not None

    def get(self, name: bytes) -> bytes:
        """The bytes of an object. Raises NotPossible when it is gone or damaged."""
        with self._mutex:
            found = self._db.execute("SELECT data FROM object WHERE id = ?", (name,)).fetchone()
        if found is None:
            raise NotPossible(
                "this state is no longer kept: older snapshots make room for new ones"
            )
        try:
            data = zlib.decompress(found[0])
        except zlib.error:
            data = b""
        if blake2b(data, digest_size=ID).digest() != name:
            raise NotPossible("this state cannot be read any more: its snapshot is damaged")
        return data

    # -- moments ----------------------------------------------------------------------------------

    def begin(
        self,
        session: str,
        kind: Literal["turn", "call", "rewind"],
        turn: int,
        label: str,
        before: Snapshot,
    ) -> int:
        """Write down a moment before it happens; its number."""
        values = (session, kind, turn, label, time.time(), before.tree, before.git)
        with self.writing():
            made = self._db.execute(
                "INSERT INTO moment(session, kind, turn, label, at, tree, git) "
                "VALUES(?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            return made.lastrowid or 0

    def end(self, number: int, after: Snapshot, label: str | None = None) -> None:
        """Write down what it came to, and a new label if there is one."""
        with self.writing():
            self._db.execute(
                "UPDATE moment SET tree_after = ?, git_after = ?, label = coalesce(?, label) "
                "WHERE number = ?",
                (after.tree, after.git, label, number),
            )

    def moments(self, session: str | None = None) -> list[Moment]:
        """The moments of a session, or all, oldest first."""
        where, values = ("WHERE session = ?", (session,)) if session is not None else ("", ())
        with self._mutex:
            rows = self._db.execute(
                "SELECT number, session, kind, turn, label, at, tree, git, tree_after, git_after "
                f"FROM moment {where} ORDER BY number",
                values,
            ).fetchall()
        return [_moment(*row) for row in rows]

    # -- what was seen ----------------------------------------------------------------------------

    def seen(self) -> dict[str, tuple[bytes, bytes]]:
        """Stamp and object of every file whose object is kept, by path."""
        with self._mutex:
            rows = self._db.execute("SELECT path, stamp, id FROM seen JOIN object USING(id)")
            return {os.fsdecode(path): (stamp, name) for path, stamp, name in rows}

    def saw(self, rows: dict[str, tuple[bytes, bytes]]) -> None:
        """Remember the stamps of files."""
        with self.writing():
            self._db.executemany(
                "INSERT OR REPLACE INTO seen VALUES(?, ?, ?)",
                ((os.fsencode(path), stamp, name) for path, (stamp, name) in rows.items()),
            )

    # -- room -------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Bytes of the file in use, what is being written included."""
        with self._mutex:
            pages, free = (
                self._db.execute(f"PRAGMA {what}").fetchone()[0]
                for what in ("page_count", "freelist_count")
            )
            return (pages - free) * self._db.execute("PRAGMA page_size").fetchone()[0]

    @contextmanager
    def alone(self) -> Generator[bool]:
        """Whether no other process has the store open, which stays so for the time being."""
        with self._mutex:
            try:
                yield tried(self._lock)
            finally:
                wait(self._lock, shared=True)

    def drop_moments(self, numbers: list[int]) -> None:
        """Forget these moments; their objects stay until `keep_only`."""
        with self.writing():
            rows = ((number,) for number in numbers)
            self._db.executemany("DELETE FROM moment WHERE number = ?", rows)

    def keep_only(self, names: set[bytes]) -> None:
        """Remove all other objects, and give their room back to the disk."""
        with self.writing():
            here = [row[0] for row in self._db.execute("SELECT id FROM object")]
            gone = ((name,) for name in here if name not in names)
            self._db.executemany("DELETE FROM object WHERE id = ?", gone)
            self._db.execute("DELETE FROM seen WHERE id NOT IN (SELECT id FROM object)")
        with self._mutex:
            self._db.execute("PRAGMA incremental_vacuum").fetchall()
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _moment(
    number: int,
    session: str,
    kind: Literal["turn", "call", "rewind"],
    turn: int,
    label: str,
    at: float,
    *trees: bytes,
) -> Moment:
    after = Snapshot(*trees[2:]) if trees[2] else None
    return Moment(number, session, kind, turn, label, at, Snapshot(*trees[:2]), after)


def _connected(file: Path) -> sqlite3.Connection:
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    db = connect(file, waits=20.0, threads=True)
    try:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL").fetchall()
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA journal_size_limit = 1000000").fetchall()
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise sqlite3.DatabaseError(f"written by another version ({version})")
        db.executescript(_SCHEMA)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("SELECT count(*) FROM moment").fetchone()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except BaseException:
        db.close()
        raise
    return db
