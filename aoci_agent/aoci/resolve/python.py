"""Python imports: relative, absolute over detected source roots, re-exports followed."""

import sys
from collections.abc import Mapping
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts, Import
from aoci_agent.aoci.resolve.links import Links

MAX_HOPS = 4


class PythonResolver:
    """Knows every module of the repository under each root it can be imported from."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._world = {path: facts for path, facts in world.items() if facts.language == "python"}
        self._symbols = {path: facts.defined for path, facts in self._world.items()}
        self._roots = self._find_roots()
        self._ordered: dict[tuple[str, str], list[str]] = {}
        self._definers: dict[tuple[str, str], str] = {}

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        for item in facts.imports:
            base = self._base(path, item)
            if base is None:
                top = item.module.split(".")[0]
                if top not in sys.stdlib_module_names:
                    links.add_outside(path, top, sum(uses for _, uses in item.names) or 1)
                continue
            for name, uses in item.names:
                target = self._submodule(base, name) or self._definer(base, name)
                if target:
                    links.add(path, target, name, uses)

    def note(self, path: str, facts: Facts) -> None:
        self._world[path] = facts
        self._symbols[path] = facts.defined
        self._definers.clear()

    def _find_roots(self) -> dict[str, list[str]]:
        """First part of a module name -> folders it can be imported from.

        Those are the folders above topmost packages, and those that hold plain scripts.
        """
        packages = {str(PurePosixPath(p).parent) for p in self._world if p.endswith("__init__.py")}
        roots = {"."}
        for path in self._world:
            folder = PurePosixPath(path).parent
            while str(folder) in packages and str(folder) != ".":
                folder = folder.parent
            roots.add(str(folder))
            if "src" in folder.parts:
                roots.add("/".join(folder.parts[: folder.parts.index("src") + 1]))
        tops: dict[str, set[str]] = {}
        for path in self._world:
            inner = PurePosixPath(path)
            for above in inner.parents:
                if str(above) in roots:
                    top = inner.parts[len(above.parts)]
                    tops.setdefault(top.split(".")[0], set()).add(str(above))
        return {
            top: sorted(found, key=lambda root: (len(root), root)) for top, found in tops.items()
        }

    def _roots_for(self, path: str, top: str) -> list[str]:
        """Candidate roots, the nearest one above the importing file first."""
        key = (path.rpartition("/")[0], top)
        if key not in self._ordered:
            found = self._roots.get(top, [])
            self._ordered[key] = sorted(found, key=lambda root: _distance(path, root))
        return self._ordered[key]

    def _base(self, path: str, item: Import) -> str | None:
        """The module's place without suffix, or None when it is not of this repository."""
        inner = item.module.replace(".", "/")
        if item.level:
            folder = PurePosixPath(path).parent
            for _ in range(item.level - 1):
                folder = folder.parent
            return _join(str(folder), inner)
        for root in self._roots_for(path, item.module.split(".")[0]):
            place = _join(root, inner)
            if self._module(place) or self._is_namespace(place, item):
                return place
        return None

    def _is_namespace(self, place: str, item: Import) -> bool:
        return any(self._module(f"{place}/{name}") for name, _ in item.names if name != "*")

    def _module(self, place: str) -> str:
        tries = (place + ending for ending in (".py", "/__init__.py", ".pyi", "/__init__.pyi"))
        return next((candidate for candidate in tries if candidate in self._world), "")

    def _submodule(self, base: str, name: str) -> str:
        return self._module(f"{base}/{name}") if name != "*" else self._module(base)

    def _definer(self, base: str, name: str, hops: int = 0) -> str:
        """The file that defines `name`, looking through re-exports; the module itself otherwise."""
        module = self._module(base)
        if not module or name in self._symbols[module] or hops >= MAX_HOPS:
            return module
        if (module, name) not in self._definers:
            self._definers[module, name] = module  # what a circle of re-exports finds
            self._definers[module, name] = self._behind(module, name, hops)
        return self._definers[module, name]

    def _behind(self, module: str, name: str, hops: int) -> str:
        for item in self._world[module].imports:
            names = {imported for imported, _ in item.names}
            if name not in names and "*" not in names:
                continue
            inner = self._base(module, item)
            if inner is None:
                continue
            if name in names:
                return (
                    self._submodule(inner, name) or self._definer(inner, name, hops + 1) or module
                )
            found = self._definer(inner, name, hops + 1)
            if found and name in self._symbols[found]:
                return found
        return module


def _join(folder: str, inner: str) -> str:
    return "/".join(part for part in (folder if folder != "." else "", inner) if part)


def _distance(path: str, root: str) -> int:
    """Less for the deeper of the roots above a file; the same for all others."""
    return -len(root) if root == "." or path.startswith(f"{root}/") else 1
