"""Kernel locks on files (flock), which end with the process that holds them."""

import fcntl
import time

PATIENCE = 0.5  # seconds


def take(descriptor: int, how: int) -> None:
    """Lock it, `how` is LOCK_EX or LOCK_SH. Raises BlockingIOError where somebody else keeps it.

    A process that was killed while it started a program holds its locks until that program has
    really begun: so one that is held is tried again for half a second.
    """
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.01)
