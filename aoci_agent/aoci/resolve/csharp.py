"""C# names: in the file's namespace and those around it, then in the namespaces it uses."""

from collections.abc import Iterator, Mapping

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links
from aoci_agent.aoci.resolve.namespaces import Namespaces, outward, spaces_of

_PARTS = 2  # of an outside namespace that tell which package it is


class CSharpResolver:
    """Knows which files define which types and extension methods of which namespace."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._types = Namespaces(world, "csharp", _types)
        self._extensions = Namespaces(world, "csharp", _extensions)
        self._projects = sorted(
            (path.rpartition("/")[0] for path in world if path.endswith(".csproj")),
            key=lambda folder: (-len(folder), folder),
        )
        self._global: dict[str, set[str]] = {}  # project -> namespaces all its files use
        spaces: set[str] = set()
        for path, facts in world.items():
            if facts.language == "csharp":
                used = dict(facts.settings).get("global using", "").split()
                self._global.setdefault(self._project(path), set()).update(used)
                spaces.update(space for one in spaces_of(facts) for space in outward(one, "."))
        self._spaces = spaces - {""}

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        own = [space for one in spaces_of(facts) for space in outward(one, ".")]
        used = [self._meant(item.module, own) for item in facts.imports if ("*", 1) in item.names]
        used += sorted(self._global.get(self._project(path), ()))
        spaces = list(dict.fromkeys((*own, *used)))
        for word, uses in facts.words:
            table = self._extensions if word[0] == "." else self._types
            name = word.lstrip(".")
            if target := table.find(path, spaces, name):
                links.add(path, target, name, uses)
        for item in facts.imports:
            module = self._meant(item.module, own)
            if module in self._spaces:
                for name, uses in item.names:
                    if name != "*" and (target := self._types.find(path, (module,), name)):
                        links.add(path, target, name, uses)
            elif package := _package(item.module):
                links.add_outside(path, package, 1)

    def note(self, path: str, facts: Facts) -> None:
        self._types.note(path, facts)
        self._extensions.note(path, facts)

    def _meant(self, module: str, around: list[str]) -> str:
        """A namespace in full: it may be written from any of those around the file."""
        tries = (f"{space}.{module}" for space in around if space)
        return next((space for space in tries if space in self._spaces), module)

    def _project(self, path: str) -> str:
        """The nearest folder above with a project file."""
        return next((f for f in self._projects if not f or path.startswith(f"{f}/")), "")


def _types(facts: Facts) -> Iterator[str]:
    return (s.name for s in facts.symbols if not s.owner and s.kind != "function")


def _extensions(facts: Facts) -> Iterator[str]:
    return (s.name for s in facts.symbols if not s.owner and s.kind == "function")


def _package(module: str) -> str:
    """`Microsoft.EntityFrameworkCore.Metadata` -> `EntityFrameworkCore.Metadata`; none for System."""
    first, *rest = module.split(".")
    if first == "System" or not module:
        return ""
    parts = rest if first == "Microsoft" and rest else [first, *rest]
    return ".".join(parts[:_PARTS])
