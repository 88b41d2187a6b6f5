"""The generated index and the one on disk: what a person wrote stays."""

from collections.abc import Mapping

from aoci_agent.aoci.lock import Lock, Record
from aoci_agent.aoci.model import Entry, HeaderLine, Index
from aoci_agent.aoci.write import entry_line, header_line, line_hash

_DICTIONARIES = frozenset("ABCDE")
_MACHINE_KEYS = frozenset(("overview", "stack", *"ABCDE", "ubiquitous", "folded", "scope"))


def merge(made: Index, on_disk: Index, lock: Lock, findings: list[str]) -> Index:
    """The generated index with the lines a person wrote put back in place; they become findings."""
    entries: list[Entry] = []
    for entry in made.entries:
        old = on_disk.by_path.get(entry.path)
        if old is not None and _is_edited(entry_line(old), entry_line(entry), lock, entry.path):
            findings.append(f"{entry.path}: the entry was edited by hand and is kept")
            entries.append(old)
        else:
            entries.append(entry)
    return Index(_merge_header(made, on_disk, lock), tuple(entries), on_disk.tables)


def lock_of(
    made: Index, merged: Index, modules: Mapping[str, str], contents: Mapping[str, str]
) -> Lock:
    """The lock to keep beside the merged index."""
    final = merged.by_path
    records = {
        entry.path: Record(
            entry.path,
            contents.get(entry.path, ""),
            line_hash(entry_line(entry)),
            entry.tag.importance,
            pinned=final[entry.path] != entry,
        )
        for entry in made.entries
    }
    header = {line.key: line_hash(header_line(line)) for line in made.header}
    return Lock(records, modules, header)


def _is_edited(old: str, new: str, lock: Lock, path: str) -> bool:
    """Without a record nobody knows who wrote the line, so it counts as a person's."""
    record = lock.records.get(path)
    return old != new and (record is None or line_hash(old) != record.entry)


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
