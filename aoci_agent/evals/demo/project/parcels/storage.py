"""The SQLite file: tables, rows and nothing else."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY,
    customer TEXT NOT NULL,
    name TEXT NOT NULL, city TEXT NOT NULL, country TEXT NOT NULL,
    service TEXT NOT NULL,
    dispatched INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS parcels (
    order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    label TEXT NOT NULL, weight_grams INTEGER NOT NULL,
    length INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
    fragile INTEGER NOT NULL,
    PRIMARY KEY (order_id, position)
);
"""


class Storage:
    """An open database; `:memory:` keeps it off the disk."""

    def __init__(self, path: Path | str = ":memory:") -> None:
        self._connection = sqlite3.connect(path)
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.executescript(SCHEMA)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()

    def write(self, statements: Iterable[tuple[str, tuple[object, ...]]]) -> None:
        """Run all statements, or none of them."""
        with self._connection:
            for statement, values in statements:
                self._connection.execute(statement, values)

    def close(self) -> None:
        self._connection.close()
