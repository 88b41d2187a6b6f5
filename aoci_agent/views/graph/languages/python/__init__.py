"""Python in the graph."""

from collections.abc import Mapping, Sequence

from aoci_agent.aoci.facts.parsing import TooSlow, parse
from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.outlined import outlined
from aoci_agent.views.graph.languages.python.finder import PythonFinder
from aoci_agent.views.graph.languages.python.outside import PythonOutside
from aoci_agent.views.graph.languages.python.reader import Reader
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.text import Text, decoded


class Python:
    """One module is one space, named by its path."""

    name = "python"
    settings: Sequence[str] = ()
    outside = PythonOutside()

    def read(self, path: str, data: bytes) -> FileFacts:
        text = Text(path, decoded(data))
        draft = Draft(self.name, path, text.count)
        problem = ""
        try:
            tree = parse(text.data, "tree_sitter_python", "language")
            Reader(text, draft).statements(tree.root_node)
            return outlined(draft.facts(), path, data)
        except TooSlow:
            problem = "that would take too long to parse"
        except RecursionError:
            problem = "nested too deep"
        return FileFacts(self.name, path, problem=problem)

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> PythonFinder:
        return PythonFinder(paths)
