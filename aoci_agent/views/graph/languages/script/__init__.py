"""JavaScript and TypeScript in the graph: a module is a space, named by its path."""

from collections.abc import Mapping, Sequence

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.facts.parsing import TooSlow, parse
from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.outlined import outlined
from aoci_agent.views.graph.languages.script.finder import ScriptFinder
from aoci_agent.views.graph.languages.script.outside import ScriptOutside
from aoci_agent.views.graph.languages.script.reader import ScriptReader
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.text import Text, decoded

_GRAMMARS = {
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}


class Script:
    """Reads JavaScript, TypeScript and TSX."""

    name = "script"
    settings: Sequence[str] = ("tsconfig.json", "jsconfig.json", "package.json")
    outside = ScriptOutside()

    def read(self, path: str, data: bytes) -> FileFacts:
        text = Text(path, decoded(data))
        known = language_of(path)
        grammar = _GRAMMARS.get(known.name if known is not None else "", _GRAMMARS["javascript"])
        draft = Draft(self.name, path, text.count)
        try:
            tree = parse(text.data, *grammar)
            ScriptReader(text, draft).block(tree.root_node)
            return outlined(draft.facts(), path, data)
        except TooSlow:
            problem = "that would take too long to parse"
        except RecursionError:
            problem = "nested too deep"
        return FileFacts(self.name, path, problem=problem)

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> ScriptFinder:
        return ScriptFinder(paths, settings)
