"""Texts by key in a small sqlite file outside of the repository. Losing it costs time, never truth."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from aoci_agent.base.database import connect

WAITS = 5.0  # seconds for another process to finish writing
_CHUNK = 500
_BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED))


class CachedTexts:
    """Nothing is kept where the folder cannot be written; a damaged file is dropped."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self, keys: Iterable[str]) -> dict[str, str]:
        """The known ones among these keys."""
        wanted = list(keys)
        found: dict[str, str] = {}
        if not wanted or not self._file.exists():
            return found
        try:
            with closing(self._connect()) as base:
                for start in range(0, len(wanted), _CHUNK):
                    part = wanted[start : start + _CHUNK]
                    marks = ",".join("?" * len(part))
                    found.update(
                        base.execute(f"SELECT key, data FROM cached WHERE key IN ({marks})", part)
                    )
        except sqlite3.Error as error:
            self._failed(error)
        return found

    def store(self, items: Mapping[str, str]) -> None:
        """Add texts; a cache that cannot be written is no error."""
        if not items:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(self._connect()) as base:
                base.execute("CREATE TABLE IF NOT EXISTS cached (key TEXT PRIMARY KEY, data TEXT)")
                base.executemany("INSERT OR REPLACE INTO cached VALUES (?, ?)", items.items())
                base.commit()
        except sqlite3.Error as error:
            self._failed(error)
        except OSError:
            return

    def keep_only(self, keys: Iterable[str], slack: int = 20_000) -> None:
        """Drop everything else once the file holds more than `slack` rows."""
        try:
            with closing(self._connect()) as base:
                if base.execute("SELECT COUNT(*) FROM cached").fetchone()[0] <= slack:
                    return
                live = set(keys)
                dead = [
                    (key,) for (key,) in base.execute("SELECT key FROM cached") if key not in live
                ]
                base.executemany("DELETE FROM cached WHERE key = ?", dead)
                base.commit()
        except (sqlite3.Error, OSError):
            return

    def forget(self) -> None:
        """Drop everything."""
        try:
            self._file.unlink(missing_ok=True)
        except OSError:
            return

    def _connect(self) -> sqlite3.Connection:
        return connect(self._file, waits=WAITS, isolation="DEFERRED")

    def _failed(self, error: sqlite3.Error) -> None:
        """What another process is writing is not damaged."""
        if getattr(error, "sqlite_errorcode", 0) not in _BUSY:
            self.forget()
