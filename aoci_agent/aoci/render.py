"""The index as prompt text: the richest tier that fits a token budget, the same bytes every time."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath

from aoci_agent.aoci.layers import is_aside
from aoci_agent.aoci.lines import (
    READING_TABLES,
    brief_line,
    counter,
    fold_name,
    header_lines,
    prompt_line,
    reading,
)
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.write import MAGIC, section_line, table_line, table_section

DEFAULT_BUDGET = 60_000
NOTES_WITHIN = 0.9  # share of the budget that notes may fill up


@dataclass(frozen=True, slots=True)
class Rendered:
    """Prompt text and what it holds. `header` and `entries` end without a newline."""

    header: str
    entries: str
    shown: int  # entries with at least their function
    total: int
    tokens: int
    tier: int
    content_id: str
    changes: str = ""  # `Δ` lines for entries that moved since this text was first sent

    @property
    def status(self) -> str:
        """`412 of 475 entries, 39.7k tokens, tier 1`."""
        size = f"{self.tokens / 1000:.1f}k" if self.tokens >= 1000 else str(self.tokens)
        moved = f", {len(self.changes.splitlines())} changed since" if self.changes else ""
        return f"{self.shown} of {self.total} entries, {size} tokens, tier {self.tier}{moved}"


def prompt_header(index: Index, budget: int, *, tags: bool = True) -> str:
    """The header as `render` puts it above the entries."""
    return "\n".join(_header(index, budget, counter(index.counts), tags=tags))


Levels = dict[str, int]  # path -> 3 with notes; 2 whole line; 1 name, tag and function; 0 name only
_NOTED, _WHOLE, _BRIEF, _NAME = 3, 2, 1, 0
# Importance from which an entry is shown whole, and from which briefly, tier by tier.
_TIERS = ((0, 0), (5, 5), (7, 5), (9, 7))
_TABLE_NAMES = 3  # the tier that names tables without their columns; the one below has none


def _weight(entry: Entry) -> int:
    """Importance; tests and migrations come last, whatever else says."""
    return 0 if entry.tag.layer in "TG" else entry.tag.importance


def render(index: Index, budget: int = DEFAULT_BUDGET, *, tags: bool = True) -> Rendered:
    """The lowest tier within `budget` tokens, filled up with entries as the tiers below show them.

    Tier 4 names directories and is cut if it must be.
    """
    count = counter(index.counts)
    header = _header(index, budget, count, tags=tags)
    room = budget - sum(map(count, header))
    for tier in range(len(_TIERS)):
        levels = _levels(index, tier)
        tables, cost = _tables(index, count, whole=tier < _TABLE_NAMES)
        left = room - cost
        lines, used = _lines(index, levels, count, tags=tags)
        if used <= left:
            for richer in reversed(range(tier)):
                _fill(index, levels, _levels(index, richer), left - used, count, tags=tags)
                lines, used = _lines(index, levels, count, tags=tags)
            if any(entry.extra for entry in index.entries):
                spare = int(budget * NOTES_WITHIN) - (budget - left) - used
                _fill(index, levels, _noted(index, levels), spare, count, tags=tags)
                lines, used = _lines(index, levels, count, tags=tags)
            shown = sum(1 for level in levels.values() if level)
            numbers = (shown, len(levels), tier)
            return _rendered(header, lines + tables, numbers, budget - left + used)
    lines, used = _directories(index, room, count)
    return _rendered(header, lines, (0, len(index.entries), 4), budget - room + used)


def _levels(index: Index, tier: int) -> Levels:
    whole, brief = _TIERS[tier]
    weights = ((entry.path, _weight(entry)) for entry in index.entries)
    return {
        path: _NAME if is_aside(path) else _WHOLE if w >= whole else int(w >= brief)
        for path, w in weights
    }


def _noted(index: Index, levels: Levels) -> Levels:
    """Whole entries with their notes, which come last: what the program derived is in step."""
    noted = {entry.path for entry in index.entries if entry.extra}
    return {
        path: _NOTED if level == _WHOLE and path in noted else level
        for path, level in levels.items()
    }


def _fill(
    index: Index,
    levels: Levels,
    wanted: Levels,
    room: int,
    count: Callable[[str], int],
    *,
    tags: bool,
) -> None:
    """Raise entries to the wanted levels while they fit, by importance, then path."""
    for entry in sorted(index.entries, key=lambda entry: (-_weight(entry), entry.path)):
        path = entry.path
        if levels[path] < wanted[path]:
            now, then = (_shown(entry, side[path], tags=tags) for side in (levels, wanted))
            cost = count(then) - count(now)
            if cost <= room:
                levels[path] = wanted[path]
                room -= cost


def _shown(entry: Entry, level: int, *, tags: bool) -> str:
    if level == _NAME:
        return f" {fold_name(entry.name)}"
    if level == _BRIEF:
        return brief_line(entry, tags=tags)
    return prompt_line(entry, tags=tags, notes=level == _NOTED)


def _rendered(
    header: Sequence[str], lines: Sequence[str], numbers: tuple[int, int, int], tokens: int
) -> Rendered:
    head, body = "\n".join(header), "\n".join(lines)
    name = hashlib.blake2b(f"{head}\n\n{body}".encode(), digest_size=8).hexdigest()
    shown, total, tier = numbers
    return Rendered(head, body, shown, total, tokens, tier, name)


def _header(index: Index, budget: int, count: Callable[[str], int], *, tags: bool) -> list[str]:
    """Reading rules and header lines; the last lines give way when they fill half the budget."""
    lines = [MAGIC, *reading(index, tags=tags), *header_lines(index, tags=tags)]
    while len(lines) > 2 and sum(map(count, lines)) > budget // 2:
        lines.pop()
    return lines


def _lines(
    index: Index, levels: Levels, count: Callable[[str], int], *, tags: bool
) -> tuple[list[str], int]:
    lines: list[str] = []
    used = 0
    for directory, group in groupby(index.entries, key=lambda entry: entry.directory):
        lines.append(section_line(directory))
        used += count(lines[-1])
        folded = ""
        for entry in group:
            shown = _shown(entry, levels[entry.path], tags=tags)
            used += count(shown)
            if levels[entry.path] == _NAME:
                folded += shown
            else:
                lines.append(shown)
        if folded:
            lines.append(f"+{folded}")
            used += 2
    return lines, used


def _tables(index: Index, count: Callable[[str], int], *, whole: bool) -> tuple[list[str], int]:
    """The table sections and their tokens; only the names of the tables unless `whole`."""
    lines: list[str] = []
    used = 0
    for schema, group in groupby(index.tables, key=lambda table: table.schema):
        head = [table_section(schema)] if lines else [table_section(schema), READING_TABLES]
        names = [f" {table.name}" for table in group] if not whole else []
        rows = [table_line(table) for table in index.tables if table.schema == schema and whole]
        lines += [*head, *rows, *([f"+{''.join(names)}"] if names else [])]
        used += sum(map(count, (*head, *rows, *names))) + 2 * bool(names)
    return lines, used


def _directories(index: Index, room: int, count: Callable[[str], int]) -> tuple[list[str], int]:
    """One line per directory: all names, else the best few, else of folders further up."""
    for depth, named in ((99, 10**6), (99, 4), (4, 4), (3, 4), (2, 4), (1, 4)):
        groups: dict[str, list[Entry]] = {}
        for entry in index.entries:
            folder = "/".join(PurePosixPath(entry.directory).parts[:depth])
            groups.setdefault(folder, []).append(entry)
        lines = [_directory_line(folder, group, named) for folder, group in sorted(groups.items())]
        used = sum(map(count, lines))
        if used <= room:
            return lines, used
    lines.sort(key=lambda line: (-len(line), line))
    while lines and used > room:
        used -= count(lines.pop())
    return sorted(lines), used


def _directory_line(folder: str, group: Sequence[Entry], named: int) -> str:
    best = sorted(group, key=lambda entry: (-entry.tag.importance, entry.name))[:named]
    names = " ".join(fold_name(entry.name) for entry in best)
    more = f" +{len(group) - len(best)}" if len(group) > len(best) else ""
    return f"{section_line(folder)} {names}{more}"
