"""Go in the graph: a package is a space, named by its folder; tests of another package are one, too."""

from collections.abc import Mapping, Sequence

from aoci_agent.aoci.facts.parsing import TooSlow, parse
from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.go.finder import GoFinder, space_of
from aoci_agent.views.graph.languages.go.outside import GoOutside
from aoci_agent.views.graph.languages.go.reader import GoReader
from aoci_agent.views.graph.languages.outlined import outlined
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.text import Text, decoded


class Go:
    """Reads Go."""

    name = "go"
    settings: Sequence[str] = ("go.mod",)
    outside = GoOutside()

    def read(self, path: str, data: bytes) -> FileFacts:
        text = Text(path, decoded(data))
        space = space_of(path, text.text)
        draft = Draft(self.name, space, text.count)
        try:
            tree = parse(text.data, "tree_sitter_go", "language")
            GoReader(text, draft).file(tree.root_node)
            return outlined(draft.facts(), path, data)
        except TooSlow:
            problem = "that would take too long to parse"
        except RecursionError:
            problem = "nested too deep"
        return FileFacts(self.name, space, problem=problem)

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> GoFinder:
        return GoFinder(paths, settings)
