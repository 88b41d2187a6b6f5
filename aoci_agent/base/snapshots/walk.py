"""One look at a whole folder: every file kept that is not yet, every folder an object of its own.

What is taken: tracked files up to 100 MB each; other files up to 10 MB; what git ignores up to 1 MB
a file and 64 MB together, and not folders that tools fill and can fill again. Without git, and in
repositories inside this one, everything counts as "other files". `.git` is never entered, nor is
another file system. What is not taken is named in `left_out`.
"""

import os
import re
import stat
import struct
import time
from contextlib import suppress
from hashlib import blake2b
from typing import Literal

from aoci_agent.base.regular import READ, closing
from aoci_agent.base.replace import PREFIX
from aoci_agent.base.snapshots.listing import Listing
from aoci_agent.base.snapshots.store import Store
from aoci_agent.base.snapshots.trees import ID, NOTHING, Entry, encoded
from aoci_agent.base.stamps import Stamp, settled_stamp

TRACKED_BYTES = 100_000_000
FILE_BYTES = 10_000_000
IGNORED_BYTES = 1_000_000
IGNORED_TOGETHER = 64_000_000
IGNORED_FILES = 20_000
IGNORED_FOLDER = 5_000  # names in one folder
FREE_FILES = 200_000
DEEPEST = 200
HEAVY = frozenset({
    *("node_modules", "bower_components", "__pycache__", ".tox", ".nox", ".venv", ".mypy_cache"),
    *(".pytest_cache", ".ruff_cache", ".hypothesis", ".gradle", ".terraform", ".next", ".nuxt"),
    *(".parcel-cache", ".cache", ".direnv", ".svn", ".hg", ".bzr", ".jj"),
})  # fmt: skip
_MARKS = ("pyvenv.cfg", "CACHEDIR.TAG")
_TICK = 50_000_000  # ns: a file may change again within one tick of its clock, unseen
_COARSE = 2_100_000_000  # ns: where times are whole seconds
_OBJECTS = re.compile(r"pack|[0-9a-f]{2}")
_TOLD = 1_000

Zone = Literal["listed", "free", "ignored", "git", "named"]


