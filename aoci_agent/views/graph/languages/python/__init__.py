"""Python in the graph."""

from collections.abc import Mapping, Sequence

from aoci_agent.base.secrets import blanked
from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages import outlined
from aoci_agent.views.graph.languages.python.finder import PythonFinder
from aoci_agent.views.graph.languages.python.outside import PythonOutside
from aoci_agent.views.graph.languages.python.reader import Reader
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text, decoded


class Python:
    """One module is one space, named by its path."""

    name = "python"
    settings: Sequence[str] = ()
    outside = PythonOutside()

    def read(self, path: str, data: bytes) -> FileFacts:
        text = Text(path, blanked(decoded(data)))
        draft = Draft(self.name, path, text.count)
        return outlined.read(
            text, data, Grammar("tree_sitter_python"), draft, Reader(text, draft).statements
        )

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> PythonFinder:
        return PythonFinder(paths)
