"""What the rules look at: the index on disk beside what the files give now."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from aoci_agent.aoci.damage import Place, entry_places
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.grounding import Grounds
from aoci_agent.aoci.lock import Lock, Record
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.present import Present
from aoci_agent.aoci.project import Project


@dataclass(frozen=True)
class Case:
    """The text on disk, as read, with its lock; `present` is what a build would write now."""

    text: str
    disk: Index
    lock: Lock
    present: Present
    project: Project
    grounds: Grounds

    @property
    def world(self) -> Mapping[str, Facts]:
        """Facts of every file that should have an entry."""
        return self.present.derived.world

    @cached_property
    def written(self) -> list[Place]:
        """The entries as they stand in index.aoci."""
        return entry_places(self.text)

    @cached_property
    def first(self) -> dict[str, Place]:
        """Entry path -> where it stands first."""
        return {place.path: place for place in reversed(self.written)}

    @cached_property
    def lines(self) -> dict[str, int]:
        """Entry path -> its line in index.aoci, counted from 1."""
        return {path: place.number for path, place in self.first.items()}

    @cached_property
    def source_of(self) -> dict[str, str]:
        """Path on disk -> the present file it stands for, also when that was moved."""
        back = {old: new for new, old in self.present.derived.moved.items()}
        return {path: back.get(path, path) for path in self.disk.by_path}

    def told_by_hand(self, entry: Entry) -> frozenset[str]:
        """The elements of an entry on disk that are not the program's."""
        pins = self.present.merged.pins.get(self.source_of[entry.path], {})
        return frozenset(pins)

    def record(self, path: str) -> Record | None:
        """Where an entry on disk came from."""
        return self.lock.records.get(path)
