"""JavaScript and TypeScript in the graph: a module is a space, named by its path."""

from collections.abc import Mapping, Sequence

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.base.secrets import blanked
from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages import outlined
from aoci_agent.views.graph.languages.script.finder import ScriptFinder
from aoci_agent.views.graph.languages.script.outside import ScriptOutside
from aoci_agent.views.graph.languages.script.reader import ScriptReader
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text, decoded

_GRAMMARS = {
    "javascript": Grammar("tree_sitter_javascript"),
    "typescript": Grammar("tree_sitter_typescript", "language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", "language_tsx"),
}


class Script:
    """Reads JavaScript, TypeScript and TSX."""

    name = "script"
    settings: Sequence[str] = ("tsconfig.json", "jsconfig.json", "package.json")
    outside = ScriptOutside()

    def read(self, path: str, data: bytes) -> FileFacts:
        text = Text(path, blanked(decoded(data)))
        known = language_of(path)
        grammar = _GRAMMARS.get(known.name if known is not None else "", _GRAMMARS["javascript"])
        draft = Draft(self.name, path, text.count)
        return outlined.read(text, data, grammar, draft, ScriptReader(text, draft).block)

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> ScriptFinder:
        return ScriptFinder(paths, settings)
