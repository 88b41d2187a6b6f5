"""What exploring took in the user's own sessions without the index: read from their records."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from aoci_agent.agent.record import begins
from aoci_agent.agent.saving import OPENS, SEARCHES, Exploring

_NEWEST = 30  # records looked at
_LARGEST = 8_000_000  # bytes of a record that is looked at
_ENOUGH = 5  # exploring steps below which nothing is said to be measured


def explored_in(folder: Path) -> Exploring:
    """The means over the newest records of a repository whose steps were sent no index.

    An exploring step is one whose calls all search. What cannot be read is left out.
    """
    steps = tokens = files = sessions = 0
    for path in _newest(folder):
        looked, sent, opened = _session(path)
        if looked:
            steps, tokens, files = steps + looked, tokens + sent, files + opened
            sessions += 1
    if steps < _ENOUGH or not files:
        return Exploring()
    return Exploring(steps / files, tokens / steps, sessions)


def _newest(folder: Path) -> list[Path]:
    try:
        names = sorted((path for path in folder.iterdir() if path.suffix == ".jsonl"), reverse=True)
    except OSError:
        return []
    return names[:_NEWEST]


def _session(path: Path) -> tuple[int, int, int]:
    """Exploring steps, their tokens, and files opened, in calls without an index layer."""
    steps = tokens = 0
    opened: set[str] = set()
    size = 0
    calls: set[str] = set()
    for event in _events(path):
        if event["type"] == "StepFinished":
            size = _size(event)
            calls = set[str]()
            continue
        name = str(_of(event, "call").get("name"))
        if not size:
            continue
        if name in OPENS:
            result = _of(event, "result")
            paths = (*_list(result.get("read")), *_list(result.get("changed")))
            opened.update(one for one in paths if isinstance(one, str))
        if not calls and name in SEARCHES and name != "bash":
            steps, tokens = steps + 1, tokens + size
        elif calls and calls <= set(SEARCHES) and name not in SEARCHES:
            steps, tokens = steps - 1, tokens - size  # it did something else too
        calls.add(name)
    return steps, tokens, len(opened)


def _size(event: dict[str, Any]) -> int:
    """Tokens of a step; 0 when it was sent an index or cannot be read."""
    record = _of(event, "record")
    if any(
        str(name).startswith("index") and count for name, count in _of(record, "layers").items()
    ):
        return 0
    usage = _of(record, "usage")
    figures = [usage.get(name) for name in ("fresh", "cache_read", "cache_write", "output")]
    return sum(figure for figure in figures if isinstance(figure, int) and figure > 0)


def _events(path: Path) -> Iterator[dict[str, Any]]:
    wanted = begins("StepFinished", "ToolFinished")
    try:
        if path.stat().st_size > _LARGEST:
            return
        with path.open("rb") as file:
            for line in file:
                if line.startswith(wanted):
                    yield from _read(line)
    except OSError:
        return


def _read(line: bytes) -> Iterable[dict[str, Any]]:
    try:
        event: object = json.loads(line)
    except ValueError:
        return ()
    return (cast("dict[str, Any]", event),) if isinstance(event, dict) else ()


def _of(data: dict[str, Any], name: str) -> dict[str, Any]:
    value: object = data.get(name)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
