"""Where includes of C and C++ lead: beside the file, else to the header whose path ends like this."""

import posixpath
from collections.abc import Collection, Sequence
from typing import Self

from aoci_agent.aoci.resolve.include import is_system
from aoci_agent.aoci.resolve.nearness import shared_parts
from aoci_agent.views.graph.languages.finder import PlainFinder
from aoci_agent.views.graph.model import ALWAYS


class IncludeFinder(PlainFinder):
    """Knows every header by its name. A module is what is included, in its quotes or angles."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(paths):
            self._by_name.setdefault(posixpath.basename(path), []).append(path)
        self._found: dict[tuple[str, str], str] = {}

    def find(self, path: str, module: str) -> str:
        key = posixpath.dirname(path), module
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._find(*key)
        return found

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """The name of the header; `lstrip` below may take dots off."""
        file = posixpath.basename(name[1:-1])
        if kind != "find":
            return None
        return ALWAYS if file in ("", ".", "..") else file.lstrip(".")

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str]:
        """The names of the files."""
        return [posixpath.basename(path).lstrip(".") for path in paths]

    def _find(self, folder: str, module: str) -> str:
        written, angles = module[1:-1], module[:1] == "<"
        beside = posixpath.normpath(posixpath.join(folder, written))
        if not angles and beside in self._paths:
            return beside
        if is_system(written) and (angles or posixpath.basename(written) not in self._by_name):
            return ""
        inner = posixpath.normpath(written).lstrip("./")
        found = [
            path
            for path in self._by_name.get(posixpath.basename(inner), ())
            if path == inner or path.endswith(f"/{inner}")
        ]
        return min(found, key=lambda path: _far(folder, path), default="")


def _far(folder: str, path: str) -> tuple[int, int, str]:
    """The file that shares the longest way, then the one least deep."""
    return -shared_parts(folder, posixpath.dirname(path)), path.count("/"), path
