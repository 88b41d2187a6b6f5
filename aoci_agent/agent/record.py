"""The session record: one JSON line per event, appended and flushed, so it survives `kill -9`.

A line is written with a single O_APPEND write, which puts it into the kernel before the call
returns; `fsync` follows at the end of each turn. A torn last line (power loss, full disk) is
skipped by the reader and ended before the next append: nothing is glued to it, no byte is lost (R10).
One process writes a record at a time.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from aoci_agent.agent.events import CallDelta, Event, ReasoningDelta, TextDelta, TurnFinished
from aoci_agent.base.errors import ForUser

STREAMING = (TextDelta, ReasoningDelta, CallDelta)


class Recorder(Protocol):
    """Where events go. Implemented by `SessionRecord` and by `NoRecord`."""

    def write(self, event: Event) -> None: ...

    def close(self) -> None: ...


class NoRecord:
    """Keeps nothing (`--no-session`)."""

    def write(self, event: Event) -> None:
        """Drop the event."""

    def close(self) -> None:
        """Nothing to release."""


class SessionRecord:
    """Append-only JSONL of one session, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._torn = False  # the last line was not written to its end
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._fd = os.open(path, flags, 0o600)
            _alone(self._fd, path)
            _end_torn_tail(self._fd)
        except OSError as error:
            raise ForUser(
                f"cannot write the session record {path}: {error.strerror}",
                "set AOCI_AGENT_HOME to a writable folder, or pass --no-session",
            ) from error

    def write(self, event: Event) -> None:
        """Append one event; streaming deltas are left out."""
        if isinstance(event, STREAMING):
            return
        line = json.dumps(as_json(event) | {"at": round(time.time(), 3)}, ensure_ascii=False)
        data = line.encode("utf-8", "surrogatepass") + b"\n"
        try:
            if self._torn:
                _end_torn_tail(self._fd)
                self._torn = False
            while data:
                data = data[os.write(self._fd, data) :]
            if isinstance(event, TurnFinished):
                os.fsync(self._fd)
        except OSError as error:
            self._torn = True
            raise ForUser(
                f"cannot write the session record {self.path}: {error.strerror}",
                "free some space, or go on with --no-session",
            ) from error

    def close(self) -> None:
        """Flush to disk and release."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def as_json(event: Event) -> dict[str, Any]:
    """An event as a JSON object; `type` is its class name."""
    return {"type": type(event).__name__} | asdict(event)


def begins(*kinds: str) -> tuple[bytes, ...]:
    """How the lines of these kinds of event begin: a reader need not parse the others."""
    return tuple(f'{{"type": "{kind}"'.encode() for kind in kinds)


def read_record(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a record, oldest first. Damaged lines are skipped."""
    with path.open("rb") as file:
        for line in file:
            try:
                data = json.loads(line)
            except ValueError:
                continue
            if isinstance(data, dict):
                yield data


def _alone(file: int, path: Path) -> None:
    """Hold the record for this process. Raises ForUser where another one has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(file)
        raise ForUser(
            f"session {path.stem} is open in another terminal",
            "leave it there first, or start a new session without --continue",
        ) from error


def _end_torn_tail(file: int) -> None:
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":
        os.write(file, b"\n")
