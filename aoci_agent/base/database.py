"""Opening sqlite files that somebody else may have written or damaged."""

import sqlite3
from pathlib import Path
from typing import Literal


def connect(
    file: str | Path,
    *,
    waits: float = 5.0,
    isolation: Literal["DEFERRED"] | None = None,
    threads: bool = False,
    uri: bool = False,
) -> sqlite3.Connection:
    """A connection on which what the schema holds calls no function that could do harm.

    `waits` are seconds for another process that writes. Without `isolation` there is a transaction
    only where one is begun; `threads` lets several of them use it. Raises sqlite3.Error.
    """
    base = sqlite3.connect(
        file, timeout=waits, isolation_level=isolation, check_same_thread=not threads, uri=uri
    )
    try:
        base.execute("PRAGMA trusted_schema = OFF")
        base.execute("PRAGMA cell_size_check = ON")
    except BaseException:
        base.close()
        raise
    return base
