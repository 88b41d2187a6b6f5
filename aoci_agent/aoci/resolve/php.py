"""PHP names: imported, written out in full, or of the file's own namespace; required files and views."""

import posixpath
import re
from collections.abc import Mapping

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links
from aoci_agent.aoci.resolve.namespaces import Namespaces, spaces_of

_VIEWS = re.compile(r"(?:^|/)(?:views|Pages|pages)/(.+?)(?:\.blade)?\.(?:php|vue|tsx|jsx|svelte)\Z")
# Vendors that publish many packages under their name: the second part tells which one.
_WIDE = frozenset(
    ("Symfony", "Illuminate", "Laravel", "Doctrine", "League", "Google", "Aws", "Spatie")
)
_DULL = frozenset(("Component", "Bundle", "Contracts", "Support"))


class PhpResolver:
    """Knows which file defines which name of which namespace, and every template by its name."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._world = world
        self._names = Namespaces(world, "php")
        spaces = (spaces_of(facts) for facts in world.values() if facts.language == "php")
        self._tops = {space.split("\\")[0] for found in spaces for space in found if space}
        self._views: dict[str, str] = {}
        for path in sorted(world, reverse=True):
            if found := _VIEWS.search(path):
                self._views[found[1].replace("/", ".")] = path

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        spaces = spaces_of(facts)
        for item in facts.imports:
            if item.module == "view:":
                self._show(path, item.names, links)
            elif item.module.startswith("./"):
                self._require(path, item.module, links)
            else:
                self._import(path, item.module, item.names, links)
        for word, uses in facts.words:
            seen = spaces if word[:1].isupper() else (*spaces, "")
            if target := self._names.find(path, seen, word):
                links.add(path, target, word, uses)

    def note(self, path: str, facts: Facts) -> None:
        self._names.note(path, facts)

    def _import(
        self, path: str, space: str, names: tuple[tuple[str, int], ...], links: Links
    ) -> None:
        for name, uses in names:
            target = self._names.find(path, (space,), name)
            if target:
                links.add(path, target, name, uses)
            elif space.split("\\")[0] not in self._tops:
                if space:
                    links.add_outside(path, _package(space), uses)
            elif self._names.has(space) and not self._names.has(f"{space}\\{name}"):
                links.missing.setdefault(path, []).append(f"{space}\\{name}")

    def _require(self, path: str, module: str, links: Links) -> None:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
        for candidate in (place, posixpath.normpath(module)):
            if candidate in self._world:
                links.add(path, candidate, "*", 1)
                return

    def _show(self, path: str, names: tuple[tuple[str, int], ...], links: Links) -> None:
        for name, uses in names:
            plain = name.rpartition("::")[2].replace("/", ".")
            if target := self._views.get(plain) or self._views.get(f"{plain}.index"):
                links.add(path, target, "*", uses)


def _package(space: str) -> str:
    first, *rest = space.split("\\")
    inner = next((part for part in rest if part not in _DULL), rest[0] if rest else "")
    return f"{first}/{inner}" if first in _WIDE and inner else first
