"""The generated index and the one on disk: what a person wrote stays, element by element."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.files import Changes
from aoci_agent.aoci.lock import ELEMENTS, Lock, Pin, Record, named
from aoci_agent.aoci.model import Entry, HeaderLine, Index, TableEntry
from aoci_agent.aoci.write import element_hashes, header_line, line_hash, table_line

_DICTIONARIES = frozenset("ABCDE")
_MACHINE_KEYS = frozenset(
    ("overview", "stack", *"ABCDE", "ubiquitous", "routes", "folded", "scope")
)
_FIELDS = {"F": "function", "R": "relations", "A": "api", "S": "synopsis"}


@dataclass
class Merged:
    """What `merge` decided: the index to write, the pins of each entry, and what is worth saying."""

    index: Index
    pins: dict[str, dict[str, Pin]] = field(default_factory=dict[str, dict[str, Pin]])
    edited: list[str] = field(default_factory=list[str])  # paths with a pin new in this merge
    aged: list[str] = field(default_factory=list[str])  # paths whose source moved under a pin
    lost: list[str] = field(default_factory=list[str])  # paths whose entry with pins is not there


def merge(
    made: Index, on_disk: Index, lock: Lock, world: Mapping[str, Facts], moved: Mapping[str, str]
) -> Merged:
    """The generated index with everything a person wrote put back. `moved` is new -> old path."""
    merged = Merged(made)
    entries: list[Entry] = []
    for entry in made.entries:
        before = moved.get(entry.path, entry.path)
        old, record = on_disk.by_path.get(before), lock.records.get(before)
        sem = world[entry.path].sem
        if old is None and record is not None and record.pins:
            merged.lost.append(entry.path)
        pins = _pins(entry, old, record, sem) if old is not None else {}
        if old is not None and old.extra != entry.extra:
            entry = replace(entry, extra=old.extra)
        if old is not None and pins:
            entry = _with_pinned(entry, old, pins)
            merged.pins[entry.path] = pins
            if record is None or any(record.pins.get(key) != pin for key, pin in pins.items()):
                merged.edited.append(entry.path)
            if any(pin.anchor != sem for pin in pins.values()):
                merged.aged.append(entry.path)
        entries.append(entry)
    header = _merge_header(made, on_disk, lock)
    index = Index(header, tuple(entries), made.tables)
    merged.index = with_own_tables(index, own_tables(on_disk, lock))
    return merged


def lock_of(
    made: Index, merged: Merged, modules: Mapping[str, str], world: Mapping[str, Facts]
) -> Lock:
    """The lock to keep beside the merged index."""
    records = {
        entry.path: Record(
            entry.path,
            world[entry.path].sem,
            world[entry.path].sketch,
            element_hashes(entry),
            entry.tag.importance,
            pins=merged.pins.get(entry.path, {}),
        )
        for entry in made.entries
    }
    header = {line.key: line_hash(header_line(line)) for line in made.header}
    tables = {_table_key(table): line_hash(table_line(table)) for table in made.tables}
    return Lock(records, modules, header, tables)


def keep_pinned(
    made: Index, new: tuple[Entry, ...], before: Index, lock: Lock
) -> tuple[Index, tuple[Entry, ...]]:
    """The index and its new entries with the pinned elements of the entries before put back."""
    kept = tuple(
        replace(_with_pinned(entry, old, record.pins), extra=old.extra)
        if (old := before.by_path.get(entry.path)) is not None
        and (record := lock.records.get(entry.path)) is not None
        else entry
        for entry in new
    )
    put = {entry.path: entry for entry in kept}
    entries = tuple(put.get(entry.path, entry) for entry in made.entries)
    return replace(made, entries=entries), kept


def settled(record: Record, entry: Entry, elements: Iterable[str], *, keep: bool) -> Record:
    """The record with these elements pinned as they stand, or given back to the machine."""
    stands = element_hashes(entry)
    pins = {key: pin for key, pin in record.pins.items() if keep or key not in elements}
    if keep:
        pins |= {key: Pin(record.sem, stands[key]) for key in elements}
    given_back = {} if keep else {key: stands[key] for key in elements}
    return replace(record, pins=pins, elements={**record.elements, **given_back})


def changes(before: Index, after: Index, moved: Mapping[str, str]) -> Changes:
    """What became of the entries; an entry that moved is neither added nor removed."""
    old, new = before.by_path, after.by_path
    pairs = tuple((source, path) for path, source in moved.items() if source in old)
    left = {source for source, _ in pairs}
    came = {path for _, path in pairs}
    return Changes(
        added=tuple(path for path in sorted(new) if path not in old and path not in came),
        removed=tuple(path for path in sorted(old) if path not in new and path not in left),
        changed=tuple(path for path in sorted(new) if path in old and old[path] != new[path]),
        moved=pairs,
    )


def edited(merged: Merged) -> list[str]:
    """One line for each entry with an element newly found to be a person's."""
    gone = [
        f"{path}: its entry with words by hand was not in the file, the program wrote a new one;"
        f" take the old one back: aoci-agent index rollback {path}@HEAD"
        for path in merged.lost
    ]
    return gone + [
        f"{path}: {named(merged.pins[path])} written by hand, kept" for path in merged.edited
    ]


