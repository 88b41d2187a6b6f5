"""PHP in the graph: one space for each namespace."""

from collections.abc import Collection, Mapping, Sequence
from typing import Self

from aoci_agent.views.graph.languages.common import reading
from aoci_agent.views.graph.languages.common.outside import Containers
from aoci_agent.views.graph.languages.finder import PlainFinder
from aoci_agent.views.graph.languages.php.names import GLOBAL, namespace_of
from aoci_agent.views.graph.languages.php.table import IDIOM
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.parsed import Grammar


class NamespaceFinder(PlainFinder):
    """Any text may be a namespace."""

    def find(self, path: str, module: str) -> str:
        return module

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """No answer hangs on the files."""
        return None

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str]:
        """None."""
        return ()


class Php:
    """A file's space is the first namespace it declares; functions are looked for in the global one, too."""

    name = "php"
    settings: Sequence[str] = ()
    outside = Containers(items=frozenset(("array", "iterable", "Generator")))

    def read(self, path: str, data: bytes) -> FileFacts:
        text = reading.text_of(path, data)
        grammar = Grammar("tree_sitter_php", "language_php")
        facts = reading.read(
            text,
            reading.Tongue(
                self.name, grammar, IDIOM, namespace_of, free_type="name", implicit=False
            ),
        )
        return facts if facts.space == GLOBAL else facts._replace(stars=(GLOBAL,))

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> NamespaceFinder:
        return NamespaceFinder()
