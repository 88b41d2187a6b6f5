"""From the workspace to facts: read, hash, look up, and extract only what is new."""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aoci_agent.aoci.facts.cache import FactsCache
from aoci_agent.aoci.facts.languages import language_key
from aoci_agent.aoci.facts.model import VERSION, Facts
from aoci_agent.aoci.header import Scope
from aoci_agent.aoci.scan import MAX_BYTES, listing
from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import Workspace, content_id

if TYPE_CHECKING:
    from aoci_agent.base.git import Repository

Progress = Callable[[int, int], None]


@dataclass
class Hashed:
    """The indexable files by content: what decides the whole index, before anything is parsed."""

    contents: dict[str, str] = field(default_factory=dict[str, str])  # path -> content id
    keys: dict[str, str] = field(default_factory=dict[str, str])  # path -> key of its facts
    odd: dict[str, Facts] = field(default_factory=dict[str, Facts])  # too large or unreadable
    findings: list[str] = field(default_factory=list[str])
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    folded: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Equal for two states of a workspace only when they give the same index."""
        parts: list[object] = [VERSION, sorted(self.keys.items()), sorted(self.odd)]
        parts += [sorted(self.left_out.items()), self.folded]
        return content_id(repr(parts).encode("utf-8", "surrogatepass"))


@dataclass
class Gathered:
    """Facts by path, in path order, and the paths whose facts were not cached."""

    world: dict[str, Facts]
    derived: set[str]
    scope: Scope


def hash_workspace(workspace: Workspace, repository: "Repository | None") -> Hashed:
    """List and hash everything that could have an entry."""
    listed = listing(workspace, repository)
    hashed = hash_files(workspace, listed.indexed)
    hashed.findings[:0] = listed.findings
    hashed.left_out = dict(listed.left_out)
    hashed.folded = tuple(listed.folded)
    return hashed


def hash_files(workspace: Workspace, paths: Iterable[str]) -> Hashed:
    """Hash these files; one that is gone is passed over."""
    hashed = Hashed()
    for path in sorted(paths):
        data = _read(workspace, path, hashed)
        if data is not None:
            hashed.contents[path] = content_id(data)
            hashed.keys[path] = f"{hashed.contents[path]}:{language_key(path)}"
    return hashed


def gather(
    workspace: Workspace, hashed: Hashed, cache: FactsCache, progress: Progress | None = None
) -> Gathered:
    """Facts of the hashed files; only content not seen before is parsed."""
    known = cache.load(set(hashed.keys.values()))
    fresh: dict[str, Facts] = {}
    world = dict(hashed.odd)
    derived: set[str] = set()
    for done, (path, key) in enumerate(hashed.keys.items(), 1):
        facts = known.get(key) or fresh.get(key)
        if facts is None:
            facts = fresh[key] = _extract(workspace, path)
            derived.add(path)
        world[path] = facts
        if progress is not None:
            progress(done, len(hashed.keys))
    cache.store(fresh)
    left_out = dict(hashed.left_out)
    for facts in world.values():
        if facts.left_out:
            left_out[facts.left_out] = left_out.get(facts.left_out, 0) + 1
    kept = {path: world[path] for path in sorted(world) if not world[path].left_out}
    return Gathered(kept, derived, Scope(left_out, hashed.folded))


def problems(world: Mapping[str, Facts]) -> list[str]:
    """One line for each file whose facts are not whole."""
    return [f"{path}: {facts.problem}" for path, facts in world.items() if facts.problem]


def _extract(workspace: Workspace, path: str) -> Facts:
    from aoci_agent.aoci.facts.extract import extract

    return extract(path, _read(workspace, path, Hashed()) or b"")


def _read(workspace: Workspace, path: str, hashed: Hashed) -> bytes | None:
    """The bytes, or None after filing why there are none."""
    try:
        status = os.lstat(workspace.root / path)
        if stat.S_ISREG(status.st_mode) and status.st_size > MAX_BYTES:
            hashed.odd[path] = Facts("none", left_out="over 1 MB")
            return None
        return workspace.read_bytes(path)
    except FileNotFoundError:
        return None
    except (ForModel, OSError) as error:
        hashed.odd[path] = Facts("none", problem=f"cannot be read ({error})")
        return None
