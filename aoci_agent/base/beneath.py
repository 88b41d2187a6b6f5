"""Opening paths below a directory descriptor, so that no name, link or race leads out of it."""

import ctypes
import errno
import functools
import os
import platform
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

MAX_LINKS = 40  # as the kernel's own limit
_OPENAT2 = 437  # the same number on x86_64, aarch64 and every later architecture
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_BENEATH = 0x08
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Opener = Callable[[int, str, int], int]
Guard = Callable[[tuple[str, ...]], None]


class _How(ctypes.Structure):
    _fields_ = [
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    ]


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def open_by_kernel(root: int, path: str, flags: int) -> int:
    """openat2(RESOLVE_BENEATH): one system call, no window. Raises OSError, EXDEV for an escape."""
    how = _How(flags | os.O_CLOEXEC, 0, _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS)
    number = errno.EAGAIN
    for _ in range(8):
        descriptor = _libc().syscall(
            ctypes.c_long(_OPENAT2),
            ctypes.c_int(root),
            ctypes.c_char_p(os.fsencode(path or ".")),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if descriptor >= 0:
            return int(descriptor)
        number = ctypes.get_errno()
        # EAGAIN: a rename raced with "..", and the kernel could not prove the path stays below.
        if number not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(number, os.strerror(number), path)


def open_by_walking(root: int, path: str, flags: int) -> int:
    """The same promise with one openat per component, for kernels without openat2."""
    with locate(root, path) as place:
        return os.open(place.name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.folder)


def opener(root: int) -> Opener:
    """The better of the two ways that works here (a container may forbid openat2)."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        return open_by_walking
    try:
        os.close(open_by_kernel(root, ".", os.O_RDONLY | os.O_DIRECTORY))
    except OSError:
        return open_by_walking
    return open_by_kernel


@dataclass(frozen=True)
class Place:
    """Where a path really is: an open folder, the last name in it, and all names from the root."""

    folder: int
    name: str
    parts: tuple[str, ...]


@contextmanager
def locate(
    root: int, path: str, *, create: bool = False, guard: Guard | None = None
) -> Generator[Place]:
    """Walk to `path`, following only relative links that stay below `root`.

    `create` makes missing folders; `guard` sees the real names before each is entered or made and
    may raise. Raises OSError (EXDEV for an escape, ELOOP for a link loop or a race).
    """
    walk = _Walk(root, create, guard)
    try:
        yield walk.to(path)
    finally:
        walk.close()


@dataclass
class _Walk:
    root: int
    create: bool
    guard: Guard | None
    stack: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    links: int = 0

    def to(self, path: str) -> Place:
        if path.startswith("/"):
            raise OSError(errno.EXDEV, "absolute path", path)
        pending = path.split("/")[::-1]
        while pending:
            part = pending.pop()
            if part in ("", "."):
                continue
            if part == "..":
                self._leave(path)
                continue
            target = self._link(part)
            if target is not None:
                pending.extend(target.split("/")[::-1])
                continue
            self._check(part)
            if not any(rest not in ("", ".") for rest in pending):
                return Place(self._here, part, (*self._names, part))
            self._enter(part)
        return Place(self._here, ".", self._names)

    @property
    def _here(self) -> int:
        return self.stack[-1][1] if self.stack else self.root

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.stack)

    def _leave(self, path: str) -> None:
        if not self.stack:
            raise OSError(errno.EXDEV, "leads out of the folder", path)
        os.close(self.stack.pop()[1])

    def _link(self, part: str) -> str | None:
        try:
            target = os.readlink(part, dir_fd=self._here)
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ENOENT):
                return None
            raise
        self.links += 1
        if self.links > MAX_LINKS:
            raise OSError(errno.ELOOP, "too many links", part)
        if target.startswith("/"):
            raise OSError(errno.EXDEV, "absolute link", part)
        return target

    def _check(self, part: str) -> None:
        if self.guard is not None:
            self.guard((*self._names, part))

    def _enter(self, part: str) -> None:
        try:
            descriptor = os.open(part, _DIRECTORY, dir_fd=self._here)
        except FileNotFoundError:
            if not self.create:
                raise
            os.mkdir(part, dir_fd=self._here)
            descriptor = os.open(part, _DIRECTORY, dir_fd=self._here)
        self.stack.append((part, descriptor))

    def close(self) -> None:
        while self.stack:
            os.close(self.stack.pop()[1])
