"""Where Python imports lead: modules by path, under each root they can be imported from."""

import sys
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Self

from aoci_agent.views.graph.languages.finder import PlainFinder

_ENDINGS = (".py", "/__init__.py", ".pyi", "/__init__.pyi")


class PythonFinder(PlainFinder):
    """Knows every module of the repository. A folder without `__init__.py` is the space `folder/`."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = frozenset(paths)
        self._folders: set[str] = set()
        for path in paths:
            folder = path.rpartition("/")[0]
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]
        self._roots = self._find_roots()
        self._found: dict[tuple[str, str], str] = {}

    def find(self, path: str, module: str) -> str:
        key = (path.rpartition("/")[0], module)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._find(*key)
        return found

    def child(self, space: str, name: str) -> str:
        if space.endswith("/"):
            return self._module(f"{space}{name}")
        folder, _, last = space.rpartition("/")
        if last.partition(".")[0] != "__init__":
            return ""
        return self._module(_join(folder, name))

    def given(self, path: str) -> Sequence[str]:
        """The module itself, then every `conftest.py` above it."""
        folders = [str(folder) for folder in PurePosixPath(path).parents]
        near = (_join("" if folder == "." else folder, "conftest.py") for folder in folders)
        return [path, *(place for place in near if place in self._paths and place != path)]

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """The last part of what is looked for: the name of a file or folder."""
        match kind:
            case "find":
                inner = name.lstrip(".")
                if inner or not name:
                    return inner.rpartition(".")[2]
                return _base(where.rpartition("/")[0], len(name)).rpartition("/")[2]
            case "child":
                return name
            case "given":
                return "conftest"
            case _:
                return None

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str]:
        """The names of the files, of packages and folders that came or went, and of all below such roots."""
        roots = self._all_roots ^ before._all_roots
        found = {folder.rpartition("/")[2] for folder in self._folders ^ before._folders}
        below = (
            path
            for path in (self._paths | before._paths if roots else ())
            if any(_above(root, path) for root in roots)
        )
        for path in (*paths, *below):
            folder, _, file = path.rpartition("/")
            stem = file.removesuffix(".pyi").removesuffix(".py")
            if roots:  # folders are imported, too
                found.update(folder.split("/"))
            found.add(folder.rpartition("/")[2] if stem == "__init__" else stem)
            found.add(stem)
        return found

    def _find(self, folder: str, module: str) -> str:
        inner = module.lstrip(".")
        level = len(module) - len(inner)
        inner = inner.replace(".", "/")
        if level:
            return self._module(_join(_base(folder, level), inner))
        top = inner.partition("/")[0]
        roots = self._roots_for(folder, top)
        if (
            top in sys.stdlib_module_names
        ):  # hidden only by a module beside or above the importing one
            roots = [root for root in roots if _above(root, folder)]
        places = [_join(root, inner) for root in roots]
        found = next((found for place in places if (found := self._file(place))), "")
        if found or top in sys.stdlib_module_names:
            return found
        return next((f"{place}/" for place in places if place in self._folders), "")

    def _module(self, place: str) -> str:
        if not place:
            return next((e[1:] for e in _ENDINGS if e[0] == "/" and e[1:] in self._paths), "")
        return self._file(place) or (f"{place}/" if place in self._folders else "")

    def _file(self, place: str) -> str:
        return next((place + end for end in _ENDINGS if place + end in self._paths), "")

    def _find_roots(self) -> dict[str, list[str]]:
        """First part of a module name -> folders it can be imported from."""
        packages = {
            path.rpartition("/")[0] for path in self._paths if path.endswith("/__init__.py")
        }
        roots = {""}
        for path in sorted(self._paths):
            folder = path.rpartition("/")[0]
            while folder in packages:
                folder = folder.rpartition("/")[0]
            roots.add(folder)
            parts = folder.split("/")
            if "src" in parts:
                roots.add("/".join(parts[: parts.index("src") + 1]))
        self._all_roots = frozenset(roots)
        tops: dict[str, set[str]] = {}
        for path in self._paths:
            above = path
            while above:
                above, _, last = above.rpartition("/")
                if above in roots:
                    tops.setdefault(last.split(".")[0], set()).add(above)
        return {
            top: sorted(found, key=lambda root: (len(root), root)) for top, found in tops.items()
        }

    def _roots_for(self, folder: str, top: str) -> list[str]:
        """The deepest root above the importing file first, then the others, shortest first."""
        found = self._roots.get(top, [])
        return sorted(found, key=lambda root: -len(root) if _above(root, folder) else 1)


def _base(folder: str, level: int) -> str:
    """The folder that so many dots mean in a file of a folder."""
    base = PurePosixPath(folder)
    for _ in range(level - 1):
        base = base.parent
    return "" if str(base) == "." else str(base)


def _above(root: str, folder: str) -> bool:
    return not root or folder == root or folder.startswith(f"{root}/")


def _join(folder: str, inner: str) -> str:
    return f"{folder}/{inner}" if folder and inner else folder or inner
