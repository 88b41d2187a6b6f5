"""Vectors by content, in one file for every repository and generation below a cache folder.

Losing the file costs time, never truth: whatever is missing or damaged is embedded again.
"""

import hashlib
import sqlite3
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.base.database import connect
from aoci_agent.views.dense.arrays import packed, unpacked

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors

_FILE = "vectors-1.sqlite"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS vectors"
    " (key BLOB PRIMARY KEY, day INTEGER NOT NULL, vector BLOB NOT NULL)"
)
_CHUNK = 500
_DAY = 86_400
_CHECK_BYTES = 4
_PATIENCE = 10.0  # seconds to wait for another process that writes

Key = bytes
KEY_BYTES = 16


def key_of(model: str, text: str) -> Key:
    """What a text's vector is kept under: 16 bytes of the model's name and the text."""
    told = model.encode() + b"\0" + text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, digest_size=KEY_BYTES).digest()


class VectorCache:
    """An sqlite file that several processes may use at once; nothing where it cannot be written."""

    def __init__(self, folder: Path | None) -> None:
        """Below `folder`, which need not exist; None keeps nothing."""
        self._file = None if folder is None else folder / _FILE
        self.problem = ""  # why it could not be read or written, for people

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self._file.stat().st_size if self._file is not None and self._file.exists() else 0

    def load(self, keys: Iterable[Key], dimensions: int) -> "dict[Key, Vectors]":
        """The known ones among the keys, one row each."""
        wanted = list(dict.fromkeys(keys))
        found: dict[Key, Vectors] = {}
        if not wanted or not self.size:
            return found
        today = _today()

        def work(base: sqlite3.Connection) -> None:
            old: list[tuple[int, Key]] = []
            for start in range(0, len(wanted), _CHUNK):
                part = wanted[start : start + _CHUNK]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, day, vector FROM vectors WHERE key IN ({marks})"
                rows = [
                    (key, day, data)
                    for key, day, blob in base.execute(query, part)
                    if (data := _opened(key, blob, dimensions))
                ]
                vectors = unpacked(b"".join(data for _, _, data in rows), dimensions)
                found.update((row[0], vectors[at : at + 1]) for at, row in enumerate(rows))
                old += [(today, key) for key, day, _ in rows if day < today]
            if old:
                base.executemany("UPDATE vectors SET day = ? WHERE key = ?", old)

        self._in_base(work)
        return found

    def store(self, keys: Sequence[Key], vectors: "Vectors") -> None:
        """Keep one row a key, at once and for good."""
        if not keys:
            return
        today = _today()
        data = packed(vectors)
        size = len(data) // len(keys)
        parts = (data[at : at + size] for at in range(0, len(data), size))
        rows = [(key, today, _sealed(key, part)) for key, part in zip(keys, parts, strict=True)]
        self._in_base(
            lambda base: base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        )

    def prune(self, live: Collection[Key], unused_days: int = 30) -> int:
        """Drop what is not live and was last asked for that many days ago; how many.

        The days are for what other repositories and running builders use.
        """
        dead: list[tuple[Key]] = []
        if not self.size:
            return 0

        def work(base: sqlite3.Connection) -> None:
            last = (_today() - unused_days,)
            rows = base.execute("SELECT key FROM vectors WHERE day <= ?", last)
            dead.extend((key,) for (key,) in rows if key not in live)
            base.executemany("DELETE FROM vectors WHERE key = ?", dead)

        self._in_base(work)
        return len(dead)

    def _in_base(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Run `work` in one transaction. What cannot be used is passed over or set aside, and said."""
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(connect(self._file, waits=_PATIENCE, isolation="DEFERRED")) as base, base:
                # A power failure may damage the file, which shows and costs time; a killed process not.
                base.execute("PRAGMA synchronous=OFF")
                base.execute(_TABLE)
                work(base)
        except sqlite3.OperationalError as error:  # locked, full, read-only
            self.problem = f"{self._file.name}: {error}"
        except sqlite3.DatabaseError as error:
            self.problem = f"{self._file.name} is damaged and made anew: {error}"
            for ending in ("", "-wal", "-shm"):
                self._file.with_name(self._file.name + ending).unlink(missing_ok=True)
        except OSError as error:
            self.problem = f"{self._file.name}: {error.strerror}"


def _today() -> int:
    return int(time.time()) // _DAY


def _sealed(key: Key, data: bytes) -> bytes:
    return zlib.crc32(data, zlib.crc32(key)).to_bytes(_CHECK_BYTES, "little") + data


def _opened(key: Key, blob: bytes, dimensions: int) -> bytes:
    """The vector in a stored row; nothing where the row is damaged."""
    data = blob[_CHECK_BYTES:]
    whole = len(data) == 2 * dimensions and _sealed(key, data) == blob
    return data if whole else b""
