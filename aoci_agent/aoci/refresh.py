"""New entries for files the agent just changed: in memory, in proportion to the change."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.cache import FactsCache
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.gather import gather, hash_files
from aoci_agent.aoci.generate import entry_of
from aoci_agent.aoci.layers import layer_of
from aoci_agent.aoci.model import Entry, Index, Tag
from aoci_agent.aoci.scan import Role, role_of
from aoci_agent.aoci.surroundings import surroundings
from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import Workspace


def refreshed(
    workspace: Workspace, index: Index, cache: FactsCache, paths: Sequence[str]
) -> tuple[Index, tuple[Entry, ...]]:
    """The index with these files' entries derived anew, and those entries."""
    changed = sorted({name for path in paths if (name := _inside(workspace, path))})
    indexed = [path for path in changed if role_of(path)[0] is Role.INDEX]
    world = _known_world(workspace, index, cache)
    for path in changed:
        world.pop(path, None)
    fresh = gather(workspace, hash_files(workspace, indexed), cache).world
    world.update(fresh)
    world = {path: world[path] for path in sorted(world)}
    around = surroundings(world)
    entries = tuple(
        entry_of(path, around, _tag(path, index, world[path])) for path in sorted(fresh)
    )
    kept = [entry for entry in index.entries if entry.path not in set(changed)]
    merged = sorted([*kept, *entries], key=lambda entry: (entry.directory, entry.name))
    return replace(index, entries=tuple(merged)), entries


def _inside(workspace: Workspace, path: str) -> str:
    try:
        return workspace.relative(path)
    except ForModel:
        return ""


def _known_world(workspace: Workspace, index: Index, cache: FactsCache) -> dict[str, Facts]:
    """Facts of all indexed files, parsed only where the cache has nothing."""
    hashed = hash_files(workspace, (entry.path for entry in index.entries))
    return dict(gather(workspace, hashed, cache).world)


def _tag(path: str, index: Index, facts: Facts) -> Tag:
    known = index.by_path.get(path)
    if known is not None:
        return known.tag
    folder = str(PurePosixPath(path).parent)
    siblings = [
        entry.tag for entry in index.entries if entry.directory == folder.replace(".", "", 1)
    ]
    return Tag(layer_of(path, facts), siblings[0].module if siblings else "Rt", 5)
