"""One file or link put into an open folder, complete or not at all."""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress

from aoci_agent.base import inplace, replace
from aoci_agent.base.regular import READ, closing


def create(at: int, name: str, data: bytes, mode: int, *, sync: bool = True) -> None:
    """A new file, with all bytes and its mode when it gets its name. Raises OSError: also if it exists.

    Without `sync` the caller flushes to disk, once for many files.
    """
    temporary, descriptor = replace.beside(at)
    try:
        with closing(descriptor):
            _fill(descriptor, data)
            os.fchmod(descriptor, mode)
            if sync:
                os.fsync(descriptor)
        try:
            os.link(temporary, name, src_dir_fd=at, dst_dir_fd=at)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            os.rename(temporary, name, src_dir_fd=at, dst_dir_fd=at)
    finally:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=at)


def _fill(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def link(at: int, name: str, target: bytes) -> None:
    """A link in place of whatever file or link has the name."""
    temporary = _temporary()
    os.symlink(target, os.fsencode(temporary), dir_fd=at)
    try:
        os.rename(temporary, name, src_dir_fd=at, dst_dir_fd=at)
    except OSError:
        os.unlink(temporary, dir_fd=at)
        raise


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


def _temporary() -> str:
    return f"{replace.PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
