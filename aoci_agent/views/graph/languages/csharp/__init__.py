"""C# in the graph: one space for each namespace."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aoci_agent.aoci.resolve.namespaces import outward
from aoci_agent.views.graph.languages.common import reading
from aoci_agent.views.graph.languages.csharp.finder import NamespaceFinder
from aoci_agent.views.graph.languages.csharp.outside import OUTSIDE
from aoci_agent.views.graph.languages.csharp.table import IDIOM
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.languages.conditions import first_branches
from aoci_agent.views.syntax.parsed import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

GLOBAL = "."
_DECLARED = ("file_scoped_namespace_declaration", "namespace_declaration")


class CSharp:
    """A file's space is the first namespace it declares; it sees those around that one, too."""

    name = "csharp"
    settings: Sequence[str] = ()
    outside = OUTSIDE

    def read(self, path: str, data: bytes) -> FileFacts:
        text = reading.text_of(path, data)
        grammar = Grammar("tree_sitter_c_sharp")
        facts = reading.read(
            text, reading.Tongue(self.name, grammar, IDIOM, _namespace, repair=first_branches)
        )
        around = [space or GLOBAL for space in outward(facts.space, ".")[1:]]
        return facts._replace(stars=(*around, *facts.stars, GLOBAL, "*global"))

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> NamespaceFinder:
        return NamespaceFinder(paths)


def _namespace(text: "Text", root: "Node") -> str:
    for child in root.named_children:
        named = child.child_by_field_name("name") if child.type in _DECLARED else None
        if named is not None:
            return "".join(text.data[named.start_byte : named.end_byte].decode().split())
    return GLOBAL
