"""One write in a workspace: what is there now decides how it is done."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base import inplace, replace
from aoci_agent.base.beneath import Place
from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.protected import STATE
from aoci_agent.base.regular import READ, closing, read, require_regular
from aoci_agent.base.text import content_id

_LINKS_BUDGET = 20_000  # entries of .git compared with a file that has several names


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes for a place. `expect` is the content id the file must have, "" for no file, None for any."""

    place: Place
    path: str
    data: bytes
    expect: str | None
    root: Path

    def run(self) -> None:
        """Write. TryAgain: not as expected. NotPossible: not a regular file, protected. OSError."""
        if self.place.name == ".":
            raise NotPossible(f"{self.path or '.'} is a folder")
        try:
            descriptor = self._open(READ)
        except FileNotFoundError:
            self._create()
            return
        with closing(descriptor):
            status = require_regular(descriptor, self.path)
            self._check(descriptor)
            if not os.access(self.place.name, os.W_OK, dir_fd=self.place.folder):
                raise NotPossible(f"{self.path} is read-only")
            if status.st_nlink > 1 and self.place.parts[0] != STATE:
                self._in_place(status)
            else:
                self._put(replace.Old(descriptor, None if self.expect is None else self._check))

    def _open(self, flags: int) -> int:
        return os.open(self.place.name, flags | os.O_NOFOLLOW, dir_fd=self.place.folder)

    def _create(self) -> None:
        if self.expect:
            raise TryAgain(f"{self.path} no longer exists; it was removed since it was read")
        self._put(None)

    def _put(self, old: replace.Old | None) -> None:
        try:
            replace.put(self.place.folder, self.place.name, self.data, old=old)
        except FileNotFoundError as error:
            raise TryAgain(
                f"{self.path} was removed or moved meanwhile; nothing was written"
            ) from error

    def _check(self, descriptor: int) -> None:
        """TryAgain when the bytes of an open file are not the expected ones."""
        if self.expect is None:
            return
        if self.expect == "":
            raise TryAgain(f"{self.path} already exists; read it, then edit it")
        os.lseek(descriptor, 0, os.SEEK_SET)
        if content_id(_all(descriptor, self.path)) != self.expect:
            raise TryAgain(f"{self.path} changed since it was read; read it again")

    def _in_place(self, status: os.stat_result) -> None:
        """A file with several names, which a rename would split."""
        if _is_shared(status, self.root):
            raise NotPossible(f"{self.path} is a second name of a file of git or of the agent")
        with closing(
            self._open(os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        ) as writable:
            if not os.path.samestat(os.fstat(writable), status):
                raise TryAgain(f"{self.path} was replaced meanwhile; nothing was written")
            self._check(writable)
            os.lseek(writable, 0, os.SEEK_SET)
            old = _all(writable, self.path)
            inplace.overwrite(self.place.folder, self.place.name, writable, self.data, old)


def _all(descriptor: int, path: str) -> bytes:
    return read(descriptor, path, os.fstat(descriptor).st_size)


def _is_shared(status: os.stat_result, root: Path) -> bool:
    """Whether a file of git (objects aside) or of the agent is the same file as this one."""
    budget = _LINKS_BUDGET
    pending = [root / ".git", root / STATE]
    while pending and budget > 0:
        with suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                budget -= 1
                if entry.is_dir(follow_symlinks=False) and entry.name != "objects":
                    pending.append(Path(entry.path))
                elif os.path.samestat(entry.stat(follow_symlinks=False), status):
                    return True
    return False
