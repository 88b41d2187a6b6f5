"""Noticing that another program is writing a file, or is about to, while it is being replaced.

A program that saves into the file itself empties it when it opens it and writes a moment later. Were
the file replaced in between, it would write into one that has no name any more.
"""

import errno
import fcntl
import signal
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

_WAITS, _WAIT = 20, 0.005  # seconds; a save takes milliseconds
_FREE = getattr(fcntl, "F_UNLCK", 2)


@contextmanager
def watched(descriptor: int) -> Generator[Callable[[], bool]]:
    """Whether any program has asked, meanwhile, to open this file for writing; it waits till the end.

    The descriptor must be a reading one. Raises OSError with EBUSY when a program has it open for
    writing and keeps it. Always False where the system has no leases, or the file is not ours.
    """
    if not _leased(descriptor):
        yield lambda: False
        return
    try:
        yield lambda: fcntl.fcntl(descriptor, fcntl.F_GETLEASE) != fcntl.F_RDLCK
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, _FREE)


def _leased(descriptor: int) -> bool:
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    for _ in range(_WAITS):
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # SIGIO would end the process
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                return False
            time.sleep(_WAIT)
        else:
            return True
    raise OSError(errno.EBUSY, "open for writing in another program")
