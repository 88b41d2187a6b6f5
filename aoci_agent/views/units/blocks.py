"""The partition that retrieval indexes: no line of a file twice, none with words left out.

A callable is one block, L2. One inside another callable is part of it, unless the outer is longer
than `CARVED` lines: then each is a block of its own. What is left of a class, its header and
attributes, is one block under the name of the class, L1: its text is all of that, its lines are
those of the first piece, where the header is. What is left of the file are blocks of its L1 units.
Lines without a letter or digit (closing brackets) that are a block's only ones are dropped.
"""

import re
from collections.abc import Iterator, Sequence

from aoci_agent.views.model import Level, Unit
from aoci_agent.views.units.pieces import LONGEST

CARVED = 120  # lines

_WORD = re.compile(r"\w")


def blocks(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """The blocks of one file's units as `cut` gives them, in order of their first lines."""
    whole = next((unit for unit in units if unit.level == Level.L0), None)
    if whole is None:
        return ()
    lines = whole.text.split("\n")
    owner: list[int] = [-1] * (len(lines) + 1)
    for number, unit in enumerate(units):
        if unit.level == Level.L1:
            _claim(owner, unit, number)
    for number, unit in _outermost(units):
        _claim(owner, unit, number)
    found: dict[int, list[int]] = {}
    first: dict[tuple[str, str], int] = {}
    for line, number in enumerate(owner):
        if number >= 0:
            found.setdefault(_joined(units, number, first), []).append(line)
    made = (block for number, kept in found.items() for block in _made(units[number], lines, kept))
    return tuple(sorted(made, key=lambda unit: (unit.start, unit.end)))


def _claim(owner: list[int], unit: Unit, number: int) -> None:
    owner[unit.start : unit.end + 1] = [number] * (unit.end + 1 - unit.start)


def _outermost(units: Sequence[Unit]) -> Iterator[tuple[int, Unit]]:
    """The callables that are blocks, the outer before the inner."""
    end = 0  # of a callable that stays whole
    for number, unit in enumerate(units):
        if unit.level == Level.L2 and unit.end > end:
            if unit.end - unit.start < CARVED:
                end = unit.end
            yield number, unit


def _joined(units: Sequence[Unit], number: int, first: dict[tuple[str, str], int]) -> int:
    """The first of the pieces that a long class was cut into."""
    unit = units[number]
    if unit.level == Level.L2 or not unit.symbol or unit.kind == "section":
        return number
    return first.setdefault((unit.kind, unit.symbol), number)


def _made(unit: Unit, lines: list[str], kept: list[int]) -> Iterator[Unit]:
    """A block of these lines, or several where there are many."""
    for place in range(0, len(kept), LONGEST):
        part = kept[place : place + LONGEST]
        while part and not lines[part[0] - 1].strip():
            part = part[1:]
        while part and not lines[part[-1] - 1].strip():
            part = part[:-1]
        text = "\n".join(lines[line - 1] for line in part)
        if _WORD.search(text):
            run = next((i for i, line in enumerate(part) if line != part[0] + i), len(part))
            while not lines[part[run - 1] - 1].strip():
                run -= 1
            yield unit._replace(start=part[0], end=part[run - 1], text=text)
