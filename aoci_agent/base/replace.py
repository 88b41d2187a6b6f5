"""Replacing a file so that at every instant it is wholly old or wholly new."""

import ctypes
import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.lease import watched
from aoci_agent.base.regular import READ, closing

PREFIX = ".aoci-agent-tmp-"
_NOREPLACE, _EXCHANGE = 1, 2  # of renameat2
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
    if old is None and mode is None:
        create(folder, name, data)
        return
    temporary, descriptor = beside(folder)
    try:
        with closing(descriptor):
            fill(descriptor, data)
            _dress(descriptor, old, mode)
        if old is not None and old.check is not None:
            _exchange(folder, temporary, name, old.descriptor, old.check)
        else:
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        remove(folder, temporary)
        raise
    sync_folder(folder)


def create(
    folder: int, name: str, data: bytes, mode: int | None = None, *, sync: bool = True
) -> None:
    """A new file of exactly this mode, or 0644 under the umask; an existing name is refused.

    Without `sync` the caller flushes to disk, once for many files. Raises OSError.
    """
    temporary, descriptor = beside(folder, 0o644 if mode is None else 0o600)
    try:
        with closing(descriptor):
            fill(descriptor, data, sync=sync)
            _dress(descriptor, None, mode)
        _link(folder, temporary, name)
    except BaseException:
        remove(folder, temporary)
        raise
    if sync:
        sync_folder(folder)


def put_link(folder: int, name: str, target: bytes) -> None:
    """A link in place of whatever file or link has the name. Raises OSError."""
    temporary = own_name()
    os.symlink(target, os.fsencode(temporary), dir_fd=folder)
    try:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        remove(folder, temporary)
        raise


def own_name(suffix: str = "") -> str:
    """A new name for what is not whole yet, by which a later start knows it (`strays`)."""
    return f"{PREFIX}{os.getpid()}-{secrets.token_hex(8)}{suffix}"


def beside(folder: int, rights: int = 0o600, suffix: str = "") -> tuple[str, int]:
    """A new temporary file in an open folder: its name, and it."""
    name = own_name(suffix)
    return name, os.open(name, _CREATE, rights, dir_fd=folder)


def remove(folder: int, name: str) -> None:
    """Remove a temporary file; one that stays is swept at a later start."""
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)


def _link(folder: int, temporary: str, name: str) -> None:
    """Give a new file its name; link() refuses an existing one in the same step."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        number = _renamed(folder, temporary, name, _NOREPLACE)
        if number == errno.EEXIST:
            raise FileExistsError(number, os.strerror(number), name) from error
        if number:  # a system that cannot do even that
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        remove(folder, temporary)


def _exchange(
    folder: int, temporary: str, name: str, old: int, check: Callable[[int], None]
) -> None:
    """Rename over a file that must pass `check`, so that a save in the last moment is noticed.

    The two files change places in one step; if what came out is not what was checked, or a program
    is about to write into it, they change back. Where the system cannot do that, a check right
    before the rename must do.
    """
    ours = _inode(folder, temporary)
    with watched(old) as is_wanted:
        _look(folder, name, check)
        if not _swap(folder, temporary, name):
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            return
        try:
            _look(folder, temporary, check)
            if is_wanted():
                raise OSError(errno.EBUSY, "opened for writing by another program")
        except BaseException:
            if not _swap(folder, temporary, name):  # what came out is a person's; it goes back
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            elif _inode(folder, temporary) != ours:  # and was saved anew in between
                _swap(folder, temporary, name)
            raise
    remove(folder, temporary)


def _inode(folder: int, name: str) -> int:
    return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino


def _look(folder: int, name: str, check: Callable[[int], None]) -> None:
    with closing(os.open(name, READ | os.O_NOFOLLOW, dir_fd=folder)) as descriptor:
        check(descriptor)


def _swap(folder: int, one: str, other: str) -> bool:
    """Exchange two names of a folder in one step; False where that is unknown."""
    return _renamed(folder, one, other, _EXCHANGE) == 0


def _renamed(folder: int, one: str, other: str, how: int) -> int:
    """renameat2 in one folder: 0, or the number of the error."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return errno.ENOSYS
    first, second = os.fsencode(one), os.fsencode(other)
    done = renameat2(folder, first, folder, second, ctypes.c_uint(how))
    return ctypes.get_errno() if done else 0


def fill(descriptor: int, data: bytes, *, sync: bool = True) -> None:
    """All bytes, down to the disk."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    if sync:
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


def sync_folder(folder: int) -> None:
    """The names of a folder, down to the disk."""
    with suppress(OSError):  # some file systems refuse to sync a folder; the rename has happened
        os.fsync(folder)
