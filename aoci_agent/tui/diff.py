"""A unified diff as numbered, coloured lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from textual.content import Content

from aoci_agent.tui import foreign, signs

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
Kind = Literal["added", "removed", "same"]
# An empty line is context whose single space an editor stripped.
KINDS: dict[str, Kind] = {"+": "added", "-": "removed", " ": "same", "": "same"}
STYLES = {"added": "$text-success", "removed": "$text-error", "same": "", "note": "$muted"}
SIGNS = {"added": "+", "removed": "-", "same": " "}


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line; `number` is the line in the new file, or in the old one when it was removed."""

    kind: Kind | Literal["note"]
    text: str
    number: int = 0


def parse(diff: str) -> Iterator[DiffLine]:
    """Read a unified diff. Hunk lengths decide what is a header, not the look of a line."""
    at = _Place()
    for text in diff.removesuffix("\n").split("\n"):
        kind = KINDS.get(text[:1]) if at.inside else None
        if kind is not None:
            yield at.step(kind, text[1:])
            continue
        if hunk := HUNK.match(text):
            at = _Place(int(hunk[1]), int(hunk[3]), int(hunk[2] or 1), int(hunk[4] or 1))
        yield DiffLine("note", text)


@dataclass(slots=True)
class _Place:
    """Where in a hunk the reader is: next line numbers, and how many lines are still to come."""

    old: int = 0
    new: int = 0
    old_left: int = 0
    new_left: int = 0

    @property
    def inside(self) -> bool:
        return self.old_left > 0 or self.new_left > 0

    def step(self, kind: Kind, text: str) -> DiffLine:
        number = self.old if kind == "removed" else self.new
        if kind != "added":
            self.old, self.old_left = self.old + 1, self.old_left - 1
        if kind != "removed":
            self.new, self.new_left = self.new + 1, self.new_left - 1
        return DiffLine(kind, text, number)


def counts(diff: str) -> tuple[int, int]:
    """Lines added and removed."""
    kinds = [item.kind for item in parse(diff)]
    return kinds.count("added"), kinds.count("removed")


def tally(diff: str) -> str:
    """Lines added and removed, as `+3 -1` with a real minus sign."""
    added, removed = counts(diff)
    return f"+{added} {signs.MINUS}{removed}"


def shown_lines(diff: str) -> list[DiffLine]:
    """The lines a person needs: one file's headers are on the call's line already."""
    lines = list(parse(diff))
    files = sum(item.text.startswith("+++ ") for item in lines if item.kind == "note")
    if files > 1:
        return lines
    first = True
    kept: list[DiffLine] = []
    for item in lines:
        if item.kind != "note" or item.text.startswith("\\"):
            kept.append(item)
        elif item.text.startswith("@@"):
            if not first:
                kept.append(DiffLine("note", "⋮"))
            first = False
    return kept or lines


def render(diff: str, limit: int | None = None) -> Content:
    """Coloured lines with numbers; beyond `limit` lines it says how many are hidden."""
    lines = shown_lines(diff)
    shown = lines if limit is None or len(lines) <= limit else lines[:limit]
    digits = max((len(str(item.number)) for item in shown), default=1)
    parts = [_line(item, digits) for item in shown]
    if hidden := len(lines) - len(shown):
        more = "line" if hidden == 1 else "lines"
        parts.append(Content.styled(f"… {hidden} more {more}, Ctrl+O shows all", "$muted"))
    return Content("\n").join(parts)


def _line(item: DiffLine, digits: int) -> Content:
    if item.kind == "note":
        return foreign.block(item.text, STYLES["note"]).pad_left(digits + 1)
    number = f"{item.number:>{digits}} "
    style = STYLES[item.kind]
    text = foreign.block(f"{SIGNS[item.kind]} {item.text}", style)
    return Content.assemble((number, "$muted"), text)
