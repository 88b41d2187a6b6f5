"""What an answer is worth: the lines it names against the lines that were to be found. Pure."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST = 5  # spans of an answer that count

CONTRACT = (
    "This request only asks where. Find the code that has to be changed for it; change nothing. "
    f"End your answer with one line that names at most {MOST} places, the likeliest first:\n"
    "Locations: path:start-end, path:start-end"
)
AGAIN = (
    "Answer now from what you know, without calling tools, with one line:\n"
    "Locations: path:start-end, path:start-end"
)
_HEADING = re.compile(r"^[\s*_#>`-]*locations?[*_`]*\s*:[*_`]*", re.IGNORECASE | re.MULTILINE)
_SPAN = re.compile(r"([^\s`'\"*,;()\[\]]+?):L?(\d+)(?:\s*[-\u2013:]\s*L?(\d+))?(?![\w.])")


class Span(NamedTuple):
    """Lines of a file, from 1, both ends inside."""

    path: str
    start: int
    end: int

    def meets(self, other: "Span") -> bool:
        """Whether they share a line."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


class Score(NamedTuple):
    """All between 0 and 1; `precision` is of lines, the rest are shares of what was to be found."""

    recall: float = 0.0  # AnswerRecall@5: of blocks
    precision: float = 0.0
    files: float = 0.0  # files@5


def locations(answer: str) -> tuple[Span, ...]:
    """The places below the last `Locations:` of an answer, in its order; none without that line."""
    headings = list(_HEADING.finditer(answer))
    if not headings:
        return ()
    found: list[Span] = []
    for path, start, end in _SPAN.findall(answer[headings[-1].end() :]):
        first, last = int(start), int(end or start)
        found.append(Span(path.removeprefix("./"), min(first, last), max(first, last)))
    return tuple(found)


def counted(spans: Iterable[Span], most: int = MOST) -> tuple[Span, ...]:
    """The first that share no line with an earlier one."""
    kept: list[Span] = []
    for span in spans:
        if len(kept) < most and not any(span.meets(earlier) for earlier in kept):
            kept.append(span)
    return tuple(kept)


def score(answer: Sequence[Span], blocks: Sequence[Span], files: Sequence[str]) -> Score:
    """The worth of the places an answer names, in its order. `blocks` and `files` are not empty."""
    kept = counted(answer)
    named = {span.path for span in kept}
    right = _lines(blocks)
    told = _lines(kept)
    return Score(
        sum(any(block.meets(span) for span in kept) for block in blocks) / len(blocks),
        len(told & right) / len(told) if told else 0.0,
        sum(path in named for path in files) / len(files),
    )


def _lines(spans: Iterable[Span]) -> set[tuple[str, int]]:
    return {(span.path, line) for span in spans for line in range(span.start, span.end + 1)}
