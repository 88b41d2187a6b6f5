"""Endless lines broken: what is read by patterns must be read in linear time."""

import re
from dataclasses import replace

from aoci_agent.aoci.facts.language import Source

_ENDLESS = re.compile(r"([^\n]{1000})(?=[^\n])")


def in_lines(source: Source) -> Source:
    """The source with no line over 1000 characters; lines further down count more than they did."""
    if not _ENDLESS.search(source.text):
        return source
    return replace(source, text=_ENDLESS.sub(r"\1\n", source.text))
