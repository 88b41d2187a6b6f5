"""Kernel locks on files (flock), the one way to take one. They end with the process that holds them.

A program that is started does not keep them: its copies of the descriptors are closed when it
begins. Until then it has them, so that a process killed in that moment seems to live on for some
milliseconds (28 were measured).
"""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from aoci_agent.base.regular import closing

PATIENCE = 0.5  # seconds


def opened(file: Path, flags: int = 0) -> int:
    """A file to lock, made where it is missing, for its owner alone. Raises OSError, for a link too."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags |= os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.open(file, flags, 0o600)


def tried(descriptor: int, *, shared: bool = False) -> bool:
    """Whether it is locked now, alone or together with others that share it."""
    try:
        fcntl.flock(descriptor, _how(shared=shared) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def take(descriptor: int, *, shared: bool = False) -> None:
    """Lock what nobody should hold. Raises BlockingIOError where somebody keeps it for half a second."""
    ends = time.monotonic() + PATIENCE
    while not tried(descriptor, shared=shared):
        if time.monotonic() > ends:
            raise BlockingIOError
        time.sleep(0.01)


def wait(descriptor: int, *, shared: bool = False) -> None:
    """Lock it, however long others hold it."""
    fcntl.flock(descriptor, _how(shared=shared))


@contextmanager
def alone(file: Path) -> Generator[None]:
    """One process at a time is between these; the others wait. Raises OSError."""
    with closing(opened(file)) as descriptor:
        wait(descriptor)
        yield


def _how(*, shared: bool) -> int:
    return fcntl.LOCK_SH if shared else fcntl.LOCK_EX
