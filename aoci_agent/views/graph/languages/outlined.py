"""Files with a reader of their own, and definitions as the outline of a file gives them.

One range and one kind of a thing in every view.
"""

from typing import TYPE_CHECKING

from aoci_agent.aoci.facts.parsing import TooSlow
from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.model import Defined, FileFacts
from aoci_agent.views.syntax.outline import Definition, outline_of
from aoci_agent.views.syntax.parsed import Grammar, Parsed
from aoci_agent.views.syntax.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node


def read(
    text: Text, data: bytes, grammar: Grammar, draft: Draft, walk: "Callable[[Node], None]"
) -> FileFacts:
    """The facts of a file whose tree is walked from its root; `data` is the file as it is stored."""
    try:
        walk(Parsed(text.path, text.data, grammar).tree.root_node)
        return _outlined(draft.facts(), text.path, data)
    except TooSlow:
        problem = "that would take too long to parse"
    except RecursionError:
        problem = "nested too deep"
    return FileFacts(draft.language, draft.space, problem=problem)


def _outlined(facts: FileFacts, path: str, data: bytes) -> FileFacts:
    """The facts with ranges, kinds and signatures of the outline, and what only the outline knows.

    What a reader found besides (definitions within functions, members set in methods) stays as it is.
    """
    known = {(item.line, item.column): item for item in facts.defined}
    for item in outline_of(path, data).definitions:
        if item.kind != "extension":
            place = item.line, item.column
            found = known.get(place)
            slot, doc = (found.slot, found.doc) if found is not None else (item.qualified, "")
            known[place] = defined(item, slot, doc)
    return facts._replace(defined=tuple(known[place] for place in sorted(known)))


def defined(item: Definition, slot: str, doc: str = "") -> Defined:
    """A definition as the outline has it."""
    return Defined(
        slot,
        item.name,
        item.qualified,
        item.kind,
        item.start,
        item.end,
        item.line,
        item.column,
        item.signature,
        doc,
    )
