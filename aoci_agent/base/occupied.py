"""Who works in a folder: one session at a time writes (safety.md R23).

The lock is the kernel's (flock), so it ends with the process that holds it, also by `kill -9`. A
session holds its own folder alone and the folders above it, up to the top of the repository,
together with others: two sessions in two parts of a repository do not meet, one in a part and one
in the whole do.
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from aoci_agent.base.errors import ForUser
from aoci_agent.base.locks import opened, take
from aoci_agent.base.places import Places


class Occupied(ForUser):
    """Another session works here. `pid` is 0 where it works in a folder inside this one."""

    def __init__(self, folder: Path, pid: int, since: float) -> None:
        """`since` is in seconds since the epoch, 0.0 when unknown."""
        at = time.strftime(" since %H:%M", time.localtime(since)) if since else ""
        who = f"session (process {pid})" if pid else "session, in a folder inside,"
        message = f"another {who} works in {folder}{at}"
        super().__init__(message, "look with --mode read-only, or work beside it with --worktree")
        self.folder, self.pid, self.since = folder, pid, since


class Occupation:
    """Holds a folder for this process until `close`. Not inherited by the programs it starts."""

    def __init__(self, places: Places, root: Path, top: Path | None = None) -> None:
        """`top` is the top of the repository `root` lies in. Raises Occupied, ForUser."""
        root = root.resolve()
        above = [one for one in root.parents if top is not None and one.is_relative_to(top)]
        self._held: list[int] = []
        folder = places.data / "workspaces"
        try:
            for one in (root, *above):
                held = opened(folder / f"{places.project(one)}.lock")
                self._held.append(held)
                _take(held, one, alone=one == root)
            _sign(self._held[0])
        except Occupied:
            self._release()
            raise
        except OSError as error:
            self._release()
            raise ForUser(
                f"cannot lock the folder for this session in {folder}: {error.strerror}",
                "set AOCI_AGENT_HOME to a writable folder",
            ) from error

    def close(self) -> None:
        """Let the next session in."""
        if self._held:
            with suppress(OSError):
                os.ftruncate(self._held[0], 0)
        self._release()

    def _release(self) -> None:
        while self._held:
            os.close(self._held.pop())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _take(descriptor: int, folder: Path, *, alone: bool) -> None:
    try:
        take(descriptor, shared=not alone)
    except BlockingIOError as error:
        pid, since = _signature(descriptor)
        raise Occupied(folder, pid, since) from error


def _sign(descriptor: int) -> None:
    text = json.dumps({"pid": os.getpid(), "since": round(time.time(), 3)}).encode()
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text, 0)


def _signature(descriptor: int) -> tuple[int, float]:
    """Who signed, as long as that process is there: the name of an earlier holder may stand in it."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        signed: Any = json.loads(os.pread(descriptor, 200, 0))
        pid, since = int(signed["pid"]), float(signed["since"])
        os.kill(pid, 0)
        return pid, since
    return 0, 0.0
