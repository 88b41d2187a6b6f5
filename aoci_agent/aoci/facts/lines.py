"""Endless lines broken: what is read by patterns must be read in linear time."""

import re
from dataclasses import replace

from aoci_agent.aoci.facts.language import Source

_LONGEST = 1000
_ENDLESS = re.compile(rf"([^\n]{{{_LONGEST}}})(?=[^\n])")


def in_lines(source: Source) -> Source:
    """The source with no line over 1000 characters; lines further down count more than they did."""
    if max(map(len, source.lines)) <= _LONGEST:
        return source
    return replace(source, text=_ENDLESS.sub(r"\1\n", source.text))
