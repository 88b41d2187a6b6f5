"""Where Rust paths begin: the module tree by the places of files, crates by their manifests."""

import posixpath
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Self, cast

from aoci_agent.views.graph.languages.finder import PlainFinder
from aoci_agent.views.graph.model import ALWAYS

_ROOTS = ("lib.rs", "main.rs")
_HEADS = ("mod.rs", *_ROOTS)
_ROOT_FOLDERS = frozenset(("bin", "tests", "benches", "examples", "fuzz_targets"))


class CrateFinder(PlainFinder):
    """Knows the file of every module. A module's text is `crate`, `self`, `super` or a crate, `::` between."""

    def __init__(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> None:
        self._paths = frozenset(paths)
        self._libraries: dict[str, str] = {}
        for path, data in sorted(settings.items()):
            for name, root in self._library(posixpath.dirname(path), data):
                self._libraries.setdefault(name, root)

    def find(self, path: str, module: str) -> str:
        first, *rest = module.split("::")
        if first == "crate":
            place = self._root(path)
        elif first == "self":
            place = path
        elif first == "super":
            place = self._parent(path)
        else:
            place = self._libraries.get(first, "")
        for part in rest:
            if place:
                place = self._parent(place) if part == "super" else self.child(place, part)
        return place

    def child(self, space: str, name: str) -> str:
        folder, file = posixpath.split(space)
        inner = posixpath.join(folder, file.removesuffix(".rs"))
        folders = (
            [folder] if file in _HEADS else [inner, folder] if self._is_root(space) else [inner]
        )
        for where in folders:
            for end in (f"{name}.rs", f"{name}/mod.rs"):
                place = posixpath.join(where, end)
                if place in self._paths and place != space:
                    return place
        return ""

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """The module asked for; which module a file is in hangs on files with others below them only."""
        if kind == "child":
            return name
        parts = [part for part in name.split("::")[1:] if part != "super"]
        if kind != "find" or not parts:
            return None
        return parts[0] if len(parts) == 1 else ALWAYS

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str] | None:
        """The modules of the files; everything where a crate, or modules of other files, moved."""
        if self._libraries != before._libraries:
            return None
        found: set[str] = set()
        inner: set[str] = set()
        for path in paths:
            folder, file = posixpath.split(path)
            below = folder if file in _HEADS else path.removesuffix(".rs")
            found.update((posixpath.basename(below), file.removesuffix(".rs")))
            inner.add(below)
        places = tuple(f"{folder}/" if folder else "" for folder in inner)
        stay = self._paths & before._paths
        return None if any(path.startswith(places) for path in stay) else found

    def _library(self, folder: str, data: bytes) -> Iterator[tuple[str, str]]:
        """Name of a library, as code writes it, and the file it begins with."""
        try:
            stated = tomllib.loads(data.decode("utf-8", "replace"))
        except tomllib.TOMLDecodeError:
            return
        package, library = _table(stated, "package"), _table(stated, "lib")
        name = library.get("name") or package.get("name")
        if not isinstance(name, str):
            return
        for end in (library.get("path"), "src/lib.rs", "lib.rs"):
            place = posixpath.normpath(posixpath.join(folder, str(end))) if end else ""
            if place in self._paths:
                yield name.replace("-", "_"), place
                return

    def _is_root(self, path: str) -> bool:
        folder, file = posixpath.split(path)
        return (
            file in _ROOTS or posixpath.basename(folder) in _ROOT_FOLDERS or not self._parent(path)
        )

    def _parent(self, path: str) -> str:
        """The file that a module belongs to, "" for the first of a crate."""
        folder, file = posixpath.split(path)
        if file in _ROOTS or posixpath.basename(folder) in _ROOT_FOLDERS:
            return ""
        if file == "mod.rs":
            folder = posixpath.dirname(folder)
            if folder == posixpath.dirname(path):
                return ""
        for head in _HEADS:
            if (place := posixpath.join(folder, head)) in self._paths:
                return place
        above = f"{folder}.rs"
        return above if folder and above in self._paths else ""

    def _root(self, path: str) -> str:
        while above := self._parent(path):
            path = above
        return path


def _table(stated: dict[str, Any], name: str) -> dict[str, Any]:
    found = stated.get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
