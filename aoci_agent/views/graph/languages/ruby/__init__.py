"""Ruby in the graph: one space for each file; constants are the same thing in all of them."""

from collections.abc import Mapping, Sequence

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.graph.languages.common import reading
from aoci_agent.views.graph.languages.common.outside import Containers
from aoci_agent.views.graph.languages.ruby.finder import RequireFinder
from aoci_agent.views.graph.languages.ruby.names import RubyNames
from aoci_agent.views.graph.languages.ruby.table import IDIOM
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.parsed import Grammar


class Ruby:
    """Slots of types are their whole names; methods are called `name()`, those of classes `self.name()`."""

    name = "ruby"
    settings: Sequence[str] = ()
    outside = Containers(
        items=wordset("Array Set Enumerator"),
        maps=wordset("Hash"),
        gives={
            "item": wordset("first last pop shift sample fetch find detect min max min_by max_by"),
            "self": wordset(
                "select reject sort sort_by compact uniq reverse dup freeze each to_a take drop filter"
            ),
        },
    )

    def read(self, path: str, data: bytes) -> FileFacts:
        text = reading.text_of(path, data)
        grammar = Grammar("tree_sitter_ruby")
        tongue = reading.Tongue(self.name, grammar, IDIOM, reading.by_path, names=RubyNames)
        return reading.read(text, tongue)

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> RequireFinder:
        return RequireFinder(paths)
