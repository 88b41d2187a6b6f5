"""Where routers stand: the path a file's routes are reached under, through the files that mount it."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from aoci_agent.aoci.facts.model import Facts

_DEEP = 4
_MOST = 3  # paths told of one router


@runtime_checkable
class Mounting(Protocol):
    """A resolver whose language puts routers in place file by file."""

    def mounted(self, path: str, facts: Facts) -> list[tuple[str, str]]:
        """(prefix, file) of the routers a file mounts."""
        ...


def mounted(
    world: Mapping[str, Facts], resolvers: Mapping[str, object]
) -> dict[str, tuple[str, ...]]:
    """File -> the whole prefixes its routes are reached under, for files that are mounted."""
    above: dict[str, set[tuple[str, str]]] = {}
    for path, facts in sorted(world.items()):
        resolver = resolvers.get(facts.language)
        if facts.mounts and isinstance(resolver, Mounting):
            for prefix, target in resolver.mounted(path, facts):
                above.setdefault(target, set()).add((path, prefix))
    whole = {path: _prefixes(path, above, 0) for path in sorted(above)}
    return {path: tuple(sorted(found)[:_MOST]) for path, found in whole.items() if found - {""}}


def _prefixes(path: str, above: Mapping[str, set[tuple[str, str]]], depth: int) -> set[str]:
    if depth >= _DEEP or path not in above:
        return {""}
    return {
        f"{before}{prefix}"
        for parent, prefix in above[path]
        for before in _prefixes(parent, above, depth + 1)
    }
