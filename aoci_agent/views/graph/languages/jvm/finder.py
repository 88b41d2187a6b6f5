"""Packages of the JVM languages: spaces called as the package is."""

from collections.abc import Collection, Sequence
from typing import Self

from aoci_agent.views.graph.languages.finder import PlainFinder


class PackageFinder(PlainFinder):
    """Knows the packages of the repository by the folders their files are in."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._packages: set[str] = set()
        for folder in {path.rpartition("/")[0] for path in paths}:
            parts = folder.split("/")
            self._packages.update(".".join(parts[at:]) for at in range(len(parts)))

    def find(self, path: str, module: str) -> str:
        return module if module in self._packages else ""

    def child(self, space: str, name: str) -> str:
        return self.find("", f"{space}.{name}")

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """The package asked for."""
        return name if kind == "find" else f"{where}.{name}" if kind == "child" else None

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str]:
        """Packages that came or went."""
        return self._packages ^ before._packages
