"""Reading regular files through descriptors, and system errors in words a model understands."""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager

from aoci_agent.base.errors import ForModel, NotPossible, TryAgain

# Without blocking: a pipe without a writer must not hold us. Never as controlling terminal.
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK = 1_048_576
_TRY_AGAIN = {
    errno.ENOENT: "{} does not exist",
    errno.ENOTDIR: "{} does not exist: a part of it is a file or a link to one",
    errno.EBUSY: "{} is being saved by another program; read it again, then edit it",
    errno.EEXIST: "{} was created meanwhile; read it, then edit it",
}
_NOT_POSSIBLE = {
    errno.EXDEV: "{} leads outside the workspace (links with an absolute target are not followed)",
    errno.ELOOP: "{} is a link that leads in a circle, or was exchanged for a link meanwhile",
    errno.EISDIR: "{} is a folder",
    errno.ENXIO: "{} is a pipe, socket or device, not a regular file",
}


def read(descriptor: int, path: str, limit: int) -> bytes:
    """All bytes of an open file. NotPossible: not a regular file, or over `limit` bytes."""
    status = require_regular(descriptor, path)
    if status.st_size > limit:
        raise _too_large(path, status.st_size, limit)
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(descriptor, _CHUNK):
        pieces.append(piece)
        size += len(piece)
        if size > limit:  # it grew meanwhile
            raise _too_large(path, size, limit)
    return b"".join(pieces)


def require_regular(descriptor: int, path: str) -> os.stat_result:
    """The status of an open file; NotPossible when it is not a regular one."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise NotPossible(f"{path or '.'} is {_kind(status.st_mode)}, not a regular file")
    return status


def _too_large(path: str, size: int, limit: int) -> NotPossible:
    return NotPossible(
        f"{path} has {size:,} bytes, over the limit of {limit:,}; search in it instead"
    )


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"


@contextmanager
def closing(descriptor: int) -> Generator[int]:
    """The descriptor, closed in the end."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def explained(path: str) -> Generator[None]:
    """Turn an OSError about `path` into a TryAgain or NotPossible that names it."""
    try:
        yield
    except OSError as error:
        raise _explain(error, path or ".") from error


def _explain(error: OSError, path: str) -> ForModel:
    number = error.errno or 0
    if number in _TRY_AGAIN:
        return TryAgain(_TRY_AGAIN[number].format(path))
    if number in _NOT_POSSIBLE:
        return NotPossible(_NOT_POSSIBLE[number].format(path))
    return NotPossible(f"{path}: {error.strerror}")
