"""Who uses whom: the file graph, the use counts of symbols, and what comes from outside."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from aoci_agent.aoci.facts.model import Facts


@dataclass
class Links:
    """The repository's reference graph. All maps are keyed by repository path."""

    edges: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    outside: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    used_by: dict[tuple[str, str], set[str]] = field(
        default_factory=dict[tuple[str, str], set[str]]
    )
    missing: dict[str, list[str]] = field(
        default_factory=dict[str, list[str]]
    )  # local but not found

    def add(self, source: str, target: str, names: Iterable[tuple[str, int]]) -> None:
        """Record that `source` uses these symbols of `target`, with use counts."""
        if source == target:
            return
        row = self.edges.setdefault(source, {})
        for name, uses in names:
            row[target] = row.get(target, 0) + uses
            if name != "*":
                self.used_by.setdefault((target, name), set()).add(source)

    def add_outside(self, source: str, package: str, uses: int) -> None:
        """Record that `source` uses a package that is not part of the repository."""
        row = self.outside.setdefault(source, {})
        row[package] = row.get(package, 0) + uses


class Resolver(Protocol):
    """One language family's rules. `resolve` adds to the links what one file imports."""

    def resolve(self, path: str, facts: Facts, links: Links) -> None: ...


def resolve(world: Mapping[str, Facts]) -> Links:
    """Resolve every import of the repository, in path order."""
    from aoci_agent.aoci.resolve.contracts import join_contracts
    from aoci_agent.aoci.resolve.go import GoResolver
    from aoci_agent.aoci.resolve.python import PythonResolver
    from aoci_agent.aoci.resolve.typescript import ScriptResolver

    script = ScriptResolver(world)
    resolvers: dict[str, Resolver] = {
        "python": PythonResolver(world),
        "go": GoResolver(world),
        "typescript": script,
        "tsx": script,
        "javascript": script,
    }
    links = Links()
    for path in sorted(world):
        facts = world[path]
        resolver = resolvers.get(facts.language)
        if resolver is not None:
            resolver.resolve(path, facts, links)
    join_contracts(world, links)
    return links
