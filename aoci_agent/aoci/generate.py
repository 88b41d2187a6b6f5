"""The whole index from the facts of all files: a pure function, the same on every machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from aoci_agent.aoci.elements import elements
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.header import Scope, header
from aoci_agent.aoci.importance import importance
from aoci_agent.aoci.layers import layer_of
from aoci_agent.aoci.model import Entry, Index, Tag
from aoci_agent.aoci.modules import module_of, modules_of
from aoci_agent.aoci.surroundings import Surroundings, surroundings
from aoci_agent.aoci.tags import size_of
from aoci_agent.aoci.traits import traits_of

GENERATOR = "static@1"


@dataclass(frozen=True)
class Sticky:
    """What an earlier build decided and later ones keep: module codes, and C of known files."""

    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    importance: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True)
class Generated:
    """An index and the decisions to remember with it."""

    index: Index
    modules: Mapping[str, str]


def generate(world: Mapping[str, Facts], sticky: Sticky, scope: Scope) -> Generated:
    """Entries and header for these files."""
    around = surroundings(world)
    layers = {path: layer_of(path, facts) for path, facts in world.items()}
    fresh = importance(world, around.links, layers)
    levels = {path: sticky.importance.get(path, level) for path, level in fresh.items()}
    modules = modules_of(sorted(world), sticky.modules)
    entries = [
        entry_of(path, around, Tag(layers[path], module_of(path, modules), levels[path]))
        for path in world
    ]
    entries.sort(key=lambda entry: (entry.directory, entry.name))
    codes = {code: f"{folder}/" for folder, code in modules.items()}
    index = Index(tuple(header(world, entries, codes, around, scope)), tuple(entries))
    return Generated(index, modules)


def entry_of(path: str, around: Surroundings, tag: Tag) -> Entry:
    """One entry; layer, module and importance as given, traits and size from the file."""
    facts = around.world[path]
    made = elements(path, around, tag.importance, tag.layer)
    pure = PurePosixPath(path)
    return Entry(
        directory="" if str(pure.parent) == "." else str(pure.parent),
        name=pure.name,
        tag=Tag(
            tag.layer,
            tag.module,
            tag.importance,
            traits_of(facts, around.links.outside.get(path, {})),
            size_of(facts.lines),
        ),
        function=made.function,
        relations=made.relations,
        api=made.api,
        synopsis=made.synopsis,
    )
