"""What the model reads after an edit, and when one could not be made."""

from aoci_agent.base.files import TextFile
from aoci_agent.tools.lines import View, numbered
from aoci_agent.tools.nearest import Difference, first_difference
from aoci_agent.tools.replacing import Replacement

AROUND = 2  # lines shown before and after a change
SHOWN = 24  # lines of one change shown
PLACES = 3  # places shown of an edit that changed many
REGION = 12  # lines shown before and after the nearest place of a failed edit
WIDTH = 200  # characters of a quoted line


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
    difference = first_difference(lines, wanted)
    if difference is None:
        return f"old is not in {path}, and nothing in the file is like it: read the file", 1
    return f"old is not in {path}. {_difference(difference)}", difference.line


def _difference(difference: Difference) -> str:
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
