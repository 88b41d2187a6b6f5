"""What was read of another tool's index, before and after it is mapped onto the repository."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from aoci_agent.aoci.model import Entry, HeaderLine, Index, TableEntry

Layout = Literal["listing", "single", "volumes"]


class Row(NamedTuple):
    """One entry as written. `folder` is None where the text names no directory above it."""

    folder: str | None
    entry: Entry  # `directory` is not filled in yet
    line: int  # physical line, counts from 1


@dataclass(frozen=True, slots=True)
class Reading:
    """One text: rows and tables in the order they were written."""

    header: tuple[HeaderLine, ...] = ()
    rows: tuple[Row, ...] = ()
    tables: tuple[TableEntry, ...] = ()
    named: tuple[str, ...] = ()  # files it names and gives no entry, with their directories


class Unmapped(NamedTuple):
    """An entry that stands for no file of the repository. `path` is the best guess."""

    path: str
    reason: Literal["file missing", "name is ambiguous", "repeated"]
    entry: Entry
    line: int


@dataclass(frozen=True, slots=True)
class Foreign:
    """Another tool's index. `index` holds the mapped entries under repository paths, and all tables."""

    layout: Layout
    sources: tuple[str, ...]  # the files it was read from
    index: Index
    unmapped: tuple[Unmapped, ...] = ()
    named: frozenset[str] = frozenset()  # files it names and gives no entry
    files: frozenset[str] = frozenset()  # everything there was to map onto
    passed_over: tuple[str, ...] = ()  # other versions of it that were not read
    ours: bool = False  # an unchanged export of this program: nobody's own words

    @property
    def parsed(self) -> int:
        """Entries read, mapped or not."""
        return len(self.index.entries) + len(self.unmapped)
