"""What is known of files without reading them again: stamps, folders whose names moved, changes."""

import json
import os
import stat
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from aoci_agent.aoci.roles import SKIPPED_DIRECTORIES
from aoci_agent.base.stamps import Stamp, settled_stamp, stamp_of
from aoci_agent.base.text import content_id
from aoci_agent.views.model import Delta

MAX_FOLDERS = 50_000
_SCHEMA = 1


class Seen(NamedTuple):
    """A file as it was read: its content id ("" for one the views leave out), and its stamp then.

    Without a stamp it was read so soon after a change that it has to be read again.
    """

    content: str
    stamp: Stamp | None


def delta_between(before: Mapping[str, str], after: Mapping[str, str]) -> Delta:
    """What happened between two states, each path -> content id."""
    if before is after:
        return Delta()
    return Delta(
        added=tuple(sorted(after.keys() - before.keys())),
        changed=tuple(sorted(p for p, c in after.items() if before.get(p, c) != c)),
        removed=tuple(sorted(before.keys() - after.keys())),
    )


def fingerprint(files: Mapping[str, str]) -> str:
    """One id for a whole state: equal only for the same paths with the same contents."""
    lines = (f"{path}\0{files[path]}\n" for path in sorted(files))
    return content_id("".join(lines).encode("utf-8", "surrogatepass"))


def dump(seen: Mapping[str, Seen]) -> bytes:
    """The stat cache as JSON."""
    rows = {path: [item.content, *(item.stamp or ())] for path, item in seen.items()}
    return json.dumps({"schema": _SCHEMA, "files": rows}, separators=(",", ":")).encode()


def load(data: bytes) -> dict[str, Seen]:
    """What `dump` wrote. Raises ValueError."""
    value: Any = json.loads(data)
    if not isinstance(value, dict) or set(cast("dict[str, Any]", value)) != {"schema", "files"}:
        raise ValueError("not a stat cache")
    if value["schema"] != _SCHEMA or not isinstance(value["files"], dict):
        raise ValueError("a stat cache of another version")
    return {path: _seen(row) for path, row in cast("dict[str, Any]", value["files"]).items()}


def _seen(row: Any) -> Seen:
    if not isinstance(row, list) or not row:
        raise ValueError("not a row of a stat cache")
    content, *numbers = cast("list[Any]", row)
    whole = all(type(number) is int for number in numbers) and len(numbers) in (0, 4)
    if not (isinstance(content, str) and whole):
        raise ValueError("not a row of a stat cache")
    return Seen(content, Stamp(*numbers) if numbers else None)


_IGNORING = (".gitignore", stat.S_IFREG)
_DECIDING = frozenset((".gitignore", ".git", ".gitmodules"))


class _Folder(NamedTuple):
    stamp: Stamp | None
    names: frozenset[tuple[str, int]]  # name, kind of entry
    ignores: bool  # whether it has a .gitignore
    ignoring: Stamp | None  # of that


class Folders:
    """Whether a name came or went below a root since it was last asked.

    A folder is listed only when its own times moved, so that an unchanged tree costs one stat a
    folder. Rewriting a file, also by renaming over it, is no change here.
    """

    def __init__(self, root: str, skipped: frozenset[str] = SKIPPED_DIRECTORIES) -> None:
        self._root = root
        self._skipped = skipped
        self._known: dict[str, _Folder] = {}
        self._asked = False
        # Paths of plain files that came, and that went, where the last call saw nothing else.
        self.files: tuple[list[str], list[str]] | None = None

    def moved(self) -> bool:
        """True the first time, and whenever names or a .gitignore changed since the last call."""
        moved = not self._asked
        plain = self._asked
        self._asked = True
        came: list[str] = []
        went: list[str] = []
        new: list[str] = []
        for folder in list(self._known):
            found = self._followed(folder, self._known[folder], new)
            if found is None:
                moved, plain = True, False
                del self._known[folder]
            elif found is not (known := self._known[folder]):
                moved = moved or known.names != found.names or _ignores_else(known, found)
                plain = plain and _is_plain(known, found)
                came += _paths(folder, found.names - known.names)
                went += _paths(folder, known.names - found.names)
                self._known[folder] = found
        if not self._known:
            new.append("")
        moved = bool(new) or moved
        plain = plain and not new and len(self._known) < MAX_FOLDERS
        self.files = (came, went) if plain else None
        self._enter(new)
        return moved or len(self._known) >= MAX_FOLDERS

    def _followed(self, folder: str, known: _Folder, new: list[str]) -> _Folder | None:
        """The folder as it is now; `known` itself when nothing moved, None when it is gone."""
        path = f"{self._root}/{folder}"
        try:
            status = os.lstat(path)
        except OSError:
            return None
        if known.stamp is not None and known.stamp.fits(status) and _holds(path, known):
            return known
        if not stat.S_ISDIR(status.st_mode):
            return None
        found = self._listed(folder, status)
        new += self._below(folder, found.names - known.names)
        return found

    def _listed(self, folder: str, status: os.stat_result) -> _Folder:
        path = f"{self._root}/{folder}"
        try:
            with os.scandir(path) as entries:
                names = frozenset((entry.name, _kind(entry)) for entry in entries)
        except OSError:  # may become readable at any time
            return _Folder(None, frozenset(), ignores=False, ignoring=None)
        ignores = _IGNORING in names
        ignoring = stamp_of(f"{path}/.gitignore") if ignores else None
        return _Folder(settled_stamp(status), names, ignores, ignoring)

    def _below(self, folder: str, names: Iterable[tuple[str, int]]) -> list[str]:
        """The folders among these names of a folder that are to be watched."""
        return [
            f"{folder}/{name}" if folder else name
            for name, kind in names
            if kind == stat.S_IFDIR and name not in self._skipped
        ]

    def _enter(self, new: list[str]) -> None:
        while new and len(self._known) < MAX_FOLDERS:
            folder = new.pop()
            try:
                status = os.lstat(f"{self._root}/{folder}")
            except OSError:
                continue
            if stat.S_ISDIR(status.st_mode):
                self._known[folder] = self._listed(folder, status)
                new += self._below(folder, self._known[folder].names)


def _is_plain(before: _Folder, after: _Folder) -> bool:
    """Whether only plain files came or went, and none that decides about others."""
    moved = before.names ^ after.names
    emptied = bool(before.names) and not after.names  # or not to be read
    return (
        not emptied
        and not _ignores_else(before, after)
        and all(kind == stat.S_IFREG and name not in _DECIDING for name, kind in moved)
    )


def _ignores_else(before: _Folder, after: _Folder) -> bool:
    return after.ignores and (after.ignoring is None or before.ignoring != after.ignoring)


def _paths(folder: str, names: Iterable[tuple[str, int]]) -> list[str]:
    return [f"{folder}/{name}" if folder else name for name, _ in names]


def _holds(path: str, known: _Folder) -> bool:
    """Whether the folder's .gitignore is what it was."""
    if not known.ignores:
        return True
    ignoring = stamp_of(f"{path}/.gitignore")
    return ignoring is not None and ignoring == known.ignoring


def _kind(entry: "os.DirEntry[str]") -> int:
    """The kind of an entry, links not followed, without a system call of its own."""
    if entry.is_symlink():
        return stat.S_IFLNK
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    return stat.S_IFREG if entry.is_file(follow_symlinks=False) else 0
