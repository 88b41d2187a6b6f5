"""Lines of code cut into blocks by the look of their first lines: how the searcher names what it read."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from aoci_agent.evals.policies_score import Span

_WIDEST = 240  # characters of a line that may define something
LONGEST = 150  # lines of a block; a longer stretch is cut into several
_WORDS = (
    "export default public private protected internal static final abstract async pub unsafe virtual "
    "override inline extern sealed open"
).replace(" ", "|")
_KINDS = "def|class|func|fn|function|impl|trait|struct|enum|interface|type|module|macro_rules!"
_STARTS = re.compile(
    rf"""^\s*(?:(?:{_WORDS})(?:\([^)]*\))?\s+)*
    (?: (?:const\s+)?(?:{_KINDS})\b
      | (?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|\w+\s*=>)
      | [\w.$\[\]'"]+\s*[=:]\s*(?:async\s*)?function\b
      | (?!\s*(?:if|for|while|switch|catch|return|else|do|try|with|elif|when|match)\b)
        [\w<>\[\],.?*&\s$#]*[\w$]+\s*\([^;{{}}]*\)?\s*(?:throws\s[\w,\s.]+|:\s*[\w<>\[\]|.\s]+|const)?\s*\{{\s*$
    )""",
    re.VERBOSE,
)
_FILLER = re.compile(r"^\s*(?:[@#/*].*|\"\"\".*)?$")


class Block(NamedTuple):
    """A stretch of a file: where it is, its text, and the line it starts with."""

    span: Span
    text: str
    head: str


def blocks_of(path: str, lines: Mapping[int, str]) -> Iterable[Block]:
    """The blocks of what was read of a file; no line is in two.

    A block begins where something is defined, or after a gap, and ends before the next one begins;
    blank lines, comments and decorators at its end are left off.
    """
    stretch: list[int] = []
    for number in sorted(lines):
        gap = bool(stretch) and number != stretch[-1] + 1
        if gap or len(stretch) == LONGEST or _starts(lines[number]):
            yield from _made(path, lines, stretch)
            stretch = []
        stretch.append(number)
    yield from _made(path, lines, stretch)


def _starts(line: str) -> bool:
    return len(line) <= _WIDEST and _STARTS.match(line) is not None


def _made(path: str, lines: Mapping[int, str], stretch: list[int]) -> Iterable[Block]:
    while stretch and _FILLER.match(lines[stretch[-1]]):
        stretch = stretch[:-1]
    if stretch:
        text = "\n".join(lines[number] for number in stretch)
        yield Block(Span(path, stretch[0], stretch[-1]), text, lines[stretch[0]])
