"""`lock.jsonl`: where each entry came from, so that a person's edit is told from the machine's line."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

GENERATOR = "static@3"  # raise when generation changes: then nothing counts as unchanged


def json_object(text: str | bytes) -> dict[str, Any]:
    """The object a JSON text holds; {} for anything else."""
    try:
        value: Any = json.loads(text) if text.strip() else {}
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Record:
    """Provenance of one entry: content it was derived from, line as generated, who wrote it."""

    path: str
    content: str  # content id of the file's bytes
    entry: str  # line_hash of the entry line as generated
    importance: int
    generator: str = GENERATOR
    pinned: bool = False  # the line on disk is a person's


@dataclass(frozen=True)
class Lock:
    """All records, the module codes in use, and the hashes of the generated header lines."""

    records: Mapping[str, Record] = field(default_factory=dict[str, Record])
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    header: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def importance(self) -> dict[str, int]:
        """C by path, as far as this generation of the program decided it."""
        made = (record for record in self.records.values() if record.generator == GENERATOR)
        return {record.path: record.importance for record in made}


def dump(lock: Lock) -> str:
    """JSON lines with a blank line between, so that neighbouring changes merge."""
    rows: list[dict[str, Any]] = [{"v": 1}]
    rows += [{"h": key, "ent": value} for key, value in sorted(lock.header.items())]
    rows += [{"m": folder, "code": code} for folder, code in sorted(lock.modules.items())]
    rows += [
        {
            "p": record.path,
            "sem": record.content,
            "ent": record.entry,
            "gen": record.generator,
            "who": "mh" if record.pinned else "m",
            "C": record.importance,
        }
        | ({"pin": ["F", "R", "A", "S", "tag"]} if record.pinned else {})
        for _, record in sorted(lock.records.items())
    ]
    return "\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"


def load(text: str) -> Lock:
    """Read a lock; lines that make no sense (a merge conflict) are passed over."""
    records: dict[str, Record] = {}
    modules: dict[str, str] = {}
    header: dict[str, str] = {}
    for line in text.split("\n"):
        row = json_object(line)
        if "p" in row and (record := _record(row)) is not None:
            records[record.path] = record
        elif isinstance(row.get("m"), str) and isinstance(row.get("code"), str):
            modules[row["m"]] = row["code"]
        elif isinstance(row.get("h"), str) and isinstance(row.get("ent"), str):
            header[row["h"]] = row["ent"]
    return Lock(records, modules, header)


def _record(row: dict[str, Any]) -> Record | None:
    texts = [row.get(key) for key in ("p", "sem", "ent", "gen")]
    level = row.get("C")
    if not all(isinstance(text, str) for text in texts) or not isinstance(level, int):
        return None
    path, content, entry, generator = cast("list[str]", texts)
    return Record(path, content, entry, level, generator, pinned=bool(row.get("pin")))
