"""What the model reads after an edit, and when one could not be made."""

import difflib
from collections import Counter
from dataclasses import dataclass

from aoci_agent.base.files import TextFile
from aoci_agent.tools.lines import View, numbered
from aoci_agent.tools.replacing import Replacement

AROUND = 2  # lines shown before and after a change
SHOWN = 24  # lines of one change shown
PLACES = 3  # places shown of an edit that changed many
REGION = 12  # lines shown before and after the nearest place of a failed edit
SEARCHED = 20_000  # lines compared by similarity; beyond that only equal lines count
WIDTH = 200  # characters of a quoted line
LONG = 1_000  # characters of old above which most edits that fail were measured to fail


@dataclass(frozen=True, slots=True)
class _Difference:
    """The first line that differs at the nearest place. `line` counts from 1."""

    line: int
    yours: str
    file: str | None  # None: the file ends before this line


def after_edit(path: str, before: TextFile, found: Replacement, *, moved: bool) -> str:
    """Short: what was done, how it was found when not exactly, and the lines as they are now."""
    count = len(found.places)
    notes = [f"edited {path}" + (f" in {count} places" if count > 1 else "")]
    if found.how == "tolerant":
        notes.append(
            "old differed in whitespace: matched by its lines, new was indented like the file"
        )
    if found.numbers_stripped:
        notes.append("line numbers in old were left out")
    if moved:
        notes.append("the file had changed since you read it")
    return "; ".join(notes) + "\n" + _excerpts(found)


def _excerpts(found: Replacement) -> str:
    after = View.of(found.text)
    pieces: list[str] = []
    grown = 0
    for place in found.places[:PLACES]:
        start = place.start + grown
        grown += len(place.new) - (place.end - place.start)
        first = after.line_number(start)
        last = after.line_number(max(start, start + len(place.new) - 1))
        pieces.append(_excerpt(after.lines, first - AROUND, last + AROUND))
    if len(found.places) > PLACES:
        pieces.append(f"[{len(found.places) - PLACES} more places not shown]")
    return "\n...\n".join(pieces)


def _excerpt(lines: list[str], first: int, last: int) -> str:
    first, last = max(first, 1), min(last, len(lines))
    shown = [line[:WIDTH] for line in lines[first - 1 : last]]
    if len(shown) <= SHOWN:
        return numbered(shown, first) or "(the file is empty now)"
    half = SHOWN // 2
    return (
        f"{numbered(shown[:half], first)}\n[{len(shown) - 2 * half} lines as in new]\n"
        f"{numbered(shown[-half:], last - half + 1)}"
    )


def not_found(path: str, file: TextFile, old: str) -> tuple[str, int]:
    """Why nothing matched, naming the first line that differs; and the line of the nearest place."""
    wanted = View.of(old).lines or [""]
    lines = View.of(file.text).lines
    difference = _first_difference(lines, wanted)
    shorter = f"\nold has {len(wanted)} lines: quote only the few around each change"
    advice = shorter if len(old) > LONG else ""
    if difference is None:
        first = next((line for line in wanted if line.strip()), "")[:WIDTH]
        why = f"and nothing in the file is like it: read the file. old begins:\n{first}"
        return f"old is not in {path}, {why}{advice}", 1
    return f"old is not in {path}. {_explained(difference)}{advice}", difference.line


def _explained(difference: _Difference) -> str:
    yours = difference.yours[:WIDTH]
    if difference.file is None:
        return f"The file ends before line {difference.line}, where yours has:\n{yours}"
    file = difference.file[:WIDTH]
    if yours.split() == file.split() or yours == file:
        # Only the quoted form shows tabs, trailing spaces and look-alikes.
        yours, file = repr(yours), repr(file)
    return f"At the nearest place line {difference.line} differs:\nyours: {yours}\nfile:  {file}"


def region(file: TextFile, line: int) -> tuple[str, int, int]:
    """Numbered lines around a line, with the first and last line number."""
    lines = View.of(file.text).lines
    first = max(line - REGION, 1)
    last = min(line + REGION, len(lines))
    return numbered([text[:2_000] for text in lines[first - 1 : last]], first), first, last


def _first_difference(lines: list[str], wanted: list[str]) -> _Difference | None:
    """Where the nearest place first differs from the wanted lines; None if nothing is near."""
    start = _nearest_start(lines, wanted)
    if start is None:
        return None
    pairs = [
        _Difference(max(start + at, 0) + 1, yours, _line(lines, start + at))
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
