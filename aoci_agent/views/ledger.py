"""What the views cost: seconds and bytes of every build, load, update and query, kept in the cache.

The projection is CodeNib's lifecycle account: what one session pays when n of them share a build,
each loading for itself (process-isolated) or all served by one process (resident).
"""

import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, cast

from aoci_agent.base.replace import atomic_write

WHATS = ("build", "load", "update", "query", "save")
SESSIONS = (1, 5, 20, 100)
# What a session asks for, where the ledger does not know better.
QUERIES = 20
UPDATES = 10
_MAX_BYTES = 200_000
_NAME = "ledger.jsonl"


class Cost(NamedTuple):
    """One measured step of one view. `bytes` are those on disk, `files` those derived anew."""

    view: str
    what: str
    seconds: float
    bytes: int = 0
    files: int = 0


class Projection(NamedTuple):
    """Seconds one session pays when `sessions` of them share a build."""

    sessions: int
    isolated: float
    resident: float


@dataclass
class Ledger:
    """Costs of this process, added to those of earlier ones when it is written."""

    folder: Path
    new: list[Cost] = field(default_factory=list[Cost])

    def note(self, cost: Cost) -> None:
        """Keep one cost until the next `write`."""
        self.new.append(cost)

    def write(self) -> None:
        """Append what is new; the older half goes when the file is full. Raises OSError."""
        if not self.new:
            return
        now = int(time.time())
        rows = [json.dumps({"at": now, **cost._asdict()}) for cost in _summed(self.new)]
        data = "".join(f"{row}\n" for row in rows).encode()
        path = self.folder / _NAME
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size + len(data) > _MAX_BYTES:
            lines = path.read_bytes().splitlines(keepends=True)
            atomic_write(path, b"".join(lines[len(lines) // 2 :]) + data)
        else:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            descriptor = os.open(path, flags, 0o600)
            try:
                os.write(descriptor, data)
            finally:
                os.close(descriptor)
        self.new.clear()

    def read(self) -> list[Cost]:
        """All costs known, oldest first; lines that make no sense are passed over."""
        found: list[Cost] = []
        with suppress(OSError):
            for line in (self.folder / _NAME).read_bytes()[-2 * _MAX_BYTES :].splitlines():
                cost = _parsed(line)
                if cost is not None:
                    found.append(cost)
        return [*found, *self.new]


def _summed(costs: Iterable[Cost]) -> list[Cost]:
    """Queries of a process as one line each view: their median; everything else as it is."""
    queries: dict[str, list[Cost]] = {}
    kept: list[Cost] = []
    for cost in costs:
        if cost.what == "query":
            queries.setdefault(cost.view, []).append(cost)
        else:
            kept.append(cost)
    return kept + [
        Cost(view, "query", round(median(cost.seconds for cost in asked), 6))
        for view, asked in queries.items()
    ]


def _parsed(line: bytes) -> Cost | None:
    try:
        row: Any = json.loads(line)
        values = cast("dict[str, Any]", row)
        cost = Cost(
            str(values["view"]),
            str(values["what"]),
            float(values["seconds"]),
            int(values["bytes"]),
            int(values["files"]),
        )
    except (ValueError, KeyError, TypeError):
        return None
    return cost if cost.what in WHATS and cost.seconds >= 0 else None


def medians(costs: Iterable[Cost]) -> dict[str, dict[str, float]]:
    """View -> what -> median seconds."""
    by_kind: dict[tuple[str, str], list[float]] = {}
    for cost in costs:
        by_kind.setdefault((cost.view, cost.what), []).append(cost.seconds)
    found: dict[str, dict[str, float]] = {}
    for (view, what), seconds in sorted(by_kind.items()):
        found.setdefault(view, {})[what] = median(seconds)
    return found


def projected(
    seconds: Mapping[str, float], queries: int = QUERIES, updates: int = UPDATES
) -> list[Projection]:
    """Per-session cost of one view from its median seconds by `what`."""
    build, load = seconds.get("build", 0.0), seconds.get("load", 0.0)
    serve = queries * seconds.get("query", 0.0) + updates * seconds.get("update", 0.0)
    return [
        Projection(count, build / count + load + serve, (build + load) / count + serve)
        for count in SESSIONS
    ]
