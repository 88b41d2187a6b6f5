"""The whole index from the facts of all files: a pure function, the same on every machine."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from aoci_agent.aoci.earlier import Earlier
from aoci_agent.aoci.elements import entry_of
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.header import header
from aoci_agent.aoci.importance import importance
from aoci_agent.aoci.injection import canonical
from aoci_agent.aoci.layers import layer_of
from aoci_agent.aoci.lock import Lock
from aoci_agent.aoci.model import Entry, Index, Tag
from aoci_agent.aoci.modules import module_of, modules_of
from aoci_agent.aoci.moves import moves
from aoci_agent.aoci.scan import Listing
from aoci_agent.aoci.schema.tables import tables_of
from aoci_agent.aoci.surroundings import Surroundings


@dataclass(frozen=True)
class Derived:
    """What the files give, before anything a person wrote: entries, and all they were made from."""

    world: Mapping[str, Facts]
    around: Surroundings
    made: Index
    modules: Mapping[str, str]  # directory -> code
    moved: Mapping[str, str]  # new path -> old path
    listed: Listing


def generate(
    world: Mapping[str, Facts], lock: Lock, listed: Listing, earlier: Earlier | None = None
) -> Derived:
    """Entries and header for these files.

    Module codes, and the importance of known and moved files, stay what the lock says. Entries of
    `earlier` whose inputs did not move are taken as they are.
    """
    around = Surroundings(world)
    layers = {path: layer_of(path, facts) for path, facts in around.world.items()}
    moved = moves(around.world, lock)
    levels = lock.importance(moved)
    if not layers.keys() <= levels.keys():  # else nothing is left to decide
        levels = importance(around.world, around.links, layers) | levels
    modules = modules_of(list(around.world), lock.modules)
    tags = {
        path: Tag(layers[path], module_of(path, modules), levels[path]) for path in around.world
    }
    entries = _entries(around, tags, earlier)
    entries.sort(key=_place)
    tables = tables_of(around.world, lambda path: module_of(path, modules))
    made = Index(tuple(header(modules, around, listed)), tuple(entries), tables)
    return Derived(around.world, around, made, modules, moved, listed)


def _entries(around: Surroundings, tags: Mapping[str, Tag], earlier: Earlier | None) -> list[Entry]:
    if earlier is None:
        return [canonical(entry_of(path, around, tag)) for path, tag in tags.items()]
    earlier.begin(around)
    return [
        earlier.entry(path, around, tag) or earlier.note(canonical(entry_of(path, around, tag)))
        for path, tag in tags.items()
    ]


def with_changes(
    index: Index, around: Surroundings, changed: Mapping[str, Facts | None]
) -> tuple[Index, tuple[Entry, ...]]:
    """The index with the tables and these files' entries derived anew (None: gone), and those entries.

    `around` takes the changes in. Module and importance of known files are kept.
    """
    around.update(changed)
    made = {
        path: canonical(entry_of(path, around, _kept_tag(path, index, facts)))
        for path, facts in sorted(changed.items())
        if facts is not None
    }
    kept = [entry for entry in index.entries if entry.path not in changed]
    entries = tuple(sorted([*kept, *made.values()], key=_place))
    after = replace(index, entries=entries)
    tables = tables_of(around.world, lambda path: _kept_module(path, after))
    return replace(after, tables=tables), tuple(made.values())


def _kept_module(path: str, index: Index) -> str:
    known = index.by_path.get(path)
    return known.tag.module if known is not None else "Rt"


def _place(entry: Entry) -> tuple[str, str]:
    return entry.directory, entry.name


def _kept_tag(path: str, index: Index, facts: Facts) -> Tag:
    known = index.by_path.get(path)
    if known is not None:
        return replace(known.tag, layer=layer_of(path, facts))
    folder = path.rpartition("/")[0]
    beside = (entry.tag.module for entry in index.entries if entry.directory == folder)
    return Tag(layer_of(path, facts), next(beside, "Rt"), 5)
