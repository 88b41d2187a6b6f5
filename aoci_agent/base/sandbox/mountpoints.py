"""What stands outside of the box while a command runs: folders whose names cannot be taken meanwhile.

Only what exists can be covered in a mount namespace. An empty `.git` folder is nothing to git, which
goes on to look above it; an empty file there would be an error. A lock file counts the commands that
use them and says which are ours, also over several sessions and after one was killed.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base import locks


@dataclass(frozen=True, slots=True)
class MountPoints:
    """Those of one workspace, or of several that share a folder of the agent's."""

    lock: Path

    def hold(self, names: Sequence[Path]) -> tuple[tuple[Path, ...], Callable[[], None]]:
        """Those of the names that stand for nothing now, and what to call when the command has ended.

        What cannot be created is left out: nobody else can create it either. Raises OSError.
        """
        descriptor = self._open()
        try:
            locks.wait(descriptor, shared=True)
            for path in names:
                _make(path, descriptor)
            ours = self._ours(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        held = tuple(path for path in names if path in ours and path.is_dir())
        return held, lambda: self._leave(descriptor)

    def sweep(self) -> None:
        """Remove what a killed session left."""
        self._leave(self._open())

    def _open(self) -> int:
        return locks.opened(self.lock, os.O_APPEND)

    def _ours(self, descriptor: int) -> tuple[Path, ...]:
        size = os.fstat(descriptor).st_size
        names = os.pread(descriptor, size, 0).split(b"\0")
        return tuple(dict.fromkeys(Path(os.fsdecode(name)) for name in names if name))

    def _leave(self, descriptor: int) -> None:
        """The last one out removes them. A folder that somebody filled meanwhile is theirs."""
        try:
            if not locks.tried(descriptor):
                return  # another command still runs there
            for path in self._ours(descriptor):
                with suppress(OSError):
                    path.rmdir()
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)


def _make(path: Path, descriptor: int) -> None:
    """Make a folder that is known as ours: one that nobody knew of would stay for ever."""
    try:
        path.mkdir(mode=0o755)
    except OSError:
        return
    try:
        os.write(descriptor, os.fsencode(path) + b"\0")
    except OSError:
        path.rmdir()
        raise
