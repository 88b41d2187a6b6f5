"""Where imports of JavaScript and TypeScript lead: relative, by tsconfig, by packages of the repository."""

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Self

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.typescript import EXTENSIONS, ScriptResolver
from aoci_agent.views.graph.languages.finder import PlainFinder
from aoci_agent.views.graph.model import ALWAYS


class ScriptFinder(PlainFinder):
    """A module is a space, named by its path."""

    def __init__(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> None:
        world = {path: extract(path, data) for path, data in sorted(settings.items())}
        for path in paths:
            known = language_of(path)
            world[path] = Facts(known.name if known is not None else "javascript")
        self._paths = frozenset(paths)
        self._resolver = ScriptResolver(world)
        self._settings = {path: world[path] for path in settings}

    def find(self, path: str, module: str) -> str:
        found, _ = self._resolver.target(path, module)
        return found if found in self._paths else ""

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """The last part of the place, as a module says it: with or without an ending."""
        module = name.partition("?")[0]
        if kind != "find":
            return None
        if module.startswith("."):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(where), module))
            last = posixpath.basename(place)
            return ALWAYS if last in (".", "..") else last
        parts = module.split("/")
        return ALWAYS if {"", ".", ".."}.intersection(parts) else parts[-1]

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str] | None:
        """The last parts of places the files are found at, and the packages that begin there."""
        places = {place for path in paths for place in _places(path)}
        names = {posixpath.basename(place) for place in places}
        if any(name.endswith(end) for name in names for end in self._ends()):
            return None
        heads = {name for place, name in self._heads() if place in places}
        return names | {name.rpartition("/")[2] for name in heads}

    def _ends(self) -> Iterator[str]:
        """How places end that aliases put for modules which end otherwise."""
        for path, facts in self._settings.items():
            told = dict(facts.settings) if facts.language == "tsconfig" else {}
            folder = posixpath.join(posixpath.dirname(path), told.get("base_url", ""))
            for key, value in told.items():
                alias, star, tail = key.removeprefix("path ").partition("*")
                plain = star and not tail and alias[-1:] in ("", "/")
                for target in value.split() if key.startswith("path ") else ():
                    last = posixpath.basename(posixpath.normpath(posixpath.join(folder, target)))
                    if not plain or last != "*":
                        yield "" if last in (".", "..") else last.rpartition("*")[2]

    def _heads(self) -> Iterator[tuple[str, str]]:
        """Places at which a package begins, and its name."""
        for path, facts in self._settings.items():
            told = dict(facts.settings)
            if facts.language == "package" and (name := told.get("package")):
                for inner in (told.get("entry", ""), "src/index", "index"):
                    yield posixpath.normpath(posixpath.join(posixpath.dirname(path), inner)), name


def _places(path: str) -> Iterator[str]:
    """What a module may say to mean a file."""
    yield path
    for ending in EXTENSIONS:
        if path.endswith(ending):
            stem = path.removesuffix(ending)
            yield stem
            yield from (stem + written for written in (".js", ".jsx", ".mjs", ".cjs"))
            if posixpath.basename(stem) == "index":
                yield posixpath.dirname(stem)
