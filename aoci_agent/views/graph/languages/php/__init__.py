"""PHP in the graph: one space for each namespace."""

from collections.abc import Mapping, Sequence

from aoci_agent.views.graph.languages.common import reading
from aoci_agent.views.graph.languages.common.outside import Containers
from aoci_agent.views.graph.languages.php.names import GLOBAL, namespace_of
from aoci_agent.views.graph.languages.php.table import IDIOM
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.parsed import Grammar


class NamespaceFinder:
    """Any text may be a namespace."""

    def find(self, path: str, module: str) -> str:
        return module

    def child(self, space: str, name: str) -> str:
        return ""

    def implicit(self, path: str, space: str) -> Sequence[str]:
        return ()

    def given(self, path: str) -> Sequence[str]:
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
