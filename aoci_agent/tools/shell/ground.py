"""Where the words of a command lead, in one workspace as it is now."""

import glob
import itertools
import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from aoci_agent.base.environment import find_program, scrubbed_environment
from aoci_agent.base.secret_paths import may_hold_secrets

MOST_NAMES = 2_000  # names a pattern may stand for
MOST_WALKED = 20_000  # names looked at below a folder
# Tops of absolute paths that are somebody's files. `/api/users` is a route, not one of these.
_OUTSIDE = frozenset({
    "Applications", "Library", "System", "Users", "Volumes", "boot", "etc", "home", "media", "mnt",
    "private", "proc", "root", "run", "srv", "sys", "var", "",
})  # fmt: skip


class Ground:
    """The workspace as bash would see it. Without a root nothing is known to be inside."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root.resolve() if root else None

    def real(self, path: str) -> str:
        """A repository path with its links resolved; absolute where it leads outside."""
        if self.root is None:
            return path
        found = Path(os.path.realpath(self.root / path))
        return (
            found.relative_to(self.root).as_posix()
            if found.is_relative_to(self.root)
            else str(found)
        )

    def secret(self, path: str) -> bool:
        """Whether a path, or what it is a link to, may hold secrets."""
        return may_hold_secrets(path) or may_hold_secrets(self.real(path))

    def inside(self, word: str, folders: tuple[str, ...] = ("",)) -> bool:
        """Whether a word, as a path from any of these folders, stays here and is no secret."""
        if self.root is None or word.startswith(("~", "/")) or ".." in word.split("/"):
            return False
        for folder in folders:
            path = posixpath.join(folder, word)
            if self.secret(path) or Path(self.real(path)).is_absolute():
                return False
        return True

    def expanded(self, pattern: str, folders: tuple[str, ...] = ("",)) -> list[str] | None:
        """The names a pattern stands for, as bash finds them: itself where it finds none.

        None where that is not certain.
        """
        if self.root is None or pattern.startswith(("~", "/")) or re.search(r"\[[\[^]", pattern):
            return None
        found: list[str] = []
        for folder in folders:
            names = glob.iglob(pattern, root_dir=self.root / folder, include_hidden=True)  # noqa: PTH207
            found += list(itertools.islice(names, MOST_NAMES + 1)) or [pattern]
            if len(found) > MOST_NAMES:
                return None
        return found

    def searchable(self, folder: str, *, hidden: bool) -> bool:
        """Whether everything below a folder may be shown: no secrets, and not too much to be sure."""
        if self.root is None:
            return False
        left = MOST_WALKED
        for here, names, files in os.walk(self.root / folder):
            if not hidden:
                names[:] = [name for name in names if not name.startswith(".")]
            files = [name for name in files if hidden or not name.startswith(".")]
            left -= len(names) + len(files)
            base = Path(here).relative_to(self.root).as_posix()
            found = [f"{base}/{name}" for name in (*names, *files)]
            if left < 0 or ".git" in names or any(map(self._hides, found)):
                return False
        return True

    def _hides(self, path: str) -> bool:
        """Whether a name found below a folder is that of a secret, or a link to one or outside."""
        if self.root and (self.root / path).is_symlink():
            return self.secret(path) or self.real(path).startswith("/")
        return may_hold_secrets(path)

    def installed(self, program: str) -> bool:
        """Whether the shell finds this program, and finds it outside the workspace."""
        if self.root is None:
            return False
        for folder in scrubbed_environment()["PATH"].split(os.pathsep):
            path = Path(folder) / program
            if path.is_file() and os.access(path, os.X_OK):
                return path.is_absolute() and not _below(path, self.root)
        return find_program(program, outside=self.root) is not None

    def leaves(self, text: str) -> str:
        """The piece of a word that names a place outside, "" where none does."""
        for piece in pieces(text):
            top = piece.split("/")[1] if piece.startswith("/") else "."
            if self.root and piece.startswith("/") and _below(Path(piece), self.root):
                continue
            linked = not piece.startswith("/") and self.real(piece).startswith("/")
            if piece.startswith("~") or top in _OUTSIDE or linked:
                return piece
            if posixpath.normpath(piece).split("/")[0] == "..":
                return piece
        return ""


def pieces(text: str) -> Iterator[str]:
    """A word, and what stands in it behind "=", ":", "," and "@"."""
    yield text
    rest = text
    for sign in "=:,@":
        if sign in rest:
            yield from (piece for piece in text.split(sign) if piece)


def _below(path: Path, root: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(root)
