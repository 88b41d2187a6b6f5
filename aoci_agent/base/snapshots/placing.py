"""One file in an open folder that is to have other bytes, all of them or none."""

import os
from collections.abc import Callable

from aoci_agent.base import inplace, replace
from aoci_agent.base.regular import READ, closing


def overwrite(at: int, name: str, data: bytes, check: Callable[[bytes], None]) -> None:
    """New bytes for a file that is there; `check` gets the old ones at the last moment, and may raise.

    A file with several names keeps them.
    """

    def look(descriptor: int) -> None:
        check(_all(descriptor))

    with closing(os.open(name, READ | os.O_NOFOLLOW, dir_fd=at)) as old:
        if os.fstat(old).st_nlink == 1:
            replace.put(at, name, data, old=replace.Old(old, look))
            return
    with closing(os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)) as both:
        before = _all(both)
        check(before)
        inplace.overwrite(at, name, both, data, before)


def _all(descriptor: int) -> bytes:
    pieces: list[bytes] = []
    place = 0
    while piece := os.pread(descriptor, 1_048_576, place):
        pieces.append(piece)
        place += len(piece)
    return b"".join(pieces)
