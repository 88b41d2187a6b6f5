"""Writing into a file itself, for a file with several hard links, which a rename would split.

A note beside it holds the old and the new bytes until the new ones are complete, so that a file torn
by a crash is mended at a later start.
"""

import errno
import json
import os
import stat
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from aoci_agent.base.regular import READ, closing
from aoci_agent.base.replace import beside, fill, remove, sync_folder

SUFFIX = ".undo"
_PIECE = 1_048_576


@dataclass(frozen=True, slots=True)
class _Note:
    """The first line of a note; the old bytes and then the new ones follow it."""

    name: str  # of the file, as hex
    inode: int
    old: int  # lengths
    new: int


def overwrite(folder: int, name: str, descriptor: int, data: bytes, old: bytes) -> None:
    """Write `data` into an open file of `folder`; `old` is put back when writing fails.

    Space is reserved before the first byte changes. Raises OSError.
    """
    inode = os.fstat(descriptor).st_ino
    note = _keep(folder, _Note(os.fsencode(name).hex(), inode, len(old), len(data)), old + data)
    try:
        _reserve(descriptor, len(data))
        _write_over(descriptor, data)
    except OSError:
        _write_over(descriptor, old)  # the note stays when that fails too
        remove(folder, note)
        raise
    remove(folder, note)


def _keep(folder: int, head: _Note, body: bytes) -> str:
    name, descriptor = beside(folder, suffix=SUFFIX)
    try:
        with closing(descriptor):
            fill(descriptor, json.dumps(asdict(head)).encode() + b"\n" + body)
    except OSError:
        remove(folder, name)
        raise
    sync_folder(folder)
    return name


def mend(note: Path) -> None:
    """Put the old bytes back where a crash tore the file a note is of.

    A file that is whole, or was saved since, stays as it is; so does all when the note is torn,
    for then the file was not touched yet. Raises OSError.
    """
    first, _, body = note.read_bytes().partition(b"\n")
    try:
        head = _Note(**json.loads(first))
        name = os.fsdecode(bytes.fromhex(head.name))
    except (ValueError, TypeError):
        return
    if len(body) != head.old + head.new or "/" in name:
        return
    old, new = body[: head.old], body[head.old :]
    with (
        suppress(FileNotFoundError),
        closing(os.open(note.parent / name, READ | os.O_RDWR | os.O_NOFOLLOW)) as descriptor,
    ):
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_ino != head.inode:
            return
        if _is_torn(os.pread(descriptor, max(len(old), len(new)) + 1, 0), old, new):
            _write_over(descriptor, old)


def _is_torn(now: bytes, old: bytes, new: bytes) -> bool:
    """Whether a file is neither, but each byte of it is one of theirs."""
    before = old.ljust(len(new), b"\0")  # space was reserved
    if now in (old, new) or len(now) != len(before):
        return False
    after = new + before[len(new) :]
    return all(byte in pair for byte, *pair in zip(now, before, after, strict=True))


def _reserve(descriptor: int, size: int) -> None:
    if sys.platform != "linux" or not size:
        return
    before = os.fstat(descriptor).st_size
    with suppress(NotImplementedError):
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                os.ftruncate(descriptor, before)
                raise


def _write_over(descriptor: int, data: bytes) -> None:
    offset = 0
    while offset < len(data):
        offset += os.pwrite(descriptor, data[offset : offset + _PIECE], offset)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)
