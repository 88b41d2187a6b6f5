"""`lock.jsonl`: where each element came from, so that a person's edit is told from the machine's text."""

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

GENERATOR = "static@7"  # raise when generation changes: then nothing counts as unchanged
ELEMENTS: tuple[str, ...] = ("F", "R", "A", "S", "T")  # T is the tag without its size


def named(keys: Container[str], joint: str = ", ") -> str:
    """Elements as a person calls them, in their order."""
    return joint.join("tag" if key == "T" else key for key in ELEMENTS if key in keys)


def json_object(text: str | bytes) -> dict[str, Any]:
    """The object a JSON text holds; {} for anything else."""
    try:
        value: Any = json.loads(text) if text.strip() else {}
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Pin:
    """An element a person wrote: the semantic hash of the source it was about, and its own hash."""

    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """Provenance of one entry. `elements` maps F R A S T to the hash of what the machine wrote.

    After a merge conflict in the lock an element may hold several hashes, joined by `|`.
    """

    path: str
    sem: str  # of the source, without formatting and comments
    sketch: str
    elements: Mapping[str, str]
    importance: int
    generator: str = GENERATOR
    pins: Mapping[str, Pin] = field(default_factory=dict[str, Pin])

    def wrote(self, element: str, text_hash: str) -> bool:
        """Whether the machine wrote this text of an element."""
        return text_hash in self.elements.get(element, "").split("|")


@dataclass(frozen=True)
class Lock:
    """All records, the module codes in use, and the hashes of generated header and table lines."""

    records: Mapping[str, Record] = field(default_factory=dict[str, Record])
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    header: Mapping[str, str] = field(default_factory=dict[str, str])
    tables: Mapping[str, str] = field(default_factory=dict[str, str])  # `schema/name` -> line hash

    def forgetting(self) -> "Lock":
        """The lock without what the machine decided earlier: importance and module codes."""
        records = {path: replace(r, generator="") for path, r in self.records.items()}
        return replace(self, records=records, modules={})

    def importance(self, moved: Mapping[str, str]) -> dict[str, int]:
        """C by present path, as far as this generation decided it. `moved` is new path -> old path."""
        made = {r.path: r.importance for r in self.records.values() if r.generator == GENERATOR}
        return made | {new: made[old] for new, old in moved.items() if old in made}


def dump(lock: Lock) -> str:
    """JSON lines with a blank line between, so that neighbouring changes merge."""
    rows: list[dict[str, Any]] = [{"v": 2}]
    rows += [{"h": key, "ent": value} for key, value in sorted(lock.header.items())]
    rows += [{"m": folder, "code": code} for folder, code in sorted(lock.modules.items())]
    rows += [{"t": name, "ent": value} for name, value in sorted(lock.tables.items())]
    rows += [_row(record) for _, record in sorted(lock.records.items())]
    return "\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"


def _row(record: Record) -> dict[str, Any]:
    row: dict[str, Any] = {
        "p": record.path,
        "sem": record.sem,
        "sk": record.sketch,
        "ent": " ".join(record.elements.get(element, "") for element in ELEMENTS),
        "gen": record.generator,
        "who": "mh" if record.pins else "m",
        "C": record.importance,
    }
    if record.pins:
        row["pin"] = {key: [pin.anchor, pin.text] for key, pin in sorted(record.pins.items())}
    return row


def load(text: str) -> Lock:
    """Read a lock. Lines that make no sense are passed over; both sides of a conflict are kept."""
    records: dict[str, Record] = {}
    modules: dict[str, str] = {}
    lines: dict[str, dict[str, str]] = {"h": {}, "t": {}}
    for line in text.split("\n"):
        row = json_object(line)
        if "p" in row and (record := _record(row)) is not None:
            known = records.get(record.path)
            records[record.path] = record if known is None else _both(known, record)
        elif isinstance(row.get("m"), str) and isinstance(row.get("code"), str):
            modules[row["m"]] = row["code"]
        for kind, known in lines.items():
            if isinstance(row.get(kind), str) and isinstance(row.get("ent"), str):
                known[row[kind]] = row["ent"]
    return Lock(records, modules, lines["h"], lines["t"])


def _record(row: dict[str, Any]) -> Record | None:
    texts = [row.get(key) for key in ("p", "sem", "sk", "ent", "gen")]
    level = row.get("C")
    if not all(isinstance(text, str) for text in texts) or not isinstance(level, int):
        return None
    path, sem, sketch, hashes, generator = cast("list[str]", texts)
    parts = hashes.split(" ")
    if len(parts) != len(ELEMENTS):
        return None
    elements = dict(zip(ELEMENTS, parts, strict=True))
    return Record(path, sem, sketch, elements, level, generator, _pins(row.get("pin")))


def _pins(value: object) -> dict[str, Pin]:
    pins: dict[str, Pin] = {}
    for key, pair in cast("dict[str, Any]", value).items() if isinstance(value, dict) else ():
        if key in ELEMENTS and isinstance(pair, list):
            texts = [item for item in cast("list[Any]", pair) if isinstance(item, str)]
            if len(texts) == 2:
                pins[key] = Pin(*texts)
    return pins


def _both(one: Record, other: Record) -> Record:
    """The two sides of a conflict as one: what either machine wrote is the machine's."""
    elements = {
        key: "|".join(dict.fromkeys((one.elements[key], other.elements[key]))) for key in ELEMENTS
    }
    pins = {**one.pins, **other.pins}
    same = one.sem == other.sem
    return Record(
        one.path,
        one.sem if same else "",
        other.sketch,
        elements,
        other.importance,
        other.generator,
        pins,
    )
