"""What in another tool's index no longer holds: compared with the files, name by name.

Only what can be told for certain counts: prose, translated words and names of outside packages are
not judged, and a name that stands anywhere in the file is not absent.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.foreign.model import Foreign
from aoci_agent.aoci.grounding import Grounds
from aoci_agent.aoci.model import Entry
from aoci_agent.aoci.tags import size_of

Kind = Literal["missing", "repeated", "ambiguous", "api", "relation", "token", "size", "uncovered"]
_KINDS: Mapping[str, Kind] = {
    "file missing": "missing",
    "repeated": "repeated",
    "name is ambiguous": "ambiguous",
}
_THRESHOLD = re.compile(r"\b[TSML](?:[-= ]?[a-z]+)?\s*[<>≤≥]=?\s*\d")


class StaleRow(NamedTuple):
    """One thing that does not hold. `items` are the names it is about, in the order written."""

    kind: Kind
    path: str
    items: tuple[str, ...] = ()


def stale_report(
    foreign: Foreign, world: Mapping[str, Facts], texts: Mapping[str, str]
) -> tuple[StaleRow, ...]:
    """Rows by path. `world` are the facts of indexed files, `texts` their content where known.

    A file without facts is only looked for; a file without text is judged by its facts alone.
    """
    rows = [StaleRow(_KINDS[item.reason], item.path) for item in foreign.unmapped]
    grounds, sizes = Grounds(foreign.files, world, texts.get), _Sizes(foreign)
    for entry in foreign.index.entries:
        facts = world.get(entry.path)
        if facts is not None:
            rows += _of_entry(entry, grounds)
            if sizes.is_wrong(entry.tag.size, size_of(facts.lines)):
                change = f"{entry.tag.size}→{size_of(facts.lines)}"
                rows.append(StaleRow("size", entry.path, (change,)))
    covered = foreign.index.by_path.keys() | foreign.named
    rows += [StaleRow("uncovered", path) for path in world if path not in covered]
    return tuple(sorted(rows, key=lambda row: (row.path, row.kind, row.items)))


class _Sizes:
    """When a size letter is wrong: where the index says what the letters mean, as soon as it differs."""

    def __init__(self, foreign: Foreign) -> None:
        used = [entry.tag.size for entry in foreign.index.entries if entry.tag.size]
        is_rare = used.count("T") * 50 < len(used)  # then T is a trait without a size behind it
        self._order = "TSML" if not is_rare else "SML"
        told = " ".join(line.text for line in foreign.index.header)
        self._least = 1 if _THRESHOLD.search(told) else 2  # neighbours could be anywhere

    def is_wrong(self, told: str, counted: str) -> bool:
        """Whether the letter cannot stand for a file of that size."""
        if not told or told not in self._order:
            return False
        counted = counted if counted in self._order else self._order[0]
        return abs(self._order.index(told) - self._order.index(counted)) >= self._least


def _of_entry(entry: Entry, grounds: Grounds) -> Iterator[StaleRow]:
    judged: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("api", grounds.absent(entry)),
        ("relation", grounds.lost(entry)),
        ("token", grounds.unknown(entry)),
    )
    for kind, items in judged:
        if items:
            yield StaleRow(kind, entry.path, items)
