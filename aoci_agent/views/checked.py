"""Hits held against the files as they are when the answer is given."""

from collections.abc import Iterable, Mapping
from typing import Generic, NamedTuple, Protocol, TypeVar

from aoci_agent.views.source import WorkTree


class Ranged(Protocol):
    """A hit: lines of a file, both ends included, such as Scored or Location."""

    @property
    def path(self) -> str:
        """Relative to the workspace."""
        ...

    @property
    def start(self) -> int:
        """The first line, from 1."""
        ...

    @property
    def end(self) -> int:
        """The last line."""
        ...


Hit = TypeVar("Hit", bound=Ranged)


class Checked(NamedTuple, Generic[Hit]):
    """A hit, the lines to show of it, and whether its file still is what the view read.

    `start` and `end` are the hit's own when it is fresh, else cut to the lines the file has.
    """

    hit: Hit
    start: int
    end: int
    fresh: bool


def checked(
    hits: Iterable[Hit], derived_from: Mapping[str, str], tree: WorkTree
) -> list[Checked[Hit]]:
    """Each hit with the lines to show; `derived_from` is path -> content id of what the view read.

    One whose file is gone is left out; one whose file is not what the view read is not fresh.
    """
    found: list[Checked[Hit]] = []
    known: dict[str, tuple[bool, int]] = {}
    for hit in hits:
        if hit.path not in known:
            known[hit.path] = tree.compared(hit.path, derived_from.get(hit.path, ""))
        same, lines = known[hit.path]
        if same:
            found.append(Checked(hit, hit.start, hit.end, fresh=True))
        elif lines:
            found.append(Checked(hit, min(hit.start, lines), min(hit.end, lines), fresh=False))
    return found
