"""How language servers do, for `doctor`: what they may use, and what they used."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from aoci_agent.base.files import atomic_write

FILE = "servers.json"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What language servers may use. Seconds and bytes."""

    servers: int = 2  # at the same time
    idle: float = 300.0
    memory: int = 2_000_000_000  # of one server with its children
    restarts: int = 3
    backoff: float = 1.0  # before the first restart; four times as long before each further one
    hung: float = 30.0  # of silence after an answer that did not come in time
    look: float = 1.0  # how often they are looked after
    overdue: float = 0.1  # how long to wait while an earlier answer is still to come


@dataclass(frozen=True, slots=True)
class Status:
    """How a server does. Memory in bytes, with its children; `late` counts answers not in time.

    `state` is off, starting, ready, waiting (to be started again) or failed; `why` is of the last fall.
    """

    name: str
    program: str = ""
    version: str = ""
    state: str = "off"
    why: str = ""
    pid: int = 0
    restarts: int = 0
    asked: int = 0
    late: int = 0
    memory: int = 0
    peak: int = 0
    start_seconds: float = 0.0


def keep(folder: Path, statuses: Sequence[Status]) -> None:
    """Write the statuses down for another process. Raises OSError."""
    text = json.dumps([asdict(status) for status in statuses], indent=1)
    atomic_write(folder / FILE, text.encode())


def kept(folder: Path) -> list[Status]:
    """The statuses that were written down last; none where there are none or they cannot be read."""
    try:
        rows: Any = json.loads((folder / FILE).read_bytes())
        return [status_of(row) for row in rows]
    except (OSError, ValueError, TypeError, AttributeError):
        return []


def status_of(row: Mapping[str, Any]) -> Status:
    """A status from its JSON; unknown keys are left out."""
    known = {field.name for field in fields(Status)}
    return Status(**{key: value for key, value in row.items() if key in known})
