"""Who uses whom: the file graph, the use counts of symbols, and what comes from outside."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import PurePosixPath
from typing import Protocol, cast, runtime_checkable

from aoci_agent.aoci.facts.languages import BY_NAME
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.mounts import mounted

Row = dict[str, int]
_VARIABLE = re.compile(r"\{[^}]*\}|\[[^\]]*\]|:\w+|<[^>]*>|\*")
_PART = re.compile(r"\w+")  # of a qualified name


@dataclass
class Links:
    """The repository's reference graph. All maps are keyed by repository path."""

    edges: dict[str, Row] = field(default_factory=dict[str, Row])
    outside: dict[str, Row] = field(default_factory=dict[str, Row])
    used_by: dict[tuple[str, str], set[str]] = field(
        default_factory=dict[tuple[str, str], set[str]]
    )
    missing: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # local, not found
    mounted: dict[str, tuple[str, ...]] = field(  # file -> paths its routes are reached under
        default_factory=dict[str, tuple[str, ...]]
    )

    def add(self, source: str, target: str, name: str, uses: int) -> None:
        """Record that `source` uses a symbol of `target` so many times."""
        if source == target:
            return
        row = self.edges.setdefault(source, {})
        row[target] = row.get(target, 0) + uses
        if name != "*":
            self.used_by.setdefault((target, name), set()).add(source)

    def add_outside(self, source: str, package: str, uses: int) -> None:
        """Record that `source` uses a package that is not part of the repository."""
        row = self.outside.setdefault(source, {})
        row[package] = row.get(package, 0) + uses

    def drop(self, sources: Iterable[str]) -> None:
        """Forget what these files use."""
        gone = set(sources)
        for source in gone:
            self.edges.pop(source, None)
            self.outside.pop(source, None)
            self.missing.pop(source, None)
        for users in self.used_by.values():
            users -= gone


class Resolver(Protocol):
    """One language family's rules."""

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        """Add to the links what one file imports."""

    def note(self, path: str, facts: Facts) -> None:
        """Take in that a known file now defines other symbols."""


@runtime_checkable
class Reaching(Protocol):
    """A resolver whose imports lead through files: one's own imports are seen by others."""

    def reach(self, path: str) -> set[str]:
        """Files whose imports may mean something else after the change last noted of this one."""
        ...


class Linker:
    """The links of a world. `relink` keeps them in step in proportion to what a change reaches."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self.links = Links()
        self._world = world
        self._resolvers = _resolvers(world)
        self.links.mounted = mounted(world, self._resolvers)
        self._served: dict[str, set[tuple[str, str]]] = {}
        for path, facts in world.items():
            for route in facts.routes:
                verb, _, url = route.partition(" ")
                for prefix in ("", *self.links.mounted.get(path, ())):
                    self._served.setdefault(route_shape(f"{prefix}{url}"), set()).add((verb, path))
        self._link(sorted(world))

    def relink(self, before: Mapping[str, Facts]) -> None:
        """Follow changes of known files; `before` holds their earlier facts, the world the new."""
        reached = set(before)
        for path, facts in before.items():
            if _face(facts) != _face(self._world[path]):
                resolver = self._resolvers.get(facts.language)
                if resolver is not None:
                    resolver.note(path, self._world[path])
                if isinstance(resolver, Reaching):
                    reached |= resolver.reach(path)
                reached |= self._dependents(path)
                changed = _shown(facts) ^ _shown(self._world[path])
                reached |= self._mentioning({name for name, _, _ in changed})
        self.links.drop(reached)
        self._link(sorted(reached))

    def _link(self, paths: Iterable[str]) -> None:
        for path in paths:
            facts = self._world[path]
            if resolver := self._resolvers.get(facts.language):
                resolver.resolve(path, facts, self.links)
            for call in facts.calls:  # requests lead to the file that answers, in any language
                verb, _, url = call.rpartition(" ")
                for serving, target in sorted(self._served.get(route_shape(url), ())):
                    if not verb or serving in (verb, "ANY"):
                        self.links.add(path, target, "*", 1)

    def _dependents(self, path: str) -> set[str]:
        """Files of the same folder, and those that reach it directly or through a package's face."""
        folders = {_folder(path)}
        for source, row in self.links.edges.items():
            face = PurePosixPath(source).stem in ("__init__", "index")
            if face and any(_folder(target) == _folder(path) for target in row):
                folders.add(_folder(source))
        return {
            source
            for source, row in self.links.edges.items()
            if _folder(source) in folders or any(_folder(target) in folders for target in row)
        } | {source for source in self._world if _folder(source) == _folder(path)}

    def _mentioning(self, names: set[str]) -> set[str]:
        """Files that name one of these: a namespace reaches every folder."""
        return {
            path
            for path, facts in self._world.items()
            if names and any(not names.isdisjoint(_PART.findall(word)) for word in _named(facts))
        }


def resolve(world: Mapping[str, Facts]) -> Links:
    """Resolve every import of the repository, in path order."""
    return Linker(world).links


def needs_all(before: Facts, after: Facts) -> bool:
    """Whether a change of one file may change what any other file's imports mean."""
    moved = before.settings != after.settings or before.routes != after.routes
    return moved or before.mounts != after.mounts or before.language != after.language


def _face(facts: Facts) -> object:
    """What other files' imports can see of a file."""
    imported = [
        (item.module, item.level, [name for name, _ in item.names]) for item in facts.imports
    ]
    return _shown(facts), facts.exports, imported


def _shown(facts: Facts) -> set[tuple[str, str, bool]]:
    """The names of the top level, each with its kind and whether other files may use it."""
    return {(s.name, s.kind, s.public) for s in facts.symbols if not s.owner}


def _named(facts: Facts) -> Iterator[str]:
    yield from (word for word, _ in facts.words)
    yield from (name for item in facts.imports for name, _ in item.names)
    yield from (item.module for item in facts.imports)  # a type as the module of what it holds


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def route_shape(url: str) -> str:
    """A path with every variable alike, without the prefixes proxies add."""
    return _VARIABLE.sub("*", url.split("?")[0]).strip("/").removeprefix("api/")


def _resolvers(world: Mapping[str, Facts]) -> dict[str, Resolver]:
    """Language name -> the resolver of its family, for the languages that occur."""
    families: dict[str, Resolver] = {}
    found: dict[str, Resolver] = {}
    for name in sorted({facts.language for facts in world.values()}):
        family = BY_NAME[name].resolver if name in BY_NAME else ""
        if not family:
            continue
        if family not in families:
            module, _, kind = family.partition(":")
            made: object = getattr(import_module(f"aoci_agent.aoci.resolve.{module}"), kind)
            families[family] = cast("Callable[[Mapping[str, Facts]], Resolver]", made)(world)
        found[name] = families[family]
    return found
