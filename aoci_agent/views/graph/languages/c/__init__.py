"""C and C++ in the graph: one space for each file, called as its path; an include shows its names."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from aoci_agent.aoci.facts import c_text
from aoci_agent.views.graph.languages.c.cpp import CPP
from aoci_agent.views.graph.languages.c.finder import IncludeFinder
from aoci_agent.views.graph.languages.c.outside import OUTSIDE
from aoci_agent.views.graph.languages.c.table import C as C_IDIOM
from aoci_agent.views.graph.languages.common import reading
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.languages.c import undecorated
from aoci_agent.views.syntax.languages.conditions import first_branches
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text


class C:
    """C and C++; a header says by its content which of the two it is."""

    name = "c"
    settings: Sequence[str] = ()
    outside = OUTSIDE

    def read(self, path: str, data: bytes) -> FileFacts:
        text = reading.text_of(path, data)
        ending = PurePosixPath(path).suffix
        plain = c_text.without_comments(text.text) if ending == ".h" else ""
        is_cpp = ending not in (".c", ".h") or c_text.is_cpp(plain)
        changed = Text(path, undecorated(text.text, classes=is_cpp))
        grammar = Grammar("tree_sitter_cpp" if is_cpp else "tree_sitter_c")
        idiom = CPP if is_cpp else C_IDIOM
        tongue = reading.Tongue(self.name, grammar, idiom, reading.by_path, repair=first_branches)
        return reading.read(changed, tongue)

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> IncludeFinder:
        return IncludeFinder(paths)
