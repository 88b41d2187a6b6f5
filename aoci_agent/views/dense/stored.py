"""The dense view as files: units in columns and waiting texts as JSON, keys and vectors as plain bytes.

Below the folder, for files and for blocks: `NAME.keys` (16 bytes each), `NAME.f16` (their vectors, in that
order), and `NAME.faiss` where the index is approximate and took long to make.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from aoci_agent.views.dense.arrays import packed, unpacked
from aoci_agent.views.dense.kinds import built, kind_for, restored
from aoci_agent.views.dense.shelf import Entry, Shelf
from aoci_agent.views.dense.texts import VERSIONS as TEXT_VERSIONS
from aoci_agent.views.dense.vectors import KEY_BYTES, Key
from aoci_agent.views.model import Level

VERSIONS: Mapping[str, str] = {"schema": "1", **TEXT_VERSIONS}
_UNITS = "units.json"
_NAMES = ("files", "blocks")
_COLUMNS = ("start", "end", "level", "kind", "symbol", "test", "key")


def save(folder: Path, model: str, shelves: Sequence[Shelf], waiting: Mapping[Key, str]) -> None:
    """Write into an empty folder. Raises OSError."""
    told: dict[str, object] = {"versions": VERSIONS, "model": model}
    told["waiting"] = {key.hex(): text for key, text in waiting.items()}
    for name, shelf in zip(_NAMES, shelves, strict=True):
        told[name] = _save_shelf(folder / name, shelf)
    data = json.dumps(told, separators=(",", ":"))
    (folder / _UNITS).write_bytes(data.encode("utf-8", "surrogatepass"))


def load(folder: Path, model: str, shelves: Sequence[Shelf]) -> dict[Key, str]:
    """Fill empty shelves with what `save` wrote; the waiting texts. ValueError or OSError."""
    try:
        data = (folder / _UNITS).read_bytes().decode("utf-8", "surrogatepass")
        told = cast("dict[str, Any]", json.loads(data))
        if told["versions"] != VERSIONS or told["model"] != model:
            raise ValueError("vectors of another model or version")
        for name, shelf in zip(_NAMES, shelves, strict=True):
            _load_shelf(folder / name, shelf, told[name])
        waiting = cast("dict[str, str]", told["waiting"])
        texts = {bytes.fromhex(key): text for key, text in waiting.items()}
    except (KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ValueError("not a stored dense view") from error
    if any(shelf.missing - texts.keys() for shelf in shelves):
        raise ValueError("a unit of the stored dense view has no vector")
    return texts


def _save_shelf(place: Path, shelf: Shelf) -> dict[str, object]:
    """Write the files of a shelf; what the JSON says of it."""
    known = shelf.embedded()
    keys = [*known, *shelf.missing]
    at = {key: number for number, key in enumerate(keys)}
    entries = list(chain.from_iterable(shelf.files.values()))
    columns: dict[str, object] = {
        name: [entry[number] for entry in entries] for number, name in enumerate(_COLUMNS[:-1])
    }
    columns["key"] = [at[entry.key] for entry in entries]
    parts = {".keys": b"".join(keys), ".f16": packed(shelf.rows(known)) if known else b""}
    image = shelf.index.image(shelf.ids(known)) if shelf.index is not None else b""
    if image:
        parts[".faiss"] = image
    for ending, data in parts.items():
        place.with_suffix(ending).write_bytes(data)
    return {
        "dimensions": shelf.dimensions,
        "vectors": len(known),
        "digests": {ending: _digest(data) for ending, data in parts.items()},
        "paths": list(shelf.files),
        "units": [len(entries) for entries in shelf.files.values()],
        **columns,
    }


def _load_shelf(place: Path, shelf: Shelf, told: dict[str, Any]) -> None:
    parts = {ending: place.with_suffix(ending).read_bytes() for ending in told["digests"]}
    intact = all(_digest(parts[ending]) == said for ending, said in told["digests"].items())
    if told["dimensions"] != shelf.dimensions or not intact:
        raise ValueError("the stored vectors are damaged")
    raw = parts[".keys"]
    keys = [raw[at : at + KEY_BYTES] for at in range(0, len(raw), KEY_BYTES)]
    vectors = unpacked(parts[".f16"], shelf.dimensions)
    known = keys[: told["vectors"]]
    if len(vectors) != len(known):
        raise ValueError("the stored vectors are damaged")
    if known:
        ids = range(len(known))
        kind = kind_for(shelf.choice, len(known))
        index = restored(kind, parts.get(".faiss", b""), ids)
        shelf.adopt(known, built(kind, ids, vectors) if index is None else index)
    entries = _entries(told, keys)
    for path, count in zip(told["paths"], told["units"], strict=True):
        shelf.put(path, tuple(islice(entries, count)))


def _entries(told: dict[str, Any], keys: Sequence[Key]) -> Iterator[Entry]:
    columns = {name: told[name] for name in _COLUMNS}
    columns["level"] = map({level.value: level for level in Level}.__getitem__, told["level"])
    columns["key"] = map(keys.__getitem__, told["key"])
    return map(Entry._make, zip(*columns.values(), strict=True))


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
