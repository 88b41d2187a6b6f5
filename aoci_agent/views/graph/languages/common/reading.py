"""Bytes of a file -> its facts, by the rules of a language. Never raises on any text."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.aoci.facts.parsing import TooSlow
from aoci_agent.base.secrets import blanked
from aoci_agent.views.graph.languages.common.names import Names
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.parsed import Grammar, Parsed
from aoci_agent.views.syntax.text import Text, bounded, decoded

if TYPE_CHECKING:
    from tree_sitter import Node


class Tongue(NamedTuple):
    """What reading a language takes."""

    language: str
    grammar: Grammar
    idiom: Idiom
    space: "Callable[[Text, Node], str]"
    free: str = "seen"  # the term of a name that is not bound in the file
    free_type: str = ""  # the same of a name of a type, where it differs
    names: type[Names] = Names
    implicit: bool = True  # whether members are seen without a receiver
    repair: Callable[[str], str] | None = (
        None  # of a text that does not parse; lines and columns stay
    )


def read(text: Text, how: Tongue) -> FileFacts:
    """The facts of a text. Names the file imports are bound in a block around all of it."""
    problem = ""
    try:
        root = Parsed(text.path, text.data, how.grammar).tree.root_node
        if how.repair is not None and root.has_error:
            other = Text(text.path, how.repair(text.text))
            tried = Parsed(other.path, other.data, how.grammar).tree.root_node
            if lost(tried) < lost(root):
                text, root = other, tried
        space = how.space(text, root)
        draft = how.names(how.language, space, text.count, how.free, how.free_type)
        draft.implicit = how.implicit
        walk = Walk(text, draft, how.idiom)
        with draft.scoped("block"):
            walk.inside(root)
        offers = tuple(sorted(set(walk.offers)))
        return draft.facts()._replace(stars=tuple(dict.fromkeys(walk.stars)), offers=offers)
    except TooSlow:
        problem = "that would take too long to parse"
    except RecursionError:
        problem = "nested too deep"
    return FileFacts(how.language, text.path, problem=problem)


def by_path(text: Text, _root: "Node") -> str:
    """A space for each file, called as its path."""
    return text.path


def lost(root: "Node") -> int:
    """Bytes a parser passed over."""
    pending, found = [root], 0
    while pending:
        node = pending.pop()
        if node.is_error:
            found += node.end_byte - node.start_byte
        else:
            pending += [child for child in node.children if child.has_error]
    return found


def text_of(path: str, data: bytes) -> Text:
    """The text of a file as parsers are given it."""
    return Text(path, bounded(blanked(decoded(data))))
