"""Go in the graph: a package is a space, named by its folder; tests of another package are one, too."""

from collections.abc import Mapping, Sequence

from aoci_agent.base.secrets import blanked
from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages import outlined
from aoci_agent.views.graph.languages.go.finder import GoFinder, space_of
from aoci_agent.views.graph.languages.go.outside import GoOutside
from aoci_agent.views.graph.languages.go.reader import GoReader
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text, decoded


class Go:
    """Reads Go."""

    name = "go"
    settings: Sequence[str] = ("go.mod",)
    outside = GoOutside()

    def read(self, path: str, data: bytes) -> FileFacts:
        text = Text(path, blanked(decoded(data)))
        draft = Draft(self.name, space_of(path, text.text), text.count)
        return outlined.read(
            text, data, Grammar("tree_sitter_go"), draft, GoReader(text, draft).file
        )

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> GoFinder:
        return GoFinder(paths, settings)
