"""Light styling of the model's Markdown: headings, bold, inline code, fences. Nothing is clickable."""

import re
from collections.abc import Iterator

from textual.content import Content

from aoci_agent.tui import foreign

FENCE = re.compile(r"\s*(```|~~~)")
HEADING = re.compile(r"#{1,6} +(?P<text>.+)")
INLINE = re.compile(r"`(?P<code>[^`\n]+)`|\*\*(?P<bold>[^*\n]+)\*\*")
CODE = "$text-accent"
FENCED = "$text-secondary"
MUTED = "$muted"


class ProseStyler:
    """Styles whole lines one after the other; remembers whether a code fence is open."""

    def __init__(self, *, fenced: bool = False) -> None:
        self.fenced = fenced

    def style(self, text: str) -> Content:
        """Style `text`, which starts at the beginning of a line."""
        lines = [self._line(line) for line in text.split("\n")]
        return Content("\n").join([line for line in lines if line is not None])

    def _line(self, line: str) -> Content | None:
        if FENCE.match(line):
            self.fenced = not self.fenced
            language = line.strip("`~ \t")
            return foreign.block(language, MUTED) if language else None
        if self.fenced:
            return Content.assemble(("│ ", MUTED), foreign.block(line, FENCED))
        if heading := HEADING.fullmatch(line):
            return foreign.block(heading["text"], "bold")
        return Content.assemble(*_inline(line))


def _inline(line: str) -> Iterator[Content]:
    place = 0
    for found in INLINE.finditer(line):
        yield foreign.block(line[place : found.start()])
        if found["code"] is not None:
            yield foreign.block(found["code"], CODE)
        else:
            yield foreign.block(found["bold"], "bold")
        place = found.end()
    yield foreign.block(line[place:])
