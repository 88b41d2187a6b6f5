"""A file's text as every view reads it: lines end at a line feed, columns count characters."""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from aoci_agent.aoci.facts.parsing import TooSlow
from aoci_agent.aoci.facts.runaway import repeats, tamed
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.text import decode
from aoci_agent.views.syntax import heads


def decoded(data: bytes) -> str:
    """The text of any bytes, without a byte order mark; what cannot be read becomes U+FFFD."""
    try:
        return decode(data).text
    except NotPossible:
        return data.decode("utf-8", "replace")


def bounded(text: str) -> str:
    """The text as long as before, with blanks for what it says over and over: parsers run away on that."""
    kept: list[str] = []
    start = 0
    for begin, end in repeats(text):
        kept += [text[start:begin], heads.blanks(text[begin:end])]
        start = end
    return "".join((*kept, text[start:])) if kept else text


def refuse_runaway(text: str) -> None:
    """Raise TooSlow for what patterns, unlike parsers, would take the square of."""
    if tamed(text)[0] is not text:
        raise TooSlow


@dataclass(frozen=True)
class Text:
    """A decoded file, and the UTF-8 bytes a parser is given."""

    path: str
    text: str = field(repr=False)

    @cached_property
    def data(self) -> bytes:
        """The text as UTF-8."""
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def is_plain(self) -> bool:
        """Whether one byte is one character."""
        return len(self.data) == len(self.text)

    @cached_property
    def count(self) -> int:
        """How many lines there are; the empty piece after a last line feed is none."""
        feeds = self.text.count("\n")
        return feeds + (not self.text.endswith("\n") and bool(self.text))

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins, in characters."""
        starts = [0]
        place = self.text.find("\n")
        while place >= 0:
            starts.append(place + 1)
            place = self.text.find("\n", place + 1)
        return starts

    def place(self, offset: int) -> tuple[int, int]:
        """Line (from 1) and column (from 0) of a character."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1]
