"""Namespaces of C#: a space is called as the namespace is."""

import posixpath
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Self

from aoci_agent.views.graph.languages.finder import PlainFinder

_GLOBAL = frozenset(
    ("globalusings.cs", "usings.cs", "globalusing.cs", "globalimports.cs", "imports.cs")
)


class NamespaceFinder(PlainFinder):
    """Any text may be a namespace. `*global` is the file of a project's `global using` directives."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._global: dict[str, str] = {}
        for path in sorted(paths):
            folder, name = posixpath.split(path)
            if name.lower() in _GLOBAL:
                self._global.setdefault(folder, path)

    def find(self, path: str, module: str) -> str:
        if module != "*global":
            return module
        above = (
            "" if str(folder) == "." else str(folder) for folder in PurePosixPath(path).parents
        )
        for folder in above:
            if folder in self._global:
                return self._global[folder]
        return ""

    def child(self, space: str, name: str) -> str:
        return f"{space}.{name}" if space else name

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """Only the file of `global using` directives is looked for."""
        return name if kind == "find" and name == "*global" else None

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str]:
        """Where there is another one."""
        return ("*global",) if self._global != before._global else ()
