"""What a written name means: as it stands, as an inherited member, or as people write it in public."""

import difflib
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from aoci_agent.views.graph.model import Symbol
from aoci_agent.views.syntax.outline import TYPES

_UP = 8  # classes above one that are looked at
_NEAR = 3  # names offered instead of one there is not


class Named(Protocol):
    """The graph view, as far as names are concerned."""

    def named(self, name: str) -> Sequence[Symbol]: ...

    def bases(self, symbol: Symbol) -> Sequence[Symbol]: ...

    def names(self) -> Sequence[str]: ...


class Meaning(NamedTuple):
    """The symbols a name means, the likeliest first, and what a reader should know of the choice."""

    symbols: tuple[Symbol, ...]
    note: str = ""


def meaning_of(graph: Named, name: str) -> Meaning:
    """`Class.method` of that very class, else inherited, else without the package in front.

    Letters count as written. Nothing gives a note with the names that are nearest.
    """
    parts = name.split(".")
    for start in range(len(parts)):
        shorter = ".".join(parts[start:])
        found = _as_written(graph, shorter)
        if start and start == len(parts) - 1:  # a package's own names, not members of anything
            found = [symbol for symbol in found if symbol.qualified == shorter]
        if found:
            return Meaning(tuple(found))
        if found := _inherited(graph, shorter):
            return Meaning(tuple(found), f"{shorter} is inherited: {found[0].qualified}")
        if any(symbol.kind in TYPES for symbol in _as_written(graph, parts[start])):
            break  # no package: a type without that member
    near = difflib.get_close_matches(parts[-1], graph.names(), n=_NEAR, cutoff=0.75)
    return Meaning((), f"did you mean {', '.join(near)}?" if near else "")


def one_of(meaning: Meaning) -> Meaning:
    """The likeliest alone, in all its definitions; the others are named in the note."""
    if not meaning.symbols:
        return meaning
    best = meaning.symbols[0]
    same = [item for item in meaning.symbols if item.qualified == best.qualified]
    others = dict.fromkeys(s.qualified for s in meaning.symbols if s.qualified != best.qualified)
    if not others:
        return Meaning(tuple(same), meaning.note)
    told = ", ".join(list(others)[:_UP])
    return Meaning(tuple(same), f"of {best.qualified}; of that name are also {told}")


def _as_written(graph: Named, name: str) -> list[Symbol]:
    """Those of the very qualified name where it has an owner, else all of that last part."""
    last = name.rpartition(".")[2]
    found = [symbol for symbol in graph.named(name) if symbol.name == last]
    exact = [symbol for symbol in found if symbol.qualified == name]
    return exact if exact and "." in name else found


def _inherited(graph: Named, name: str) -> list[Symbol]:
    owner, _, member = name.rpartition(".")
    if not owner:
        return []
    pending = [symbol for symbol in _as_written(graph, owner) if symbol.kind in TYPES]
    seen: set[Symbol] = set()
    while pending and len(seen) < _UP:
        above = [base for symbol in pending for base in graph.bases(symbol) if base not in seen]
        for base in above:
            wanted = f"{base.qualified}.{member}"
            found = [item for item in graph.named(wanted) if item.qualified == wanted]
            if same := [item for item in found if item.space == base.space]:
                return same
        seen.update(above)
        pending = above
    return []
