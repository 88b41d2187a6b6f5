"""Taking one entry back to what it was at a commit: its elements, pinned where the machine differs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from aoci_agent.aoci.lock import ELEMENTS, Lock, Pin, Record
from aoci_agent.aoci.model import Entry
from aoci_agent.aoci.write import element_hashes, entry_line, section_line
from aoci_agent.base.errors import ForUser


@dataclass(frozen=True)
class Restored:
    """The texts to write, and what is pinned. `changed` are the elements that differ from before."""

    text: str
    lock: Lock
    entry: Entry
    pins: Mapping[str, Pin]
    changed: tuple[str, ...]


def restore(text: str, lock: Lock, now: Entry, then: Entry, old: Record | None) -> Restored:
    """The index text and the lock with `then`'s elements under `now`'s name; nothing else changes.

    `old` is the lock's record at that commit: a pin is anchored at the source its words were about.
    Elements the machine writes today all the same are not pinned. Raises ForUser where the line or
    its record is missing.
    """
    entry = replace(
        then, directory=now.directory, name=now.name, tag=replace(then.tag, size=now.tag.size)
    )
    record = lock.records.get(now.path)
    if record is None:
        raise ForUser(f"the lock does not know '{now.path}'", "aoci-agent index build")
    before, after = element_hashes(now), element_hashes(entry)
    pins = {
        key: _pin(key, after[key], old) for key in ELEMENTS if not record.wrote(key, after[key])
    }
    records = {**lock.records, now.path: replace(record, pins=pins)}
    return Restored(
        _with_line(text, now, entry_line(entry)),
        replace(lock, records=records),
        entry,
        pins,
        tuple(key for key in ELEMENTS if before[key] != after[key]),
    )


def _pin(key: str, text: str, old: Record | None) -> Pin:
    known = old.pins.get(key) if old is not None else None
    if known is not None and known.text == text:
        return known
    return Pin(old.sem if old is not None else "", text)


def _with_line(text: str, entry: Entry, line: str) -> str:
    """The text with one line replaced, byte for byte the same elsewhere."""
    lines = text.split("\n")
    section = section_line(entry.directory)
    inside = entry.directory == ""  # entries may stand before the first section
    for number, old in enumerate(lines):
        if old.startswith("==="):
            inside = old.rstrip("\r") == section
        elif inside and old.startswith(f"{entry.name}["):
            end = "\r" if old.endswith("\r") else ""
            return "\n".join((*lines[:number], f"{line}{end}", *lines[number + 1 :]))
    raise ForUser(
        f"the line of '{entry.path}' is not written as the program writes it",
        "aoci-agent index build",
    )
