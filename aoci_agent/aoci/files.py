"""Where the index lives: `.aoci-agent/` of the workspace, or beside the cache when that is refused."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import STATE, Workspace, atomic_write, content_id

INDEX_FILE = "index.aoci"
LOCK_FILE = "lock.jsonl"
SEEN_FILE = "seen-1.json"
GENERATION = 1  # raise when generation changes: then nothing counts as unchanged


@dataclass(frozen=True)
class Seen:
    """What the last build found, for a build with nothing to do."""

    indexable: int
    findings: tuple[str, ...]
    tokens: int


class IndexFiles:
    """Reads and writes the index, its lock, and the note of the last build."""

    def __init__(self, workspace: Workspace, cache: Path) -> None:
        self._workspace = workspace
        self._cache = cache

    def read(self, name: str) -> str | None:
        """The text of one of the two files, None where there is none."""
        try:
            return self._workspace.read_bytes(f"{STATE}/{name}").decode("utf-8", "replace")
        except ForModel:
            pass
        try:
            return (self._cache / name).read_text("utf-8", "replace")
        except OSError:
            return None

    def save(self, name: str, text: str, findings: list[str]) -> None:
        """Write what changed; where the folder refuses, beside the cache, with a finding."""
        data = text.encode("utf-8", "replace")
        try:
            if self.read(name) != text or not self._workspace.exists(f"{STATE}/{name}"):
                self._workspace.write_state(name, data)
            (self._cache / name).unlink(missing_ok=True)
        except (ForModel, OSError) as error:
            findings.append(f"{STATE}/{name} was not written ({error}); kept in the cache")
            self._keep(name, data)

    def keep_aside(self, name: str, text: str, findings: list[str]) -> None:
        """Keep the text beside the cache, for workspaces that have no index of their own."""
        if not self._workspace.exists(f"{STATE}/{name}"):
            self._keep(name, text.encode("utf-8", "replace"))

    def remember(self, digest: str, indexable: int, findings: tuple[str, ...], tokens: int) -> None:
        """Note what was built from what, to recognise a build with nothing to do."""
        note = {
            "state": self._state(digest),
            "indexable": indexable,
            "findings": findings,
            "tokens": tokens,
        }
        self._keep(SEEN_FILE, json.dumps(note).encode())

    def recall(self, digest: str) -> Seen | None:
        """The note of the last build, if files, index and lock are still what they were then."""
        try:
            value: Any = json.loads((self._cache / SEEN_FILE).read_bytes())
        except (OSError, ValueError):
            return None
        note = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        if note.get("state") != self._state(digest):
            return None
        try:
            findings = tuple(str(item) for item in note["findings"])
            return Seen(int(note["indexable"]), findings, int(note["tokens"]))
        except (KeyError, TypeError, ValueError):
            return None

    def _state(self, digest: str) -> str:
        parts = (str(GENERATION), digest, self.read(INDEX_FILE) or "", self.read(LOCK_FILE) or "")
        return content_id("\0".join(parts).encode("utf-8", "replace"))

    def _keep(self, name: str, data: bytes) -> None:
        try:
            self._cache.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic_write(self._cache / name, data)
        except OSError:
            return
