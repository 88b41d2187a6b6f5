"""The index as data: immutable, machine-independent, no I/O. Grammar: aoci-agent format version 1."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Tag:
    """`[ABCDE]`: layer, module, importance (9 8 7 5 3 1), traits, size (T S M L)."""

    layer: str
    module: str
    importance: int
    traits: str = ""
    size: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: `name[tag]: F:… | R:… | A:… | S:…`. `directory` is "" for the root, POSIX, no slash."""

    directory: str
    name: str
    tag: Tag
    function: str = ""
    relations: tuple[str, ...] = ()
    api: tuple[str, ...] = ()
    synopsis: str = ""
    extra: str = ""  # unknown trailing elements, kept verbatim

    @property
    def path(self) -> str:
        """Repository path, forward slashes."""
        return f"{self.directory}/{self.name}" if self.directory else self.name


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One database table: `name[domain-type-scale-features]: fields`."""

    name: str
    domain: str
    kind: str
    scale: str
    features: tuple[str, ...]
    fields: str
    schema: str = ""


@dataclass(frozen=True, slots=True)
class HeaderLine:
    """`# key: text`; unknown keys are preserved in place."""

    key: str
    text: str


@dataclass(frozen=True)
class Index:
    """A whole index. Entries are sorted by directory, then name, in byte order."""

    header: tuple[HeaderLine, ...] = ()
    entries: tuple[Entry, ...] = ()
    tables: tuple[TableEntry, ...] = field(default=())
    counts: Mapping[str, int] = field(  # line digest -> tokens, measured at build; see `lines.py`
        default_factory=dict[str, int], compare=False, repr=False
    )

    @cached_property
    def by_path(self) -> dict[str, Entry]:
        """Entries by repository path."""
        return {entry.path: entry for entry in self.entries}
