"""Namespaces of C#: a space is called as the namespace is."""

import posixpath
from collections.abc import Sequence
from pathlib import PurePosixPath

_GLOBAL = frozenset(
    ("globalusings.cs", "usings.cs", "globalusing.cs", "globalimports.cs", "imports.cs")
)


class NamespaceFinder:
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

    def implicit(self, path: str, space: str) -> Sequence[str]:
        return ()

    def given(self, path: str) -> Sequence[str]:
        return ()
