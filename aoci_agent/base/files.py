"""The workspace: reading and writing files below one folder, safely and byte for byte."""

import os
import posixpath
import stat
from pathlib import Path
from typing import Self

from aoci_agent.base import beneath, strays
from aoci_agent.base.errors import BadWorkspace, ForModel, NotPossible
from aoci_agent.base.protected import STATE, is_git_part, protected_part
from aoci_agent.base.regular import READ, closing, explained, read
from aoci_agent.base.replace import atomic_write
from aoci_agent.base.text import TextFile, content_id, decode
from aoci_agent.base.writing import Write

__all__ = ["STATE", "TextFile", "Workspace", "atomic_write", "content_id", "decode"]

READ_LIMIT = 20_000_000
_LOOK = getattr(os, "O_PATH", READ)  # a look without opening a device


class Workspace:
    """A folder opened once by directory descriptor; no path escapes it.

    Reads resolve with openat2(RESOLVE_BENEATH), or component by component where that is missing;
    writes always walk, because they must know the real names. Links that stay inside are followed;
    an absolute link is refused even when it points inside. Only regular files are read or written.
    Paths are text with forward slashes relative to `root`; names that are not UTF-8 are carried by
    surrogateescape. After the folder was moved, work goes on in the moved folder.
    """

    def __init__(self, root: Path) -> None:
        """Open the folder. Raises BadWorkspace."""
        self._given = Path(os.path.abspath(root))  # noqa: PTH100 - keeps links, unlike resolve()
        try:
            self.root = self._given.resolve(strict=True)
            self._folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (OSError, RuntimeError) as error:
            why = error.strerror if isinstance(error, OSError) else "link loop"
            raise BadWorkspace(
                f"cannot work in {root}: {why}", "name a folder you can read"
            ) from error
        self._open = beneath.opener(self._folder)

    def relative(self, path: str) -> str:
        """A model's or person's path as "src/a.py", "" for the folder itself. NotPossible if outside.

        Accepts relative paths, absolute paths inside the folder, "./", and backslashes (unless a
        file of that very name exists). ".." is resolved by name, before links are.
        """
        if "\0" in path:
            raise NotPossible("a path cannot hold a NUL character")
        if "\\" in path and not self._is_there(path):
            path = path.replace("\\", "/")
        name = self._below(path) if path.startswith("/") else path
        name = posixpath.normpath(name) if name else "."
        if name == ".." or name.startswith(("../", "/")):
            raise NotPossible(f"{path} is outside the workspace")
        return "" if name == "." else name

    def exists(self, path: str) -> bool:
        """Whether a path inside the workspace leads to something (links resolved, never outside)."""
        return self._status(path) is not None

    def is_dir(self, path: str) -> bool:
        """Whether a path inside the workspace leads to a folder."""
        status = self._status(path)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def names_of(self, path: str) -> int:
        """How many names (hard links) a file has; a write changes it under all of them. 0: missing."""
        status = self._status(path)
        return status.st_nlink if status is not None and stat.S_ISREG(status.st_mode) else 0

    def read_bytes(self, path: str, limit: int = READ_LIMIT) -> bytes:
        """The whole file. NotPossible: outside, not a regular file, over `limit` bytes. TryAgain: missing."""
        name = self.relative(path)
        with explained(name), closing(self._open(self._folder, name, READ)) as descriptor:
            return read(descriptor, name, limit)

    def read_text(self, path: str, limit: int = READ_LIMIT) -> TextFile:
        """The whole file, decoded. NotPossible also for binary content."""
        data = self.read_bytes(path, limit)
        try:
            return decode(data)
        except NotPossible as error:
            raise NotPossible(f"{self.relative(path)} cannot be read as text: {error}") from error

    def write_bytes(self, path: str, data: bytes, expect: str | None = None) -> None:
        """Replace or create a file atomically, making folders as needed and keeping its mode.

        `expect` is the content id the file must still have ("" for a file that must not exist, None
        for no check); it is compared again right before the rename. A link inside the workspace is
        written through to its target; a file with several hard links is written in place. TryAgain
        when the file is not as expected; NotPossible outside, for git's and the agent's own files,
        for anything but a regular file, and when the system refuses.
        """
        name = self.relative(path)
        _refuse_protected(tuple(name.split("/")))
        with (
            explained(name),
            beneath.locate(self._folder, name, create=not expect, guard=_refuse_protected) as place,
        ):
            Write(place, name, data, expect, self.root).run()

    def write_text(self, path: str, file: TextFile, expect: str | None = None) -> None:
        """Write a file in its own encoding; see `write_bytes`."""
        self.write_bytes(path, file.encode(), expect)

    def write_state(self, name: str, data: bytes) -> None:
        """Write one of the agent's own files, `.aoci-agent/<name>`. Not for tools: a model must not reach it."""
        path = f"{STATE}/{self.relative(name)}"
        with (
            explained(path),
            beneath.locate(self._folder, path, create=True, guard=_only_state) as place,
        ):
            Write(place, path, data, None, self.root).run()

    def list_dir(self, path: str = "") -> list[str]:
        """The names in a folder, sorted; folders end with "/". NotPossible or TryAgain as for reading."""
        name = self.relative(path)
        with (
            explained(name),
            closing(self._open(self._folder, name, os.O_RDONLY | os.O_DIRECTORY)) as descriptor,
            os.scandir(descriptor) as entries,
        ):
            return sorted(
                f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name
                for entry in entries
            )

    def sweep(self) -> int:
        """Remove what a crash of an earlier run left, and mend what it tore; returns how many files."""
        return strays.sweep(self.root)

    def close(self) -> None:
        """Give the descriptor back. The workspace cannot be used afterwards."""
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _below(self, path: str) -> str:
        """An absolute path relative to the root, by components, never by string prefix."""
        plain = Path(posixpath.normpath(path))
        real = Path(os.path.realpath(plain.parent)) / plain.name
        for candidate in (plain, real):
            for root in (self.root, self._given):
                if candidate.is_relative_to(root):
                    return candidate.relative_to(root).as_posix()
        raise NotPossible(f"{path} is outside the workspace")

    def _is_there(self, path: str) -> bool:
        try:
            os.close(self._open(self._folder, path, _LOOK))
        except (OSError, ValueError):
            return False
        return True

    def _status(self, path: str) -> os.stat_result | None:
        try:
            name = self.relative(path)
            with closing(self._open(self._folder, name, _LOOK)) as descriptor:
                return os.fstat(descriptor)
        except (OSError, ForModel):
            return None


def _refuse_protected(parts: tuple[str, ...]) -> None:
    part = protected_part(parts)
    if part:
        owner = "git" if is_git_part(part) else "the agent itself"
        raise NotPossible(f"{'/'.join(parts)} is not writable: {part} belongs to {owner}")


def _only_state(parts: tuple[str, ...]) -> None:
    if parts[0] != STATE:
        raise NotPossible(
            f"{STATE} is a link to {'/'.join(parts)}; the agent's state is not written"
        )
