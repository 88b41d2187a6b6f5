"""Where `require` leads in Ruby: beside the file, or below any folder that is loaded from."""

import posixpath
from collections.abc import Collection, Iterator, Sequence
from typing import Self

from aoci_agent.views.graph.languages.finder import PlainFinder
from aoci_agent.views.graph.model import ALWAYS

_ROOTS = ("lib", "test", "spec", "app", "ext")


class RequireFinder(PlainFinder):
    """Knows the files by the names they are required under; those beside begin with `./`."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = frozenset(paths)
        self._required: dict[str, list[str]] = {}
        for path in sorted(paths):
            for name in _names(path):
                self._required.setdefault(name, []).append(path)

    def find(self, path: str, module: str) -> str:
        if module.startswith("./"):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
            return next((p for p in (place, f"{place}.rb") if p in self._paths), "")
        found = self._required.get(module.removesuffix(".rb"), [])
        return max(
            found, key=lambda other: (len(posixpath.commonprefix([path, other])), other), default=""
        )

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """The name of the file."""
        if kind != "find":
            return None
        place = name
        if name.startswith("./"):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(where), name))
        file = _bare(place)
        return ALWAYS if file in ("", ".", "..") else file

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str]:
        """The names of the files."""
        return [_bare(path) for path in paths]


def _bare(path: str) -> str:
    name = posixpath.basename(path)
    while name.endswith(".rb"):
        name = name.removesuffix(".rb")
    return name


def _names(path: str) -> Iterator[str]:
    parts = path.removesuffix(".rb").split("/")
    for number, part in enumerate(parts[:-1]):
        if part in _ROOTS:
            yield "/".join(parts[number + 1 :])
