"""The place in a file that a quoted text most likely meant, for the message that it is not there."""

import difflib
from collections import Counter
from dataclasses import dataclass

SEARCHED = 20_000  # lines compared by similarity; beyond that only equal lines count


@dataclass(frozen=True, slots=True)
class Difference:
    """The first line that differs at the nearest place. `line` counts from 1."""

    line: int
    yours: str
    file: str | None  # None: the file ends before this line


def first_difference(lines: list[str], wanted: list[str]) -> Difference | None:
    """Where the nearest place first differs from the wanted lines; None if nothing is near."""
    start = _nearest_start(lines, wanted)
    if start is None:
        return None
    pairs = [
        Difference(max(start + at, 0) + 1, yours, _line(lines, start + at))
        for at, yours in enumerate(wanted)
    ]
    # A difference in the words says more than one in the whitespace before it.
    in_words = (pair for pair in pairs if (pair.file or "").strip() != pair.yours.strip())
    at_all = (pair for pair in pairs if pair.file != pair.yours)
    return next(in_words, None) or next(at_all, None)


def _line(lines: list[str], number: int) -> str | None:
    return lines[max(number, 0)] if number < len(lines) else None


def _nearest_start(lines: list[str], wanted: list[str]) -> int | None:
    """Every line of the wanted text votes for where the text would begin."""
    positions: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if line.strip():
            positions.setdefault(line.strip(), []).append(number)
    votes: Counter[int] = Counter()
    for at, line in enumerate(wanted):
        # A line that stands everywhere ("return", "}") says little about where.
        places = positions.get(line.strip(), [])[:200]
        for number in places:
            votes[number - at] += 1000 // len(places) + min(len(line.strip()), 100)
    if votes:
        return max(votes, key=lambda start: (votes[start], -start))
    return _similar_start(lines[:SEARCHED], wanted)


def _similar_start(lines: list[str], wanted: list[str]) -> int | None:
    longest = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    bare = [line.strip() for line in lines]
    close = difflib.get_close_matches(wanted[longest].strip(), set(bare), n=1, cutoff=0.5)
    return bare.index(close[0]) - longest if close else None
