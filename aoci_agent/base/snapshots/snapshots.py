"""Snapshots of one folder: taken, brought up to date for a few paths, read and compared."""

import errno
import os
import shutil
import stat
import threading
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aoci_agent.base.errors import BadWorkspace, NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places, home_of
from aoci_agent.base.regular import closing
from aoci_agent.base.snapshots import prune
from aoci_agent.base.snapshots.gitdir import Objects
from aoci_agent.base.snapshots.listing import Listing, listed
from aoci_agent.base.snapshots.store import Snapshot, Store
from aoci_agent.base.snapshots.trees import (
    NOTHING,
    UNKNOWN,
    Change,
    Entry,
    decoded,
    difference,
    encoded,
)
from aoci_agent.base.snapshots.walk import Walk, unsaved
from aoci_agent.base.stamps import Stamps, same

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
LARGEST = 1_000_000_000
EMPTY = Snapshot(NOTHING, NOTHING)


class Snapshots:
    """The snapshots of a folder. Safe to use from several threads; calls wait for each other.

    Nothing in the folder is written, and git's index, refs, stash and hooks are only read.
    Methods raise OSError (unreadable, disk full), sqlite3.Error or NotPossible.
    """

    def __init__(
        self, root: Path, repository: Repository | None, folder: Path, largest: int = LARGEST
    ) -> None:
        """Open the store in `folder`, which is made and has at most `largest` bytes.

        Raises BadWorkspace for `/` and the home folder.
        """
        if root in (Path("/"), home_of(os.environ)):
            raise BadWorkspace(f"{root} is too broad to be saved", "work in a folder of a project")
        self.root = root
        self._repository = repository
        self.store = Store(folder)
        self._mutex = threading.RLock()
        self._largest = largest
        self._tight = 0  # bytes the store had when no more room could be made
        self._objects = Objects(root / ".git", folder / "git")
        self._seen = self.store.seen()
        self._listing: Listing | None = None
        self._decided: Stamps = ()  # what the listing hung on
        self._rules: Stamps = ()  # every .gitignore of the folder, as well
        self._names: set[str] = set()
        self.left_out: dict[str, str] = {}  # what the newest look did not take, and why
        self._objects.sweep()
        self.make_room()

    def close(self) -> None:
        """Release the store."""
        with self._mutex:
            self.store.close()

    # -- taking -----------------------------------------------------------------------------------

    def take(self) -> Snapshot:
        """The whole folder as it is now. EMPTY where it is gone."""
        with self._mutex:
            room = self._room()
            try:
                descriptor = os.open(self.root, _FOLDER)
            except FileNotFoundError:
                return EMPTY
            with closing(descriptor), self.store.writing():
                walk, tree = self._walked(descriptor, room)
                git = self._git(descriptor, walk)
                self.store.saw(walk.fresh)
            self.left_out = walk.left_out
            return Snapshot(tree, git)

    def _walked(self, descriptor: int, room: int) -> tuple[Walk, bytes]:
        """A look with git's present answer: asked again only when something may have changed it."""
        if self._repository is not None:
            decided = self._repository.deciding(self.root)
            if self._listing is not None and same(decided, self._decided):
                walk = Walk(self.store, self._seen, self._listing, room)
                tree = walk.root(descriptor)
                if walk.names <= self._names and same(walk.rules, self._rules):
                    return walk, tree
            self._decided = decided
            self._listing = self._list()
        walk = Walk(self.store, self._seen, self._listing, room)
        tree = walk.root(descriptor)
        self._rules, self._names = walk.rules, walk.names
        return walk, tree

    def _list(self) -> Listing | None:
        """None where git is of no help: gone, damaged. Then the folder is one without git."""
        if self._repository is None:
            return None
        try:
            return listed(self._repository, self.root)
        except NotPossible:
            return None

    def _git(self, descriptor: int, walk: Walk) -> bytes:
        """What is called `.git`, as a folder of that one name; NOTHING where there is none."""
        try:
            status = os.lstat(".git", dir_fd=descriptor)
        except FileNotFoundError:
            return NOTHING
        if not stat.S_ISDIR(status.st_mode):
            entry = walk.entry(descriptor, ".git", ".git", status, "git")
            return self.store.add(encoded({".git": entry})) if entry else NOTHING
        with closing(os.open(".git", _FOLDER, dir_fd=descriptor)) as git:
            inner = walk.git(git)
        if not self._objects.follow():
            walk.left_out[".git/objects"] = "another file system, and too large to be copied"
        entry = Entry("d", stat.S_IMODE(status.st_mode), inner)
        return self.store.add(encoded({".git": entry}))

    def touch(self, base: Snapshot, paths: Iterable[str]) -> Snapshot:
        """`base` with the present state of these paths: cheap, and blind for everything else."""
        wanted: _Paths = {}
        for path in paths:
            place = wanted
            for part in path.split("/"):
                place = place.setdefault(part, {})
        with self._mutex, self._writing() as walk:
            try:
                descriptor = os.open(self.root, _FOLDER)
            except FileNotFoundError:
                return EMPTY
            with closing(descriptor):
                tree = self._touched(walk, descriptor, base.tree, wanted, "")
            self.store.saw(walk.fresh)
        return Snapshot(tree, base.git)

    def _touched(
        self, walk: Walk, descriptor: int, tree: bytes, wanted: "_Paths", under: str
    ) -> bytes:
        entries = decoded(self.store.get(tree)) if tree != NOTHING else {}
        for name, below in wanted.items():
            old = entries.pop(name, None)
            with suppress(FileNotFoundError):
                status = os.lstat(name, dir_fd=descriptor)
                path = f"{under}{name}"
                if below and stat.S_ISDIR(status.st_mode):
                    inner = old.id if old is not None and old.kind == "d" else NOTHING
                    with closing(os.open(name, _FOLDER, dir_fd=descriptor)) as folder:
                        inner = self._touched(walk, folder, inner, below, f"{path}/")
                    entries[name] = Entry("d", stat.S_IMODE(status.st_mode), inner)
                elif entry := walk.entry(descriptor, name, path, status, "named"):
                    entries[name] = entry
        return self.store.add(encoded(entries))

    @contextmanager
    def _writing(self) -> Generator[Walk]:
        """A look at single paths."""
        walk = Walk(self.store, self._seen, None, self._room())
        with self.store.writing():
            yield walk

    # -- reading ----------------------------------------------------------------------------------

    def difference(self, before: Snapshot, after: Snapshot) -> Iterator[Change]:
        """Every path that differs, parents first. `.git` is no part of it."""
        return difference(self.store.get, before.tree, after.tree)

    def content(self, entry: Entry) -> bytes:
        """The bytes of a file, or what a link points to. NotPossible where they are not kept."""
        if entry.kind not in ("f", "l"):
            raise NotPossible("its content is not kept")
        return self.store.get(entry.id)

    def present(
        self, paths: Iterable[str], by_size: Collection[str] = ()
    ) -> dict[str, Entry | None]:
        """What stands at these paths now; what is under a link or a file is not there.

        Files are read and kept, but those of `by_size`, which are as unsaved ones. Of a folder only
        the mode is meant.
        """
        found: dict[str, Entry | None] = {}
        with self._mutex, self._writing() as walk:
            for path in paths:
                found[path] = _looked(walk, self.root, path, read=path not in by_size)
        return found

    # -- git's own folder -------------------------------------------------------------------------

    def git_is_gone(self) -> bool:
        """Whether there is nothing called `.git`."""
        return not os.path.lexists(self.root / ".git")

    @property
    def objects(self) -> Objects:
        """The second names of git's objects."""
        return self._objects

    # -- room -------------------------------------------------------------------------------------

    def _room(self) -> int:
        limit, size = self.limit(), self.store.size
        if size > limit * 3 // 4 and size > self._tight + limit // 50:
            self.make_room()
            self._tight = size = self.store.size
        return max(0, limit - size)

    def limit(self) -> int:
        """Bytes the store may have: a gigabyte, or 5 % of what is free on its disk with it."""
        free = shutil.disk_usage(self.store.folder).free
        return min(self._largest, (free + self.store.size) // 20)

    def make_room(self) -> None:
        """Forget what is old, and more while the store is over its limit; nothing beside others."""
        with self._mutex, self.store.alone() as alone:
            if not alone or prune.prune(self.store, self.limit()):
                self._seen = self.store.seen()


_Paths = dict[str, "_Paths"]


def store_folder(places: Places, root: Path) -> Path:
    """Where the snapshots of a folder are kept."""
    return places.data / "snapshots" / places.project(root)


def _looked(walk: Walk, root: Path, path: str, *, read: bool) -> Entry | None:
    try:
        with opened(root, path) as (at, name):
            status = os.lstat(name, dir_fd=at)
            if stat.S_ISDIR(status.st_mode):
                return Entry("d", stat.S_IMODE(status.st_mode), NOTHING)
            if stat.S_ISREG(status.st_mode) and not read:
                return unsaved(status)
            return walk.entry(at, name, path, status, "named")
    except PermissionError:
        return UNKNOWN
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise


@contextmanager
def opened(root: Path, path: str) -> Generator[tuple[int, str]]:
    """The folder a path stands in, reached without links, and its name there. Raises OSError."""
    *folders, name = path.split("/")
    at = os.open(root, _FOLDER)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER, dir_fd=at)
            os.close(at)
            at = below
        yield at, name
    finally:
        os.close(at)
