"""What a file says of a definition: its whole signature, and the comment directly above."""

import re

from aoci_agent.views.graph.model import Symbol
from aoci_agent.views.syntax import heads
from aoci_agent.views.syntax.outline import CALLABLES, SIGNATURE, TYPES, Definition, whole_outline
from aoci_agent.views.syntax.text import decoded

_LINES = 20  # of a comment
_CUT = "…"
_COMMENT = re.compile(r"\s*(?:///?!?|/\*+!?|\*+/?|#(?![\[!])|--|;;+)")
_END = re.compile(r"\s*\*+/\s*$")


def written(symbol: Symbol, data: bytes) -> str:
    """Signature and documentation as they stand in the file; the graph keeps only their beginnings."""
    outline = whole_outline(symbol.path, data)
    place = symbol.line, symbol.column
    found = next((item for item in outline.definitions if (item.line, item.column) == place), None)
    above = _comment_above(found, decoded(data)) if found is not None else ""
    doc = above if symbol.doc in above else symbol.doc
    return "\n".join(filter(None, (_signature(symbol, found), doc)))


def _signature(symbol: Symbol, found: Definition | None) -> str:
    if found is None or found.kind not in TYPES | CALLABLES:  # of a value, the value would follow
        whole = found.signature if found is not None else symbol.signature
        return whole if len(whole) < SIGNATURE else f"{whole[:SIGNATURE]}{_CUT}"
    whole = found.signature
    return f"{whole} {_CUT}" if "(" in whole and not heads.bracketed(whole) else whole


def _comment_above(item: Definition, text: str) -> str:
    """The comment that belongs to a definition, without its marks."""
    kept: list[str] = []
    inside = False  # of a comment whose lines need no mark
    for line in text.split("\n")[item.start - 1 : item.line - 1]:
        mark = _COMMENT.match(line)
        if mark is None and not inside:
            continue
        inside = (inside or "/*" in line) and "*/" not in line
        kept.append(_END.sub("", line[mark.end() :] if mark else line).strip())
    while kept and not kept[0]:
        del kept[0]
    while kept and not kept[-1]:
        del kept[-1]
    return "\n".join((*kept[:_LINES], _CUT) if len(kept) > _LINES else kept)