class Walk:
    """One look at one folder. `seen` are the stamps of earlier looks, and is brought up to date."""

    def __init__(
        self,
        store: Store,
        seen: dict[str, tuple[bytes, bytes]],
        listing: Listing | None,
        room: int,
    ) -> None:
        self._store = store
        self._seen = seen
        self._listing = listing
        self._room = room + store.added  # what the store may have added in the end
        self._started = time.time_ns()
        self._device = 0
        self._ignored = [0, 0]  # files, bytes
        self._free = 0
        self.names: set[str] = set()  # every file there is, in folders that were looked into
        self.rules: list[Stamp | None] = []  # of every .gitignore
        self.fresh: dict[str, tuple[bytes, bytes]] = {}  # what `seen` has that it had not
        self.left_out: dict[str, str] = {}  # why, by path

    def root(self, descriptor: int) -> bytes:
        """The object of the open folder."""
        self._device = os.fstat(descriptor).st_dev
        return self._folder(descriptor, "", "listed" if self._listing else "free", 0)

    def git(self, descriptor: int) -> bytes:
        """The object of an open git folder: its small files, not git's objects."""
        return self._folder(descriptor, ".git/", "git", 0)

    def _folder(self, descriptor: int, path: str, zone: Zone, depth: int) -> bytes:
        entries: dict[str, Entry] = {}
        in_objects = zone == "git" and path.endswith("/objects/")
        with os.scandir(descriptor) as found:
            for item in found:
                name = item.name
                if zone == "git":
                    if name.endswith(".lock") or (in_objects and _OBJECTS.fullmatch(name)):
                        continue
                elif name == ".git" or name.startswith(PREFIX):
                    continue
                with suppress(FileNotFoundError):
                    status = item.stat(follow_symlinks=False)
                    entry = self.entry(descriptor, name, f"{path}{name}", status, zone, depth)
                    if entry is not None:
                        entries[name] = entry
        return self._store.add(encoded(entries))

    def entry(
        self, at: int, name: str, path: str, status: os.stat_result, zone: Zone, depth: int = 0
    ) -> Entry | None:
        """The entry of one name in an open folder; None for what is no file, link or folder."""
        mode = status.st_mode
        if stat.S_ISREG(mode):
            return self._file(at, name, path, status, zone)
        if stat.S_ISDIR(mode):
            return self._below(at, name, path, status, zone, depth)
        if stat.S_ISLNK(mode):
            target = os.fsencode(os.readlink(name, dir_fd=at))
            return Entry("l", 0o777, self._store.add(target))
        return None

    # -- folders ----------------------------------------------------------------------------------

    def _below(
        self, at: int, name: str, path: str, status: os.stat_result, zone: Zone, depth: int
    ) -> Entry:
        mode = stat.S_IMODE(status.st_mode)
        if depth >= DEEPEST or (self._device and status.st_dev != self._device):
            self._leave(f"{path}/", "too deep" if depth >= DEEPEST else "another file system")
            return Entry("o", mode, NOTHING)
        try:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(name, flags, dir_fd=at)
        except PermissionError:
            self._leave(f"{path}/", "cannot be read")
            return Entry("o", mode, NOTHING)
        with closing(descriptor):
            zone = self._zone(descriptor, path, zone)
            if why := self._closed(descriptor, name, zone):
                self._leave(f"{path}/", why)
                return Entry("o", mode, NOTHING)
            return Entry("d", mode, self._folder(descriptor, f"{path}/", zone, depth + 1))

    def _zone(self, descriptor: int, path: str, zone: Zone) -> Zone:
        if zone in ("free", "git"):
            return zone
        if zone == "named":
            return "free"
        if _has(descriptor, ".git"):
            return "free"
        listing = self._listing
        return "listed" if listing is not None and path in listing.folders else "ignored"

    def _closed(self, descriptor: int, name: str, zone: Zone) -> str:
        """Why a folder is not looked into, "" when it is."""
        if zone in ("listed", "git"):
            return ""
        if name in HEAVY or any(_has(descriptor, mark) for mark in _MARKS):
            return "filled by a tool"
        if zone == "free":
            return "too many files" if self._free > FREE_FILES else ""
        if self._ignored[0] > IGNORED_FILES or self._ignored[1] > IGNORED_TOGETHER:
            return "ignored, and too much together"
        with os.scandir(descriptor) as found:
            many = sum(1 for _ in zip(found, range(IGNORED_FOLDER + 1), strict=False))
        return "ignored, with very many files" if many > IGNORED_FOLDER else ""

    # -- files ------------------------------------------------------------------------------------

    def _file(self, at: int, name: str, path: str, status: os.stat_result, zone: Zone) -> Entry:
        mode = stat.S_IMODE(status.st_mode)
        stamp = _stamp(status)
        if zone != "git":
            self.names.add(path)
            if name == ".gitignore":
                self.rules.append(settled_stamp(status))
        most = self._most(path, status.st_size, zone)
        known = self._seen.get(path)
        if known is not None and known[0] == stamp:
            return Entry("f", mode, known[1])
        if status.st_size > most:
            return self._unsaved(path, status, "too large")
        if status.st_size > self._room - self._store.added:
            return self._unsaved(path, status, "no room left for it")
        try:
            data, after = _read(at, name, most)
        except FileNotFoundError:
            raise
        except OSError as error:
            return self._unsaved(path, status, error.strerror or "cannot be read")
        if data is None:
            return self._unsaved(path, after, "too large")
        return Entry("f", mode, self._kept(path, data, after))

    def _kept(self, path: str, data: bytes, status: os.stat_result) -> bytes:
        name = self._store.add(data)
        newest = max(status.st_mtime_ns, status.st_ctime_ns)
        whole = status.st_mtime_ns % 1_000_000_000 == 0 == status.st_ctime_ns % 1_000_000_000
        if newest < self._started - (_COARSE if whole else _TICK):
            self._seen[path] = self.fresh[path] = (_stamp(status), name)
        return name

    def _most(self, path: str, size: int, zone: Zone) -> int:
        """How large this file may be."""
        if zone in ("git", "named"):
            return TRACKED_BYTES
        if zone == "free":
            self._free += 1
            return FILE_BYTES
        listing = self._listing
        tracked = listing.files.get(path) if listing is not None and zone == "listed" else None
        if tracked is not None:
            return TRACKED_BYTES if tracked else FILE_BYTES
        if size <= IGNORED_BYTES:
            self._ignored[0] += 1
            self._ignored[1] += size
        full = self._ignored[0] > IGNORED_FILES or self._ignored[1] > IGNORED_TOGETHER
        return -1 if full else IGNORED_BYTES

    def _unsaved(self, path: str, status: os.stat_result, why: str) -> Entry:
        self._leave(path, why)
        return unsaved(status)

    def _leave(self, path: str, why: str) -> None:
        if len(self.left_out) < _TOLD:
            self.left_out[path] = why


def _read(at: int, name: str, most: int) -> tuple[bytes | None, os.stat_result]:
    """A file's bytes and its status while they did not change; None for a file that is too large."""
    with closing(os.open(name, READ | os.O_NOFOLLOW, dir_fd=at)) as descriptor:
        tries = 3
        while True:
            tries -= 1
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode) or before.st_size > most:
                return None, before
            data = _all(descriptor, before.st_size)
            after = os.fstat(descriptor)
            if (_stamp(before) == _stamp(after) and len(data) == after.st_size) or not tries:
                return data, after


def _all(descriptor: int, size: int) -> bytes:
    data = os.pread(descriptor, size + 1, 0)
    while len(data) < size and (piece := os.pread(descriptor, size - len(data), len(data))):
        data += piece
    return data


def unsaved(status: os.stat_result) -> Entry:
    """The entry of a file whose content is not kept: that it changed is seen all the same."""
    what = struct.pack("<3Q", status.st_size, status.st_mtime_ns, status.st_ino)
    return Entry("x", stat.S_IMODE(status.st_mode), blake2b(what, digest_size=ID).digest())


def _stamp(status: os.stat_result) -> bytes:
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return struct.pack("<2q2Q", *times, status.st_size, status.st_ino)


def _has(descriptor: int, name: str) -> bool:
    try:
        os.lstat(name, dir_fd=descriptor)
    except OSError:
        return False
    return True
