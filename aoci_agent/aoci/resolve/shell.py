"""Shell scripts: which script starts or reads which file of the repository."""

import posixpath
from collections.abc import Mapping

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links


class ShellResolver:
    """A path as written is tried from the script's folder, then from every folder above it."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._world = world

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        """Links to the files a script names."""
        for item in facts.imports:
            if target := self._target(posixpath.dirname(path), item.module):
                links.add(path, target, "*", sum(uses for _, uses in item.names))

    def note(self, path: str, facts: Facts) -> None:
        """Nothing here depends on what a file defines."""

    def _target(self, folder: str, written: str) -> str:
        while True:
            found = posixpath.normpath(posixpath.join(folder, written))
            if found in self._world:
                return found
            if not folder:
                return ""
            folder = posixpath.dirname(folder)
