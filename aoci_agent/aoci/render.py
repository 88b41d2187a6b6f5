"""The index as prompt text: the richest tier that fits a token budget, the same bytes every time."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath

from aoci_agent.aoci.lines import READING, brief_line, counter, fold_name
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.write import MAGIC, entry_line, header_line, section_line, table_line

DEFAULT_BUDGET = 60_000


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

    @property
    def status(self) -> str:
        """`412 of 475 entries, 39.7k tokens, tier 1`."""
        size = f"{self.tokens / 1000:.1f}k" if self.tokens >= 1000 else str(self.tokens)
        return f"{self.shown} of {self.total} entries, {size} tokens, tier {self.tier}"


Level = int  # 2 whole line, 1 name tag and function, 0 name only


def _tier0(_: Entry) -> Level:
    return 2


def _tier1(entry: Entry) -> Level:
    return 2 if _weight(entry) >= 5 else 0


def _tier2(entry: Entry) -> Level:
    return 2 if _weight(entry) >= 7 else 1 if _weight(entry) >= 5 else 0


def _tier3(entry: Entry) -> Level:
    return 2 if _weight(entry) >= 9 else 1 if _weight(entry) >= 7 else 0


def _weight(entry: Entry) -> int:
    """Importance; tests and migrations are named only, whatever else says."""
    return 0 if entry.tag.layer in "TG" else entry.tag.importance


_TIERS: tuple[Callable[[Entry], Level], ...] = (_tier0, _tier1, _tier2, _tier3)


def render(index: Index, budget: int = DEFAULT_BUDGET, *, tags: bool = True) -> Rendered:
    """The lowest tier within `budget` tokens; tier 4 names directories and is cut if it must be."""
    count = counter(index.counts)
    header = _header(index, budget, count)
    room = budget - sum(map(count, header))
    for tier, level_of in enumerate(_TIERS):
        levels = {entry.path: level_of(entry) for entry in index.entries}
        lines, used = _lines(index, levels, count, tags=tags)
        if used <= room:
            shown = sum(1 for level in levels.values() if level)
            return _rendered(header, lines, (shown, len(levels), tier), budget - room + used)
    lines, used = _directories(index, room, count)
    return _rendered(header, lines, (0, len(index.entries), 4), budget - room + used)


def _rendered(
    header: Sequence[str], lines: Sequence[str], numbers: tuple[int, int, int], tokens: int
) -> Rendered:
    head, body = "\n".join(header), "\n".join(lines)
    name = hashlib.blake2b(f"{head}\n\n{body}".encode(), digest_size=8).hexdigest()
    shown, total, tier = numbers
    return Rendered(head, body, shown, total, tokens, tier, name)


def _header(index: Index, budget: int, count: Callable[[str], int]) -> list[str]:
    """Reading rules and header lines; the last lines give way when they fill half the budget."""
    lines = [MAGIC, *READING, *map(header_line, index.header)]
    while len(lines) > 2 and sum(map(count, lines)) > budget // 2:
        lines.pop()
    return lines


def _lines(
    index: Index, levels: Mapping[str, Level], count: Callable[[str], int], *, tags: bool
) -> tuple[list[str], int]:
    lines: list[str] = []
    used = 0
    for directory, group in groupby(index.entries, key=lambda entry: entry.directory):
        lines.append(section_line(directory))
        used += count(lines[-1])
        folded: list[str] = []
        for entry in group:
            if levels[entry.path] == 0:
                folded.append(fold_name(entry.name))
                used += count(f" {folded[-1]}")
                continue
            whole = levels[entry.path] == 2
            line = entry_line(entry, tags=tags) if whole else brief_line(entry, tags=tags)
            lines.append(line)
            used += count(line)
        if folded:
            lines.append(f"+ {' '.join(folded)}")
            used += 2
    for table in index.tables:
        lines.append(table_line(table))
        used += count(lines[-1])
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
