"""Where a quoted piece of text stands in a file: exactly, else by whole lines and indentation.

Descending strictness, one pass per tier (the shape of codex's seek_sequence): the first tier that
finds anything decides. All offsets and texts here are those of a `lines.View`.
"""

import re
from dataclasses import dataclass
from typing import Literal

from aoci_agent.tools.indent import find_shift, indent_of

Tier = Literal["exact", "tolerant"]


@dataclass(frozen=True, slots=True)
class Place:
    """A span of the view, and what is to stand there instead."""

    start: int
    end: int
    new: str


def exact(text: str, old: str, new: str) -> list[Place]:
    """Every place, not overlapping, where `old` stands."""
    places: list[Place] = []
    at = text.find(old)
    while at >= 0:
        places.append(Place(at, at + len(old), new))
        at = text.find(old, at + len(old))
    return places


def tolerant(text: str, old: str, new: str) -> list[Place]:
    """Places where the lines of `old` stand but for trailing space and a uniform indentation shift.

    The new text is shifted likewise; where that cannot be done there is no match.
    """
    lines = text.split("\n")
    wanted = old.removesuffix("\n").split("\n")
    if not any(line.strip() for line in wanted):
        return []
    wanted_bare = [line.strip() for line in wanted]
    bare = [line.strip() for line in lines]
    starts = _line_starts(lines)
    places: list[Place] = []
    for at in range(len(lines) - len(wanted) + 1):
        if bare[at : at + len(wanted)] != wanted_bare:
            continue
        shifted = _shifted(wanted, lines[at : at + len(wanted)], new)
        if shifted is not None:
            last = at + len(wanted) - 1
            places.append(_place(text, starts[at], starts[last] + len(lines[last]), (old, shifted)))
    return places


def _shifted(wanted: list[str], present: list[str], new: str) -> str | None:
    shift = find_shift(
        (indent_of(yours), indent_of(file))
        for yours, file in zip(wanted, present, strict=True)
        if yours.strip()
    )
    lines = shift.apply(new.split("\n")) if shift else None
    return None if lines is None else "\n".join(lines)


def _place(text: str, start: int, end: int, texts: tuple[str, str]) -> Place:
    """Take the last line's end along when it was quoted, so that it is not doubled."""
    old, new = texts
    if old.endswith("\n"):
        if end < len(text):
            return Place(start, end + 1, new)
        return Place(start, end, new.removesuffix("\n"))
    return Place(start, end, new)


def _line_starts(lines: list[str]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def narrowed(text: str, place: Place) -> Place:
    """The same change with what stays the same at either end left out of it."""
    old, new = text[place.start : place.end], place.new
    shorter = min(len(old), len(new))
    head = _common(old, new, shorter)
    tail = _common(old[::-1], new[::-1], shorter - head)
    return Place(place.start + head, place.end - tail, new[head : len(new) - tail])


def _common(left: str, right: str, limit: int) -> int:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if left[:middle] == right[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


_NUMBERED = re.compile(r"^[ \t]*(\d+)[\t|:→](.*)$")


def without_numbers(text: str) -> str | None:
    """The text without the line numbers of a reader's output; None unless every line has one.

    More than one line must count upwards by one, so that data is not taken for numbers.
    """
    found = [_NUMBERED.match(line) for line in text.removesuffix("\n").split("\n")]
    matches = [match for match in found if match]
    if len(matches) != len(found):
        return None
    numbers = [int(match[1]) for match in matches]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    return "\n".join(match[2] for match in matches) + ("\n" if text.endswith("\n") else "")
