"""Definitions as the outline of a file gives them: one range and one kind of a thing in every view."""

from aoci_agent.views.graph.model import Defined, FileFacts
from aoci_agent.views.syntax.outline import Definition, outline_of


def outlined(facts: FileFacts, path: str, data: bytes) -> FileFacts:
    """The facts with ranges, kinds and signatures of the outline, and what only the outline knows.

    What a reader found besides (definitions within functions, members set in methods) stays as it is.
    """
    known = {(item.line, item.column): item for item in facts.defined}
    for item in outline_of(path, data).definitions:
        if item.kind != "extension":
            place = item.line, item.column
            known[place] = _merged(known.get(place), item)
    return facts._replace(defined=tuple(known[place] for place in sorted(known)))


def _merged(found: Defined | None, item: Definition) -> Defined:
    return Defined(
        found.slot if found is not None else item.qualified,
        item.name,
        item.qualified,
        item.kind,
        item.start,
        item.end,
        item.line,
        item.column,
        item.signature,
        found.doc if found is not None else "",
    )
