"""Facts by content hash, outside the repository. Losing it costs time, never truth."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from aoci_agent.aoci.facts.model import VERSION, Facts, from_record, to_record

_CHUNK = 500


class FactsCache:
    """A small sqlite file; nothing where the folder cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / f"facts-{VERSION}.sqlite"

    def load(self, keys: Iterable[str]) -> dict[str, Facts]:
        """The known ones among these keys."""
        wanted = list(keys)
        found: dict[str, Facts] = {}
        if not wanted or not self._file.exists():
            return found
        try:
            with closing(self._connect()) as base:
                for start in range(0, len(wanted), _CHUNK):
                    part = wanted[start : start + _CHUNK]
                    marks = ",".join("?" * len(part))
                    rows = base.execute(f"SELECT key, data FROM facts WHERE key IN ({marks})", part)
                    found.update((key, from_record(json.loads(data))) for key, data in rows)
        except (sqlite3.Error, ValueError, KeyError, TypeError):
            self._forget()
        return found

    def store(self, items: Mapping[str, Facts]) -> None:
        """Add facts; a cache that cannot be written is no error."""
        if not items:
            return
        rows = [
            (key, json.dumps(to_record(facts), ensure_ascii=False, separators=(",", ":")))
            for key, facts in items.items()
        ]
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(self._connect()) as base:
                base.execute("CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, data TEXT)")
                base.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)
                base.commit()
        except sqlite3.Error:
            self._forget()
        except OSError:
            return

    def keep_only(self, keys: Iterable[str], slack: int = 20_000) -> None:
        """Drop everything else once the file holds more than `slack` rows."""
        try:
            with closing(self._connect()) as base:
                if base.execute("SELECT COUNT(*) FROM facts").fetchone()[0] <= slack:
                    return
                live = set(keys)
                dead = [
                    (key,) for (key,) in base.execute("SELECT key FROM facts") if key not in live
                ]
                base.executemany("DELETE FROM facts WHERE key = ?", dead)
                base.commit()
        except (sqlite3.Error, OSError):
            return

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=5)

    def _forget(self) -> None:
        try:
            self._file.unlink(missing_ok=True)
        except OSError:
            return
