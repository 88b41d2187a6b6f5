"""Where imports of JavaScript and TypeScript lead: relative, by tsconfig, by packages of the repository."""

from collections.abc import Mapping, Sequence

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.typescript import ScriptResolver


class ScriptFinder:
    """A module is a space, named by its path."""

    def __init__(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> None:
        world = {path: extract(path, data) for path, data in sorted(settings.items())}
        for path in paths:
            known = language_of(path)
            world[path] = Facts(known.name if known is not None else "javascript")
        self._paths = frozenset(paths)
        self._resolver = ScriptResolver(world)

    def find(self, path: str, module: str) -> str:
        found, _ = self._resolver.target(path, module)
        return found if found in self._paths else ""

    def child(self, space: str, name: str) -> str:
        return ""

    def implicit(self, path: str, space: str) -> Sequence[str]:
        return ()

    def given(self, path: str) -> Sequence[str]:
        return ()
