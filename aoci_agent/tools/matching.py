"""Where a quoted piece of text stands in a file: exactly, else by whole lines and indentation.

Descending strictness, one pass per tier (the shape of codex's seek_sequence): the first tier that
finds anything decides. All offsets and texts here are those of a `lines.View`.
"""

import re
from dataclasses import dataclass

from aoci_agent.tools.indent import find_shift, indent_of, shifted
from aoci_agent.tools.lines import common_start


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
    places: list[Place] = []
    start = 0
    for at, line in enumerate(lines):
        if bare[at : at + len(wanted)] == wanted_bare:
            present = lines[at : at + len(wanted)]
            end = start + sum(map(len, present)) + len(present) - 1
            fitted = _fitted(wanted, present, new)
            if fitted is not None:
                places.append(_whole_lines(text, Place(start, end, fitted), old))
        start += len(line) + 1
    return places


def _fitted(wanted: list[str], present: list[str], new: str) -> str | None:
    """The new text shifted as the wanted lines must be to become those present."""
    shift = find_shift(
        (indent_of(yours), indent_of(file))
        for yours, file in zip(wanted, present, strict=True)
        if yours.strip()
    )
    lines = shifted(new.split("\n"), shift) if shift else None
    return None if lines is None else "\n".join(lines)


def _whole_lines(text: str, place: Place, old: str) -> Place:
    """Take the last line's end along when it was quoted, so that it is not doubled."""
    if not old.endswith("\n"):
        return place
    if place.end < len(text):
        return Place(place.start, place.end + 1, place.new)
    return Place(place.start, place.end, place.new.removesuffix("\n"))


def narrowed(text: str, place: Place) -> Place:
    """The same change with what stays the same at either end left out of it."""
    old, new = text[place.start : place.end], place.new
    head = common_start(old, new)
    tail = common_start(old[head:][::-1], new[head:][::-1])
    return Place(place.start + head, place.end - tail, new[head : len(new) - tail])


_NUMBERED = re.compile(r"^[ \t]*(\d+)[\t|:→](.*)$")


def without_numbers(text: str) -> str | None:
    """The text without the line numbers of a reader's output; None unless every line has one.

    More than one line must count upwards by one, so that data is not taken for numbers.
    """
    lines = text.removesuffix("\n").split("\n")
    matches = [match for line in lines if (match := _NUMBERED.match(line))]
    numbers = [int(match[1]) for match in matches]
    if len(matches) != len(lines):
        return None
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    return "\n".join(match[2] for match in matches) + ("\n" if text.endswith("\n") else "")
