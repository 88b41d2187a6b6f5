"""Whether a file is what it was when it was looked at, told without reading it again."""

import os
import time
from collections.abc import Sequence
from typing import NamedTuple, Self

# A clock's grain: within it two writes may leave the same times. Old file systems count in 2 s.
RACY_NS = 2_000_000_000


class Stamp(NamedTuple):
    """What moves when the content of a file does."""

    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Self:
        """The stamp a status gives."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns)

    def fits(self, now: os.stat_result) -> bool:
        """Whether nothing moved; asked for every file before every answer, so field by field."""
        return (
            self[3] == now.st_ctime_ns
            and self[1] == now.st_mtime_ns
            and self[0] == now.st_size
            and self[2] == now.st_ino
        )

    def settled(self, now_ns: int) -> bool:
        """Whether a later change must leave another stamp: this one is older than a clock's grain."""
        return max(self.mtime_ns, self.ctime_ns) < now_ns - RACY_NS


MISSING = Stamp(-1, -1, -1, -1)
Stamps = Sequence[Stamp | None]


def settled_stamp(status: os.stat_result) -> Stamp | None:
    """The stamp of a status taken just now, None while it cannot be trusted."""
    stamp = Stamp.of(status)
    return stamp if stamp.settled(time.time_ns()) else None


def stamp_of(path: str | os.PathLike[str], *, follow: bool = False) -> Stamp | None:
    """The stamp of a file, MISSING where there is none, None while it cannot be trusted.

    `follow` links only where what they lead to decides.
    """
    try:
        return settled_stamp(os.stat(path, follow_symlinks=follow))  # noqa: PTH116 - a hot path
    except (OSError, ValueError):
        return MISSING


def same(stamps: Stamps, before: Stamps) -> bool:
    """Whether nothing moved; a stamp that cannot be trusted is never the same."""
    return stamps == before and None not in stamps
