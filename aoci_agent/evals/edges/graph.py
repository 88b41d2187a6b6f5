"""The import edges of a repository, one language at a time, as the index has them."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import cast

from aoci_agent.aoci.facts.languages import BY_NAME
from aoci_agent.aoci.facts.model import Facts, Import
from aoci_agent.aoci.generate import Derived
from aoci_agent.aoci.resolve.links import Links, Resolver
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.evals.edges.model import Edge, Share

# One oracle reads all languages of a family.
FAMILIES: Mapping[str, tuple[str, ...]] = {"typescript": ("typescript", "tsx", "javascript")}
_ASSETS = frozenset((".css", ".scss", ".less", ".sass", ".svg", ".png", ".jpg", ".webp", ".md"))


@dataclass(frozen=True)
class Graph:
    """Everything of one language family."""

    language: str
    files: frozenset[str]
    edges: tuple[Edge, ...]  # by source, then target
    resolved: Share  # local imports that lead to a file, of all that look local
    missing: tuple[str, ...]  # `file: module` of those that do not


def derive(root: Path) -> Derived:
    """Facts and links of a folder in memory; nothing is written to it."""
    with Workspace(root) as workspace, tempfile.TemporaryDirectory(prefix="aoci-edges-") as cache:
        found = IndexStore(workspace, Repository.find(workspace.root), Path(cache)).present()
        return found.derived


def graphs(derived: Derived) -> Iterator[Graph]:
    """One graph for each family of languages with a resolver that occurs here."""
    spoken = {facts.language for facts in derived.world.values()}
    heads = {name: head for head, names in FAMILIES.items() for name in names}
    for head in sorted({heads.get(name, name) for name in spoken}):
        if head in BY_NAME and BY_NAME[head].resolver:
            yield _graph(derived, head)


def _graph(derived: Derived, head: str) -> Graph:
    family = FAMILIES.get(head, (head,))
    files = frozenset(p for p, facts in derived.world.items() if facts.language in family)
    resolver = _resolver(head, derived.world)
    edges = tuple(_edges(derived, files, resolver))
    missing: list[str] = []
    found = 0
    local = _local(derived.world, head)
    for path in sorted(files):
        resolved, lost = _imports(path, derived.world[path], resolver, local)
        found += resolved
        missing += [f"{path}: {module}" for module in lost]
    return Graph(head, files, edges, Share(found, found + len(missing)), tuple(missing))


def _resolver(language: str, world: Mapping[str, Facts]) -> Resolver:
    module, _, kind = BY_NAME[language].resolver.partition(":")
    made: object = getattr(import_module(f"aoci_agent.aoci.resolve.{module}"), kind)
    return cast("Callable[[Mapping[str, Facts]], Resolver]", made)(world)


def _edges(derived: Derived, files: frozenset[str], resolver: Resolver) -> Iterator[Edge]:
    """What imports make of the links; requests to a server's paths are links of another kind."""
    links = derived.around.links
    names: dict[tuple[str, str], list[str]] = {}
    for (target, name), users in links.used_by.items():
        for source in users:
            names.setdefault((source, target), []).append(name)
    for source in sorted(files):
        imported = Links()
        resolver.resolve(source, derived.world[source], imported)
        entry = derived.made.by_path.get(source)
        shown = set(entry.relations) if entry is not None else set[str]()
        for target in sorted(links.edges.get(source, {})):
            if target in imported.edges.get(source, {}):
                told = tuple(sorted(names.get((source, target), ())))
                yield Edge(source, target, told, derived.around.names(target) in shown)


def _imports(
    path: str, facts: Facts, resolver: Resolver, local: Callable[[Import], bool]
) -> tuple[int, list[str]]:
    """How many local imports of a file lead somewhere, and the modules that do not."""
    before = Links()
    resolver.resolve(path, replace(facts, imports=()), before)
    found = 0
    lost: list[str] = []
    for item in facts.imports:
        links = Links()
        resolver.resolve(path, replace(facts, imports=(item,)), links)
        if links.missing != before.missing:
            lost.append(item.module)
        elif links.edges != before.edges:
            found += 1
        elif local(item) and not _is_own(path, item):
            lost.append("." * item.level + item.module)
    return found, lost


def _is_own(path: str, item: Import) -> bool:
    """A module named in itself, `use self::name` for one: no edge is right."""
    return PurePosixPath(path).suffix == ".rs" or PurePosixPath(item.module).suffix in _ASSETS


def _local(world: Mapping[str, Facts], head: str) -> Callable[[Import], bool]:
    """Whether an import looks like one of the repository's own, by its spelling alone."""
    if head == "python":
        tops = {
            parts[0].removesuffix(".py")
            for path, facts in world.items()
            if facts.language == "python"
            for parts in (path.removeprefix("src/").split("/"),)
        }
        return lambda item: bool(item.level) or item.module.split(".")[0] in tops
    if head == "go":
        modules = tuple(
            value
            for facts in world.values()
            if facts.language == "gomod"
            for key, value in facts.settings
            if key == "module"
        )
        return lambda item: any(
            item.module == module or item.module.startswith(f"{module}/") for module in modules
        )
    if head == "typescript":
        return lambda item: item.module.startswith((".", "@/", "~/"))
    return lambda item: False
