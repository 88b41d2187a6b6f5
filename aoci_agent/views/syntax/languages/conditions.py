"""Conditional compilation out of the way: of each condition the first branch stays."""

import re

from aoci_agent.views.syntax import heads

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|el|endif)?[^\n]*", re.MULTILINE)


def first_branches(text: str) -> str:
    """The text as long as before, with blanks for conditions and for what stands in other branches."""
    kept: list[str] = []
    place = 0
    outside = 0  # conditions open in a branch that is left out
    for found in _DIRECTIVE.finditer(text):
        before = text[place : found.start()]
        kept.append(heads.blanks(before) if outside else before)
        place = found.end()
        word = found[1] or ""
        if word == "if" and outside:
            outside += 1
        elif word == "el" and outside <= 1:
            outside = 1
        elif word == "endif" and outside:
            outside -= 1
        kept.append(heads.blanks(found[0]) if word or outside else found[0])
    rest = text[place:]
    return "".join((*kept, heads.blanks(rest) if outside else rest))
