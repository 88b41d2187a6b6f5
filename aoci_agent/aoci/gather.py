"""From the workspace to facts: read, hash, look up, and extract only what is new."""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from aoci_agent.aoci.facts.cache import FactsCache
from aoci_agent.aoci.facts.extract import extract, facts_key
from aoci_agent.aoci.facts.model import VERSION, Facts
from aoci_agent.aoci.project import Project
from aoci_agent.aoci.roles import Role
from aoci_agent.aoci.scan import MAX_BYTES, Listing, listing
from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import Workspace, content_id

if TYPE_CHECKING:
    from aoci_agent.base.git import Repository

Progress = Callable[[int, int], None]
NAMED = 5  # files named in one finding
_TOO_LARGE = "over 1 MB"


@dataclass
class Hashed:
    """The indexable files by content: what decides the whole index, before anything is parsed."""

    contents: dict[str, str] = field(default_factory=dict[str, str])  # path -> content id
    keys: dict[str, str] = field(default_factory=dict[str, str])  # path -> key of its facts
    odd: dict[str, Facts] = field(default_factory=dict[str, Facts])  # too large or unreadable
    listed: Listing = field(default_factory=Listing)

    @property
    def digest(self) -> str:
        """Equal for two states of a workspace only when they give the same index."""
        parts: list[object] = [VERSION, sorted(self.keys.items()), sorted(self.odd)]
        parts += [sorted(self.listed.left_out.items()), self.listed.folded]
        return content_id(repr(parts).encode("utf-8", "surrogatepass"))


@dataclass
class Gathered:
    """Facts by path, in path order, and the paths whose facts were not cached."""

    world: dict[str, Facts]
    derived: set[str]
    listed: Listing


def hash_workspace(
    workspace: Workspace, repository: "Repository | None", project: Project
) -> Hashed:
    """List and hash everything that could have an entry."""
    listed = listing(workspace, repository, project)
    hashed = hash_files(workspace, listed.indexed)
    hashed.listed = listed
    if large := [path for path, facts in hashed.odd.items() if facts.left_out]:
        verb = "is" if len(large) == 1 else "are"
        listed.findings.append(f"{_files(large)} {_TOO_LARGE} {verb} left out: {_names(large)}")
    return hashed


def hash_files(workspace: Workspace, paths: Iterable[str]) -> Hashed:
    """Hash these files; one that is gone is passed over."""
    hashed = Hashed()
    for path in sorted(paths):
        data = _read(workspace, path)
        if isinstance(data, Facts):
            hashed.odd[path] = data
        elif data is not None:
            hashed.contents[path] = content_id(data)
            hashed.keys[path] = facts_key(path, hashed.contents[path])
    return hashed


def gather(
    workspace: Workspace,
    hashed: Hashed,
    cache: FactsCache,
    progress: Progress | None = None,
    *,
    fresh: bool = False,
) -> Gathered:
    """Facts of the hashed files; only content not seen before is parsed, unless all is to be."""
    known = {} if fresh else cache.load(set(hashed.keys.values()))
    new: dict[str, Facts] = {}
    world = dict(hashed.odd)
    derived: set[str] = set()
    for done, (path, key) in enumerate(hashed.keys.items(), 1):
        facts = known.get(key) or new.get(key)
        if facts is None:
            facts = new[key] = _facts(workspace, path) or Facts("none")
            derived.add(path)
        world[path] = facts
        if progress is not None:
            progress(done, len(hashed.keys))
    cache.store(new)
    left_out = dict(hashed.listed.left_out)
    for facts in world.values():
        if facts.left_out:
            left_out[facts.left_out] = left_out.get(facts.left_out, 0) + 1
    kept = {path: world[path] for path in sorted(world) if not world[path].left_out}
    return Gathered(kept, derived, replace(hashed.listed, left_out=left_out))


def changed_facts(
    workspace: Workspace, project: Project, paths: Iterable[str]
) -> dict[str, Facts | None]:
    """New facts of the files named, in path order; None for those that have no entry any more."""
    changed: dict[str, Facts | None] = {}
    for given in paths:
        try:
            path = workspace.relative(given)
        except ForModel:
            continue
        facts = _facts(workspace, path) if project.role(path)[0] is Role.INDEX else None
        changed[path] = None if facts is None or facts.left_out else facts
    return dict(sorted(changed.items()))


def problems(world: Mapping[str, Facts]) -> list[str]:
    """One line for each reason why facts are not whole."""
    by_reason: dict[str, list[str]] = {}
    for path, facts in world.items():
        if facts.problem:
            by_reason.setdefault(facts.problem, []).append(path)
    return [f"{_files(paths)} {reason}: {_names(paths)}" for reason, paths in by_reason.items()]


def _files(paths: list[str]) -> str:
    return "1 file" if len(paths) == 1 else f"{len(paths)} files"


def _names(paths: list[str]) -> str:
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(paths[:NAMED]) + more


def _facts(workspace: Workspace, path: str) -> Facts | None:
    data = _read(workspace, path)
    return extract(path, data) if isinstance(data, bytes) else data


def _read(workspace: Workspace, path: str) -> bytes | Facts | None:
    """The bytes, or facts that say why there are none; None for a file that is gone."""
    try:
        status = os.lstat(f"{workspace.root}/{path}")  # joined as text: asked for every file
        if stat.S_ISREG(status.st_mode) and status.st_size > MAX_BYTES:
            return Facts("none", left_out=_TOO_LARGE)
        return workspace.read_bytes(path)
    except FileNotFoundError:
        return None
    except (ForModel, OSError):
        return Facts("none", problem="cannot be read")
