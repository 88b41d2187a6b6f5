"""What a generation of views holds: read strictly, because everything else is trusted by it."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NoReturn, cast

from aoci_agent.base.text import content_id

SCHEMA = 1
MAX_BYTES = 4_000_000
STATUSES = ("fresh", "stale", "failed", "absent")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a view: its size in bytes and the BLAKE2b of its content."""

    size: int
    hash: str


@dataclass(frozen=True, slots=True)
class ViewRecord:
    """One view of a generation. `source` is the fingerprint of the files it was derived from."""

    status: str
    config: Mapping[str, str] = field(default_factory=dict[str, str])
    source: str = ""
    artifacts: Mapping[str, Artifact] = field(default_factory=dict[str, Artifact])
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])  # build, load, update
    error: str = ""

    @property
    def bytes(self) -> int:
        """What it takes on disk."""
        return sum(artifact.size for artifact in self.artifacts.values())


@dataclass(frozen=True, slots=True)
class Manifest:
    """The newest generation: the files it is of, its views, and what can be asked of them.

    `dirty` is the fingerprint of the files when they are not those of `commit`, else "".
    """

    generation: str
    commit: str
    dirty: str
    files: int
    source: str
    views: Mapping[str, ViewRecord] = field(default_factory=dict[str, ViewRecord])

    @property
    def capabilities(self) -> dict[str, bool]:
        """What the views there are can answer."""
        there = {name for name, record in self.views.items() if record.artifacts}
        return capabilities(there)


def capabilities(there: set[str]) -> dict[str, bool]:
    """What views of these names can answer."""
    return {
        "lexical_search": "lexical" in there,
        "dense_search": "dense" in there,
        "fusion": {"lexical", "dense"} <= there,
        "graph_expansion": "graph" in there and bool(there & {"lexical", "dense"}),
        "navigation": "graph" in there,
    }


def config_digest(config: Mapping[str, str]) -> str:
    """Equal only for the same settings of a builder."""
    return content_id(json.dumps(sorted(config.items())).encode())


def dump(manifest: Manifest) -> bytes:
    """The manifest as JSON for people and for `parse`."""
    views = {
        name: {**asdict(record), "config_digest": config_digest(record.config)}
        for name, record in manifest.views.items()
    }
    told: dict[str, Any] = {"schema": SCHEMA, **asdict(manifest), "views": views}
    told["capabilities"] = manifest.capabilities
    return (json.dumps(told, indent=1, sort_keys=True) + "\n").encode()


def parse(data: bytes) -> Manifest:
    """Read a manifest. Raises ValueError, naming the field, for anything `dump` does not write."""
    if len(data) > MAX_BYTES:
        raise ValueError(f"over {MAX_BYTES} bytes")
    raw = json.loads(data, object_pairs_hook=_once, parse_constant=_refused)
    top = _fields(raw, "manifest", _TOP)
    if top["schema"] != SCHEMA:
        raise ValueError(f"schema {top['schema']}, known is {SCHEMA}")
    views = _mapping(top["views"], "views")
    manifest = Manifest(
        generation=_plain(top["generation"], "generation"),
        commit=top["commit"],
        dirty=top["dirty"],
        files=top["files"],
        source=top["source"],
        views={_plain(name, "view"): _view(name, views[name]) for name in views},
    )
    if top["capabilities"] != manifest.capabilities:
        raise ValueError("capabilities are not those of the views")
    return manifest


_TOP: Mapping[str, type] = {
    "schema": int,
    "generation": str,
    "commit": str,
    "dirty": str,
    "files": int,
    "source": str,
    "views": dict,
    "capabilities": dict,
}
_VIEW: Mapping[str, type] = {
    "status": str,
    "config": dict,
    "config_digest": str,
    "source": str,
    "artifacts": dict,
    "counts": dict,
    "seconds": dict,
    "error": str,
}


def _view(name: str, value: object) -> ViewRecord:
    found = _fields(value, name, _VIEW)
    if found["status"] not in STATUSES:
        raise ValueError(f"{name}: no status {found['status']!r}")
    config = {key: _typed(text, str, key) for key, text in found["config"].items()}
    if found["config_digest"] != config_digest(config):
        raise ValueError(f"{name}: config_digest does not fit config")
    artifacts: dict[str, Artifact] = {}
    for file, described in found["artifacts"].items():
        fields = _fields(described, file, {"size": int, "hash": str})
        artifacts[_plain(file, "artifact")] = Artifact(fields["size"], fields["hash"])
    return ViewRecord(
        status=found["status"],
        config=config,
        source=found["source"],
        artifacts=artifacts,
        counts={key: _typed(count, int, key) for key, count in found["counts"].items()},
        seconds={key: float(_typed(s, (int, float), key)) for key, s in found["seconds"].items()},
        error=found["error"],
    )


def _fields(value: object, where: str, kinds: Mapping[str, type]) -> dict[str, Any]:
    """An object with exactly these fields of these types."""
    found = _mapping(value, where)
    if unknown := sorted(found.keys() ^ kinds.keys()):
        raise ValueError(f"{where}: unknown or missing {', '.join(unknown)}")
    for name, kind in kinds.items():
        _typed(found[name], kind, f"{where}.{name}")
    return found


def _mapping(value: object, where: str) -> dict[str, Any]:
    return cast("dict[str, Any]", _typed(value, dict, where))


def _typed(value: Any, kind: type | tuple[type, ...], where: str) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{where} is of another type")
    if isinstance(value, int | float) and value < 0:
        raise ValueError(f"{where} is negative")
    return value


def _plain(name: object, where: str) -> str:
    """A name that is one component of a path and nothing else."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{where}: no plain name")
    return name


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands twice")
    return found


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number here")
