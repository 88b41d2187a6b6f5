"""Git's own folder, kept so that it can be brought back when all of it is gone.

Its small files are objects of a snapshot. Git's objects never change once written: the store has a
second name (a hard link) for each, or a copy on another file system.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

COPIED = 200_000_000  # bytes of objects that are copied where they cannot be linked
_FOLDER = re.compile(r"pack|[0-9a-f]{2}")


def private_folder(folder: Path) -> None:
    """A folder that only its owner may enter, and so what has to be made above it."""
    if not folder.is_dir():
        private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


class Objects:
    """The second names of the objects of one git folder, in `kept`."""

    def __init__(self, git: Path, kept: Path) -> None:
        self._git = git
        self._kept = kept
        self._looked: dict[str, int] = {}  # when each folder changed last
        self._copied = 0

    def follow(self) -> bool:
        """Take what is new; False when some of it is too large to be copied."""
        whole = True
        for folder in _folders(self._git):
            place = self._git / folder
            with suppress(OSError):
                changed = place.stat().st_mtime_ns
                if self._looked.get(folder) != changed:
                    taken = self._take(folder)
                    whole = whole and taken
                    self._looked[folder] = changed if taken else 0
        return whole

    def _take(self, folder: str) -> bool:
        target = self._kept / folder
        private_folder(target)
        there = {item.name for item in target.iterdir()}
        whole = True
        with os.scandir(self._git / folder) as found:
            for item in found:
                plain = item.is_file(follow_symlinks=False) and not item.name.startswith("tmp_")
                if plain and item.name not in there:
                    whole = self._name(item, target / item.name) and whole
        return whole

    def _name(self, item: "os.DirEntry[str]", target: Path) -> bool:
        try:
            os.link(item.path, target, follow_symlinks=False)
        except FileNotFoundError:
            return True
        except OSError:
            size = item.stat(follow_symlinks=False).st_size
            if self._copied + size > COPIED:
                return False
            self._copied += size
            part = target.with_name(f"{target.name}.part")
            shutil.copyfile(item.path, part, follow_symlinks=False)
            part.replace(target)
        return True

    def give_back(self, git: Path) -> None:
        """Put all of them into a git folder that is being made again."""
        for folder in _folders(self._kept):
            target = git / folder
            target.mkdir(parents=True, exist_ok=True)
            for item in (self._kept / folder).iterdir():
                if item.suffix == ".part":
                    continue
                try:
                    os.link(item, target / item.name, follow_symlinks=False)
                except OSError:
                    shutil.copyfile(item, target / item.name)
                    (target / item.name).chmod(0o444)

    def sweep(self) -> None:
        """Drop what git itself no longer has, and what a crash left. Not while git's folder is gone."""
        healthy = (self._git / "HEAD").is_file() and (self._git / "objects").is_dir()
        for folder in _folders(self._kept):
            for item in (self._kept / folder).iterdir():
                gone = healthy and not os.path.lexists(self._git / folder / item.name)
                if gone or item.suffix == ".part":
                    item.unlink(missing_ok=True)


def _folders(git: Path) -> Iterator[str]:
    """The folders of immutable objects: of the repository, of its submodules, of git-lfs."""
    yield from _of_one(git, "")
    yield from _of_submodules(git, "modules")
    for folder in _inside(git, "lfs/objects"):
        yield from _inside(git, folder)


def _of_one(git: Path, place: str) -> list[str]:
    found = _inside(git, f"{place}objects")
    return [folder for folder in found if _FOLDER.fullmatch(folder.rpartition("/")[2])]


def _of_submodules(git: Path, under: str) -> Iterator[str]:
    """Their names may hold "/"; what tells one is its objects, since nothing else of it is kept."""
    for place in _inside(git, under):
        found = _of_one(git, f"{place}/")
        yield from found
        yield from _of_submodules(git, f"{place}/modules" if found else place)


def _inside(git: Path, under: str) -> list[str]:
    """The folders in a folder, relative to `git`; links are none."""
    try:
        with os.scandir(git / under) as found:
            return sorted(f"{under}/{e.name}" for e in found if e.is_dir(follow_symlinks=False))
    except OSError:
        return []
