"""Where the index lives: `.aoci-agent/` of the workspace, or beside the cache when that is refused."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from aoci_agent.aoci.lock import GENERATOR, json_object
from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import STATE, Workspace, atomic_write, content_id

INDEX_FILE = "index.aoci"
LOCK_FILE = "lock.jsonl"
_SEEN_FILE = "seen-2.json"
_COUNTS_FILE = "counts-1.json"
_MARKS_FILE = "marks-1.json"


@dataclass(frozen=True)
class Changes:
    """What a build changed in the index, by path; all sorted."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()  # (old, new)


@dataclass(frozen=True)
class BuildReport:
    """What a build did. `tokens` counts the whole index as rendered at tier 0."""

    entries: int
    reused: int
    derived: int
    indexable: int
    findings: tuple[str, ...]
    tokens: int
    seconds: float = 0.0
    saved: bool = True  # in the workspace; False when it refused and the cache holds it
    estimated: bool = False  # a few lines of `tokens` are not counted yet
    changes: Changes = field(default_factory=Changes)


class IndexFiles:
    """Reads and writes the index, its lock, and the note of the last build."""

    def __init__(self, workspace: Workspace, cache: Path) -> None:
        self.workspace = workspace
        self.cache = cache

    def own(self, name: str) -> str | None:
        """The text of one of the two files in the workspace, None where there is none."""
        try:
            return self.workspace.read_bytes(f"{STATE}/{name}").decode("utf-8", "replace")
        except ForModel:
            return None

    def read(self, name: str) -> str | None:
        """The same, or the copy a session or a refusal left in the cache."""
        text = self.own(name)
        if text is not None:
            return text
        try:
            return (self.cache / name).read_text("utf-8", "replace")
        except OSError:
            return None

    def save(self, name: str, text: str, findings: list[str]) -> None:
        """Write what changed; where the folder refuses, beside the cache, with a finding."""
        data = text.encode("utf-8", "replace")
        try:
            if self.own(name) != text:
                self.workspace.write_state(name, data)
            (self.cache / name).unlink(missing_ok=True)
        except (ForModel, OSError) as error:
            findings.append(f"{STATE}/{name} was not written ({error}); kept in the cache")
            self._keep(name, data)

    def keep_aside(self, name: str, text: str) -> None:
        """Keep the text beside the cache, for workspaces that have no index of their own."""
        if not self.workspace.exists(f"{STATE}/{name}"):
            self._keep(name, text.encode("utf-8", "replace"))

    def bring_home(self, findings: list[str]) -> None:
        """Move what lies beside the cache, because a session or a refusal put it there."""
        for name in (INDEX_FILE, LOCK_FILE):
            text = self.read(name) if (self.cache / name).is_file() else None
            if text is not None:
                self.save(name, text, findings)

    def remember(self, digest: str, report: BuildReport) -> None:
        """Note what was built from what, to recognise a build with nothing to do."""
        note = asdict(report) | {"state": self._state(digest)}
        self._keep(_SEEN_FILE, json.dumps(note).encode())

    def recall(self, digest: str) -> BuildReport | None:
        """What the last build found, if files, index and lock are still what they were then."""
        note = self._kept(_SEEN_FILE)
        if note.get("state") != self._state(digest):
            return None
        try:
            entries, files, tokens = (int(note[key]) for key in ("entries", "indexable", "tokens"))
            findings = tuple(str(item) for item in note["findings"])
            estimated = bool(note.get("estimated"))
            return BuildReport(entries, files, 0, files, findings, tokens, estimated=estimated)
        except (KeyError, TypeError, ValueError):
            return None

    def counts(self) -> dict[str, int]:
        """The token counts an earlier build measured, by line hash."""
        known = self._kept(_COUNTS_FILE).items()
        return {key: count for key, count in known if isinstance(count, int)}

    def keep_counts(self, counts: Mapping[str, int]) -> None:
        """Remember token counts, so that a session starts without a tokenizer."""
        self._keep(_COUNTS_FILE, json.dumps(counts, separators=(",", ":")).encode())

    def marks(self) -> dict[str, tuple[str, str]]:
        """What the last build noted of each entry: a mark of its inputs, and of the line it wrote."""
        kept = self._kept(_MARKS_FILE).items()
        pairs = {path: cast("list[object]", pair) for path, pair in kept if isinstance(pair, list)}
        return {path: (str(p[0]), str(p[1])) for path, p in pairs.items() if len(p) == 2}

    def keep_marks(self, marks: Mapping[str, tuple[str, str]]) -> None:
        """Remember the marks of this build; losing them costs time, never truth."""
        self._keep(_MARKS_FILE, json.dumps(marks, separators=(",", ":")).encode())

    def _state(self, digest: str) -> str:
        parts = (GENERATOR, digest, self.read(INDEX_FILE) or "", self.read(LOCK_FILE) or "")
        return content_id("\0".join(parts).encode("utf-8", "replace"))

    def _kept(self, name: str) -> dict[str, Any]:
        try:
            return json_object((self.cache / name).read_bytes())
        except OSError:
            return {}

    def _keep(self, name: str, data: bytes) -> None:
        try:
            self.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic_write(self.cache / name, data)
        except OSError:
            return
