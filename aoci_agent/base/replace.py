"""Replacing a file so that at every instant it is wholly old or wholly new."""

import ctypes
import errno
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.regular import READ, closing

PREFIX = ".aoci-agent-tmp-"
_OWN_TEMPORARY = re.compile(re.escape(PREFIX) + r"(\d{1,10})-[0-9a-f]{16}")
_STALE_SECONDS = 3600.0
_RENAME_EXCHANGE = 2
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES)


def atomic_write(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write one of the agent's own state files; folders are made for the owner only (0700).

    A link at `path` is replaced, not followed. Raises OSError.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as folder:
        put(folder, path.name, data, mode=mode)


@dataclass(frozen=True, slots=True)
class Old:
    """The file to be replaced: open, and what it must pass right before and right after the rename.

    `check` gets a descriptor of whatever file has the name at that moment and raises to stop.
    """

    descriptor: int
    check: Callable[[int], None] | None = None


def put(
    folder: int, name: str, data: bytes, *, old: Old | None = None, mode: int | None = None
) -> None:
    """Put `data` at `name` in an open folder: temporary file, fsync, mode, rename, fsync folder.

    With `old` its mode, owner and attributes are kept; without, the file has `mode`, or 0644 under
    the umask, and with neither `old` nor `mode` an existing name is refused (FileExistsError).
    Raises OSError or what `old.check` raises; the old file is then untouched and no temporary file
    is left.
    """
    temporary = f"{PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    rights = 0o644 if old is None and mode is None else 0o600
    descriptor = os.open(temporary, _CREATE, rights, dir_fd=folder)
    try:
        with closing(descriptor):
            _fill(descriptor, data)
            _dress(descriptor, old, mode)
        if old is not None and old.check is not None:
            _exchange(folder, temporary, name, old.check)
        elif old is None and mode is None:
            _link(folder, temporary, name)
        else:
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        _remove(folder, temporary)
        raise
    _sync_folder(folder)


def _remove(folder: int, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)


def _link(folder: int, temporary: str, name: str) -> None:
    """Give a new file its name; link() refuses an existing one in the same step."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        _remove(folder, temporary)


def _exchange(folder: int, temporary: str, name: str, check: Callable[[int], None]) -> None:
    """Rename over a file that must pass `check`, so that a save in the last moment is noticed.

    The two files change places in one step; if what came out is not what was checked, they change
    back. Where the system cannot do that, a check right before the rename must do.
    """
    _look(folder, name, check)
    if not _swap(folder, temporary, name):
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        _look(folder, temporary, check)
    except BaseException:
        if not _swap(folder, temporary, name):  # what came out is a person's; it goes back
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        raise
    _remove(folder, temporary)


def _look(folder: int, name: str, check: Callable[[int], None]) -> None:
    with closing(os.open(name, READ | os.O_NOFOLLOW, dir_fd=folder)) as descriptor:
        check(descriptor)


def _swap(folder: int, one: str, other: str) -> bool:
    """Exchange two names of a folder in one step; False where that is unknown."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    first, second = os.fsencode(one), os.fsencode(other)
    return renameat2(folder, first, folder, second, ctypes.c_uint(_RENAME_EXCHANGE)) == 0


def _fill(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def _dress(descriptor: int, old: Old | None, mode: int | None) -> None:
    if old is not None:
        before = os.fstat(old.descriptor)
        with suppress(OSError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
        _copy_attributes(old.descriptor, descriptor)
        mode = stat.S_IMODE(before.st_mode)
    if mode is not None:
        os.fchmod(descriptor, mode)  # after fchown, which clears the set-user-id bit


def _copy_attributes(source: int, target: int) -> None:
    """Extended attributes (access control lists are among them), as far as the system permits."""
    if sys.platform != "linux":
        return
    with suppress(OSError):
        for attribute in os.listxattr(source):
            with suppress(OSError):
                os.setxattr(target, attribute, os.getxattr(source, attribute))


def _sync_folder(folder: int) -> None:
    with suppress(OSError):  # some file systems refuse to sync a folder; the rename has happened
        os.fsync(folder)


def overwrite(descriptor: int, data: bytes, old: bytes) -> None:
    """Write into the file itself, for a file with several hard links, which a rename would split.

    Space is reserved before the first byte changes, and `old` is put back when writing fails; only
    a crash in the middle can tear the file. Raises OSError.
    """
    if sys.platform == "linux" and data:
        with suppress(NotImplementedError):
            _reserve(descriptor, len(data))
    try:
        _write_over(descriptor, data)
    except OSError:
        with suppress(OSError):
            _write_over(descriptor, old)
        raise


def _reserve(descriptor: int, size: int) -> None:
    before = os.fstat(descriptor).st_size
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EINVAL):
            return
        os.ftruncate(descriptor, before)
        raise


def _write_over(descriptor: int, data: bytes) -> None:
    offset = 0
    while offset < len(data):
        offset += os.pwrite(descriptor, data[offset : offset + 1_048_576], offset)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)


def sweep(root: Path, budget: int = 200_000) -> int:
    """Remove temporary files of crashed writers below `root`; returns how many.

    A file of a process that still runs is left, unless it is over an hour old. Links are not
    followed, `.git` is not entered, and at most `budget` entries are looked at.
    """
    removed = 0
    pending = [str(root)]
    while pending and budget > 0:
        with suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                budget -= 1
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git":
                        pending.append(entry.path)
                elif _is_stray(entry):
                    Path(entry.path).unlink(missing_ok=True)
                    removed += 1
    return removed


def _is_stray(entry: "os.DirEntry[str]") -> bool:
    match = _OWN_TEMPORARY.fullmatch(entry.name)
    if match is None or not entry.is_file(follow_symlinks=False):
        return False
    age = time.time() - entry.stat(follow_symlinks=False).st_mtime
    return age > _STALE_SECONDS or not _runs(int(match[1]))


def _runs(pid: int) -> bool:
    with suppress(PermissionError):  # of another person, but it runs
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):  # the second: no process has such a number
            return False
    return True