def aged(merged: Merged) -> list[str]:
    """One line for each entry whose source moved under a person's words."""
    return [
        f"{path}: the source changed under {named(merged.pins[path])} written by hand;"
        f" look at it, then: aoci-agent index pin {path} {named(merged.pins[path], ',')}"
        for path in merged.aged
    ]


def _pins(entry: Entry, old: Entry, record: Record | None, sem: str) -> dict[str, Pin]:
    """Elements of the old entry that are a person's: pinned before, or not what the machine wrote.

    Without a record nobody knows who wrote the line, so what differs counts as a person's. A pin
    keeps its anchor until the person changes the text again.
    """
    made = element_hashes(entry) if record is None else {}
    stands = element_hashes(old)
    pins: dict[str, Pin] = {}
    for key in ELEMENTS:
        known = record.pins.get(key) if record is not None else None
        if known is not None:
            pins[key] = known if known.text == stands[key] else Pin(sem, stands[key])
        elif record is not None and not record.wrote(key, stands[key]):
            pins[key] = Pin(record.sem or sem, stands[key])
        elif record is None and stands[key] != made[key]:
            pins[key] = Pin(sem, stands[key])
    return pins


def _with_pinned(entry: Entry, old: Entry, pins: Mapping[str, Pin]) -> Entry:
    kept = {_FIELDS[key]: getattr(old, _FIELDS[key]) for key in pins if key in _FIELDS}
    if "T" in pins:
        kept["tag"] = replace(old.tag, size=entry.tag.size)
    return replace(entry, **kept)


def _table_key(table: TableEntry) -> str:
    return f"{table.schema}/{table.name}"


def own_tables(on_disk: Index, lock: Lock) -> tuple[TableEntry, ...]:
    """The table lines a person wrote or changed."""
    return tuple(
        table
        for table in on_disk.tables
        if line_hash(table_line(table)) != lock.tables.get(_table_key(table))
    )


def with_own_tables(made: Index, own: Iterable[TableEntry]) -> Index:
    """The generated tables with a person's in their place."""
    tables = {(table.schema, table.name): table for table in (*made.tables, *own)}
    return replace(made, tables=tuple(tables[key] for key in sorted(tables)))


def _merge_header(made: Index, on_disk: Index, lock: Lock) -> tuple[HeaderLine, ...]:
    """Machine lines, unless edited; lines under keys of a person's own follow in their order."""
    old = {line.key: line for line in on_disk.header}

    def chosen(line: HeaderLine) -> HeaderLine:
        before = old.get(line.key)
        known = lock.header.get(line.key)
        if before is None or known is None or line.key in _DICTIONARIES:
            return line
        return line if line_hash(header_line(before)) == known else before

    own = tuple(line for line in on_disk.header if line.key not in _MACHINE_KEYS)
    return (*(chosen(line) for line in made.header), *own)
