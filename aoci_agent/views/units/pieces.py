"""Ranges of lines cut where a reader would: at blank lines, before what is indented least."""

from collections.abc import Iterator

LONGEST = 300  # lines of one unit
PARAGRAPH = 60  # lines of one unit of plain text, or of statements


def trimmed(lines: list[str], start: int, end: int) -> tuple[int, int]:
    """The range without blank lines at its ends; `start > end` when nothing is left."""
    while start <= end and not lines[start - 1].strip():
        start += 1
    while start <= end and not lines[end - 1].strip():
        end -= 1
    return start, end


def pieces(lines: list[str], start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """The range itself, or ranges of at most `longest` lines that make it up."""
    while end - start >= longest:
        after = _break(lines, start, longest)
        first, last = trimmed(lines, start, after - 1)
        if first <= last:
            yield first, last
        start = after
    start, end = trimmed(lines, start, end)
    if start <= end:
        yield start, end


def _break(lines: list[str], start: int, longest: int) -> int:
    """The line that the next piece begins with: the last and least indented after a blank line."""
    best, least = start + longest, 10_000
    for line in range(start + longest, start + longest // 2, -1):
        text = lines[line - 1]
        if text.strip() and not lines[line - 2].strip():
            indent = len(text) - len(text.lstrip())
            if indent < least:
                best, least = line, indent
    return best
