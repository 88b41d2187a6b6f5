"""Where Go imports lead: module paths of every go.mod, then the folder."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Self

from aoci_agent.views.graph.languages.finder import PlainFinder
from aoci_agent.views.graph.languages.go.build import is_built

_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
_PREFIX = "go:"


OTHERS = "#others"  # as a module: the files of a package that another build would take
MAIN = "#main"  # the others


def space_of(path: str, text: str) -> str:
    """The package a file belongs to; files left out of a usual build are a space of their own."""
    named = _PACKAGE.search(text)
    outer = path.endswith("_test.go") and named is not None and named[1].endswith("_test")
    kind = "#test" if outer else "" if is_built(path, text) else OTHERS
    return f"{_PREFIX}{path.rpartition('/')[0]}{kind}"


class GoFinder(PlainFinder):
    """Knows the folders that hold packages and the modules they are part of."""

    def __init__(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> None:
        self._folders = {path.rpartition("/")[0] for path in paths}
        modules: list[tuple[str, str]] = []
        for path, data in settings.items():
            if found := _MODULE.search(data.decode("utf-8", "replace")):
                modules.append((found[1], path.rpartition("/")[0]))
        self._modules = sorted(modules, key=lambda pair: (-len(pair[0]), pair))

    def find(self, path: str, module: str) -> str:
        if module in (OTHERS, MAIN):
            folder = path.rpartition("/")[0]
            return f"{_PREFIX}{folder}{module if module == OTHERS else ''}"
        for prefix, root in self._modules:
            if module == prefix or module.startswith(f"{prefix}/"):
                inner = module[len(prefix) :].strip("/")
                folder = "/".join(part for part in (root, inner) if part)
                return f"{_PREFIX}{folder}" if folder in self._folders else ""
        return ""

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """The last part of a module, which is that of a folder or of what go.mod says."""
        if kind != "find" or name in (OTHERS, MAIN):
            return None
        return name.rstrip("/").rpartition("/")[2]

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str]:
        """Folders that became packages, or are none any more."""
        folders = self._folders ^ before._folders
        roots = (prefix for prefix, root in self._modules if root in folders)
        return {place.rstrip("/").rpartition("/")[2] for place in (*folders, *roots)}
