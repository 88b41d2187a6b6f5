"""What was spent today, over all sessions and processes: one file a day, one line for each call.

A call is written before it is sent, with what it will probably take, and again when it ended; the
later line of the same call counts. So two processes see each other's calls, and one that was killed
in the middle of a call has still counted it. A line is written at once, at the end of the file.
"""

import contextlib
import datetime
import json
import math
import os
import secrets
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from aoci_agent.agent.models.usage import is_figure
from aoci_agent.base.locks import alone


@dataclass(frozen=True, slots=True)
class Spent:
    """Sums of a day. `cost` is in dollars and leaves out calls without a known price."""

    tokens: int = 0
    cost: float = 0.0
    calls: int = 0
    unpriced: int = 0


@dataclass(frozen=True, slots=True)
class _Call:
    tokens: int
    cost: float | None


def today() -> str:
    """The local date, as the file of the day is named."""
    return datetime.date.today().isoformat()


class Spending:
    """The day's ledger. Reading takes in only what came since it was last read."""

    def __init__(self, folder: Path, day: Callable[[], str] = today) -> None:
        self._folder = folder
        self._day = day
        self._read_day = ""
        self._read_to = 0
        self._calls: dict[str, _Call] = {}
        self._begun: dict[
            str, Path
        ] = {}  # the file of the day on which a call of ours was first said

    def spent(self) -> Spent:
        """The sums of today. Lines that cannot be read are left out; raises OSError."""
        self._catch_up()
        calls = self._calls.values()
        return Spent(
            tokens=sum(call.tokens for call in calls),
            cost=math.fsum(call.cost or 0.0 for call in calls),
            calls=len(calls),
            unpriced=sum(call.cost is None for call in calls),
        )

    def write(self, call: str, tokens: int, cost: float | None) -> None:
        """Say what a call takes; again for the same call replaces, also after midnight. Raises OSError."""
        line = json.dumps({"call": call, "tokens": tokens, "cost": cost}) + "\n"
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        file = self._begun.setdefault(call, self._file(self._day()))
        fd = os.open(file, flags, 0o600)
        try:
            # After a torn line (a full disk) the next one begins on a line of its own.
            os.write(fd, f"\n{line}".encode() if _torn(file) else line.encode())
        finally:
            os.close(fd)

    @contextlib.contextmanager
    def alone(self) -> Generator[None]:
        """Between these no other process writes: what was read still holds when it is written."""
        with alone(self._folder / "lock"):
            yield

    def _file(self, day: str) -> Path:
        return self._folder / f"{day}.jsonl"

    def _catch_up(self) -> None:
        day = self._day()
        if day != self._read_day:
            self._read_day, self._read_to, self._calls = day, 0, {}
        try:
            with self._file(day).open("rb") as file:
                file.seek(self._read_to)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._read_to += len(whole)
        for line in whole.splitlines():
            if (read := _parsed(line)) is not None:
                self._calls[read[0]] = read[1]


def new_call() -> str:
    """A name for a call that no other call has."""
    return secrets.token_hex(8)


def _torn(path: Path) -> bool:
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
    return False


def _parsed(line: bytes) -> tuple[str, _Call] | None:
    try:
        data: object = json.loads(line)
    except ValueError:
        return None
    if not isinstance(data, dict):
        return None
    told = cast("dict[str, Any]", data)
    name, tokens, cost = told.get("call"), told.get("tokens"), told.get("cost")
    if not isinstance(name, str) or not is_figure(tokens) or not (cost is None or is_figure(cost)):
        return None
    return name, _Call(int(tokens), cost)
