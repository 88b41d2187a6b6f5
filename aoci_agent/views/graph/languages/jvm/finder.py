"""Packages of the JVM languages: spaces called as the package is."""

from collections.abc import Sequence


class PackageFinder:
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

    def implicit(self, path: str, space: str) -> Sequence[str]:
        return ()

    def given(self, path: str) -> Sequence[str]:
        return ()
