"""The session record: one JSON line per event, appended and flushed, so it survives `kill -9`.

A line is written with a single O_APPEND write, which puts it into the kernel before the call
returns. What is about to change the world is on the disk before it begins, and every turn when it
ends (`sync`). Each line ends with its check sum (`base/sealed.py`): readers pass over a line that
does not hold, and when the record is opened again, what a crash tore off at the end is moved beside
it, into `NAME.jsonl.bad` (R10). Where the disk is full, a reserve is given back so that the turn
that ends can still be written down (R11). One process writes a record at a time.
"""

import errno
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, cast

from aoci_agent.agent.events import (
    SCHEMA,
    CallDelta,
    Event,
    ReasoningDelta,
    StepStarted,
    TextDelta,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from aoci_agent.base.errors import BadUsage, ForUser
from aoci_agent.base.locks import take
from aoci_agent.base.sealed import cut_torn_tail, event_of, lines_of, sealed, sync
from aoci_agent.base.secrets import Mask

STREAMING = (TextDelta, ReasoningDelta, CallDelta)
BEGINNING = (TurnStarted, StepStarted, ToolStarted)  # something new, which a full disk must not see
_RESERVE = 256_000  # bytes kept for the end of a turn on a full disk
_FULL = (errno.ENOSPC, errno.EDQUOT)


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
    """Append-only JSONL of one session, readable by its owner only. No credential is written.

    `torn` says what was cut off its end when it was opened, "" where nothing was.
    """

    def __init__(self, path: Path, mask: Mask | None = None) -> None:
        self.path = path
        self.torn = ""
        self._mask = mask or Mask()
        self._reserve = path.parent / ".reserve"
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._fd = os.open(path, flags, 0o600)
            _alone(self._fd, path)
            self._refuse_newer()
            self.torn = cut_torn_tail(self._fd, path)
        except OSError as error:
            raise ForUser(
                f"cannot write the session record {path}: {error.strerror}",
                "set AOCI_AGENT_HOME to a writable folder, or pass --no-session",
            ) from error
        self._end = os.fstat(self._fd).st_size  # behind the last whole line

    def write(self, event: Event) -> None:
        """Append one event, whole or not at all; streaming deltas are left out. Raises ForUser.

        On a full disk nothing new begins any more; what has happened is still written, in the place
        of the reserve.
        """
        if isinstance(event, STREAMING):
            return
        data = cast("dict[str, Any]", self._mask.data(as_json(event)))
        line = sealed(data | {"at": round(time.time(), 3)})
        try:
            if isinstance(event, BEGINNING):
                _keep(self._reserve)
                self._append(line)
            else:
                self._append_at_last(line)
            if isinstance(event, TurnFinished) or _changes(event):
                sync(self._fd)
        except OSError as error:
            raise ForUser(
                f"cannot write the session record {self.path}: {error.strerror}",
                "free some space, or go on with --no-session",
            ) from error

    def _append_at_last(self, line: bytes) -> None:
        try:
            self._append(line)
        except OSError as error:
            if error.errno not in _FULL or not self._reserve.exists():
                raise
            self._reserve.unlink()
            self._append(line)

    def _append(self, line: bytes) -> None:
        """One whole line or nothing."""
        try:
            if os.fstat(self._fd).st_size != self._end:
                os.ftruncate(self._fd, self._end)
            rest = line
            while rest:  # a second time where the first took only a part: to hear why
                rest = rest[os.write(self._fd, rest) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._fd, self._end)
            raise
        self._end += len(line)

    def _refuse_newer(self) -> None:
        try:
            refuse_newer(event_of(next(lines_of(self.path), None)), self.path)
        except ForUser:
            self.close()
            raise

    def close(self) -> None:
        """Release it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _changes(event: Event) -> bool:
    """Whether what begins with this event may change something: its preview shows what."""
    return isinstance(event, ToolStarted) and event.preview.kind != "text"


def _keep(reserve: Path) -> None:
    """Have the reserve. Raises OSError where there is no room for it."""
    if reserve.exists():
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    with suppress(FileExistsError):
        file = os.open(reserve, flags, 0o600)
        try:
            if os.write(file, b"\n" * _RESERVE) != _RESERVE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            reserve.unlink(missing_ok=True)
            raise
        finally:
            os.close(file)


def as_json(event: Event) -> dict[str, Any]:
    """An event as a JSON object; `type` is its class name."""
    return {"type": type(event).__name__} | asdict(event)


def begins(*kinds: str) -> tuple[bytes, ...]:
    """How the lines of these kinds of event begin: a reader need not parse the others."""
    return tuple(f'{{"type": "{kind}"'.encode() for kind in kinds)


def refuse_newer(event: Mapping[str, Any] | None, path: Path) -> None:
    """Raises BadUsage where the start of a session tells of a form that is not known here."""
    schema: object = (event or {}).get("schema", 1)
    if isinstance(schema, int) and schema > SCHEMA:
        raise BadUsage(
            f"{path} was written by a newer version of this program (form {schema}, known {SCHEMA})",
            "go on with that version; nothing in the file was changed",
        )


def read_record(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a record, oldest first. Damaged lines are skipped."""
    yield from filter(None, map(event_of, lines_of(path)))


def _alone(file: int, path: Path) -> None:
    """Hold the record for this process. Raises ForUser where another one has it."""
    try:
        take(file)
    except BlockingIOError as error:
        os.close(file)
        raise ForUser(
            f"session {path.stem} is open in another terminal",
            "leave it there first, or start a new session without --continue",
        ) from error
