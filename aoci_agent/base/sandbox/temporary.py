"""The temporary files of one session's commands, in a folder that nobody else uses."""

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path, PurePath

from aoci_agent.base import locks
from aoci_agent.base.regular import closing
from aoci_agent.base.sandbox.limits import file_bytes

FILES = 100_000
NOTE = "EMPTIED"
EMPTIED = (
    "This folder held more than it may (4 GB, half of the free disk, 100,000 files): emptied.\n"
)


class Temporary:
    """Made below `above` when it is first needed; gone with this object, at the latest with the process.

    Whether its session still runs is said by a lock beside it. What it holds is bounded: above the
    bound it is emptied before the next command, and a note in it says so.
    """

    def __init__(self, above: Path, files: int = FILES) -> None:
        self._above = above
        self._files = files
        self._path: Path | None = None

    def folder(self) -> Path:
        """The folder, ready for one more command. Raises OSError."""
        path = self._path = self._path or self._made()
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o700)
        if self._is_too_much(path):
            _clear(path)
            path.mkdir(mode=0o700, exist_ok=True)
            (path / NOTE).write_text(EMPTIED)
        return path

    def mount_point(self, name: PurePath, *, folder: bool) -> None:
        """Have something to mount on, whatever a command left there: a link would lead the mount away."""
        at, last = self._path or self.folder(), len(name.parts) - 1
        for number, part in enumerate(name.parts):
            at /= part
            wanted = folder or number < last
            if at.is_symlink() or (at.exists() and at.is_dir() != wanted):
                _clear(at)
            if wanted:
                at.mkdir(exist_ok=True)
                at.chmod(0o700)
            else:
                at.touch()

    def sweep(self) -> None:
        """Remove what killed sessions left. Raises OSError."""
        with locks.alone(self._above / "lock"):
            for base in filter(Path.is_dir, self._above.iterdir()):
                with closing(locks.opened(base / "lock")) as lock:
                    if locks.tried(lock):
                        _clear(base)

    def _made(self) -> Path:
        with locks.alone(self._above / "lock"):
            base = Path(tempfile.mkdtemp(dir=self._above))
            lock = locks.opened(base / "lock")
            locks.take(lock)
        weakref.finalize(self, _leave, base, lock, os.getpid())
        return base / "tmp"

    def _is_too_much(self, path: Path) -> bool:
        files, room = self._files, file_bytes(path)
        for at, folders, names in os.walk(path):
            files -= len(folders) + len(names)
            for name in names:
                with suppress(OSError):
                    room -= 512 * os.lstat(os.path.join(at, name)).st_blocks  # noqa: PTH118
            if files < 0 or room < 0:
                return True
        return False


def _leave(base: Path, lock: int, owner: int) -> None:
    if os.getpid() == owner:  # and not a fork of it
        with suppress(OSError), closing(lock):
            _clear(base)


def _clear(path: Path) -> None:
    """Remove it with all that is in it, also what a command closed to its owner."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    path.chmod(0o700)
    for at, folders, _ in os.walk(path):  # from the top: each is opened before it is looked into
        for folder in (Path(at, name) for name in folders):
            if not folder.is_symlink():
                with suppress(OSError):
                    folder.chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)
