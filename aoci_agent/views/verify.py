"""Is an update what a rebuild is? From commit to commit, on git's objects; the work tree is not touched.

For each transition A to B a view built of A is brought to B by its own `apply`, and compared with
one built of B from nothing: the digests must be equal, and so must the answers to requests about
the files that changed. A second view is carried through all transitions in a row.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.roles import Role, role_of
from aoci_agent.views.answers import differing_answer
from aoci_agent.views.held import Factory
from aoci_agent.views.model import Source, View
from aoci_agent.views.snapshot import delta_between
from aoci_agent.views.source import Progress

if TYPE_CHECKING:
    from aoci_agent.base.git import Repository

Sources = Callable[[str], Source]  # of a commit's id
Transition = tuple[str, str]


class Way(NamedTuple):
    """One way to keep one view: `graph symbol` and `graph file` are two of the same view.

    `standard` marks the way that sessions use.
    """

    name: str
    view: str
    make: Factory
    standard: bool = True


@dataclass(frozen=True, slots=True)
class Trial:
    """One way on one transition. `difference` is "" when update and rebuild are equal."""

    transition: Transition
    difference: str
    updating: float  # seconds of the processor
    rebuilding: float

    @property
    def told(self) -> str:
        """`A..B`, short."""
        return "..".join(commit[:10] for commit in self.transition)


@dataclass
class Account:
    """One way on all transitions."""

    way: Way
    trials: list[Trial] = field(default_factory=list[Trial])
    row: str = ""  # why the view carried through all of them differs, "" when it does not

    @property
    def equal(self) -> list[Trial]:
        """The trials that gave just what a rebuild gives."""
        return [trial for trial in self.trials if not trial.difference]

    @property
    def holds(self) -> bool:
        """Whether no trial differs, alone or in a row."""
        return len(self.equal) == len(self.trials) and not self.row

    @property
    def speed_up(self) -> float:
        """Median over the equal trials of how many times faster the update was."""
        ratios = [trial.rebuilding / max(trial.updating, 1e-9) for trial in self.equal]
        return median(ratios) if ratios else 0.0


def newest_transitions(repository: "Repository", count: int, start: str) -> list[Transition]:
    """The newest `count` first-parent commits that touch source files, each after the one before."""
    options = ("--first-parent", "-m", "--name-only", "--format=%x00%H %P")
    log = repository.git("log", *options, start)
    chosen: list[str] = []
    for block in log.split("\0")[1:]:
        head, *names = [line for line in block.split("\n") if line]
        commit, *parents = head.split()
        if parents and any(map(_is_source, names)):
            chosen.append(commit)
            if len(chosen) == count:
                break
    if not chosen:
        return []
    parent = repository.git("rev-list", "--first-parent", "--max-count=2", chosen[-1]).split()
    states = [parent[1], *reversed(chosen)]
    return list(pairwise(states))


def _is_source(path: str) -> bool:
    return language_of(path) is not None and role_of(path)[0] is Role.INDEX


def verify(
    ways: Sequence[Way],
    transitions: Sequence[Transition],
    sources: Sources,
    progress: Progress | None = None,
) -> list[Account]:
    """Try every way on every transition."""
    accounts = [Account(way) for way in ways]
    with tempfile.TemporaryDirectory(prefix="aoci-views-") as folder:
        bench = _Bench(Path(folder), sources)
        for done, transition in enumerate(transitions, 1):
            for account in accounts:
                trial, row = bench.tried(account.way, transition)
                account.trials.append(trial)
                account.row = account.row or row
            bench.forget(transition[1])
            if progress is not None:
                progress(done, len(transitions))
    return accounts


class _Built(NamedTuple):
    """A view of one commit, the folder it is saved in, the seconds its build took, its digest."""

    view: View
    folder: Path
    seconds: float
    digest: str


class _Bench:
    """Sources and built views of the commits at hand; nothing is built twice."""

    def __init__(self, folder: Path, sources: Sources) -> None:
        self._folder = folder
        self._sources = sources
        self._read: dict[str, Source] = {}
        self._built: dict[tuple[str, str], _Built] = {}
        self._rows: dict[str, tuple[str, View]] = {}  # way -> commit it is at, and the view

    def tried(self, way: Way, transition: Transition) -> tuple[Trial, str]:
        """One trial, and what is wrong with the view carried on from the transition before."""
        before, after = transition
        try:
            rebuilt = self._build(way, after)
            updated, updating = self._updated(way, transition)
        except Exception as error:  # noqa: BLE001 - a view that breaks is a result
            told = f"{type(error).__name__}: {error}"
            return Trial(transition, told, 0.0, 0.0), told
        source = self._source(after)
        delta = delta_between(self._source(before).files, source.files)
        if updated.digest() == rebuilt.digest:
            difference = differing_answer(updated, rebuilt.view, source, delta.touched)
        else:
            difference = _content(updated, rebuilt.view)
        at, carried = self._rows.pop(way.name, ("", updated))
        row = ""
        if at == before:
            row = self._carried_on(carried, rebuilt, transition)
        self._rows[way.name] = after, carried if at == before else updated
        return Trial(transition, difference, updating, rebuilt.seconds), row

    def _updated(self, way: Way, transition: Transition) -> tuple[View, float]:
        """A view of the commit before, as it was saved, brought to the one after."""
        before, source = map(self._source, transition)
        updated = way.make()
        updated.load(self._build(way, transition[0]).folder)
        started = time.process_time()
        updated.apply(source, delta_between(before.files, source.files))
        return updated, time.process_time() - started

    def _carried_on(self, carried: View, rebuilt: _Built, transition: Transition) -> str:
        before, source = map(self._source, transition)
        try:
            carried.apply(source, delta_between(before.files, source.files))
        except Exception as error:  # noqa: BLE001 - as above
            return f"{type(error).__name__} at {transition[1][:10]}: {error}"
        return "" if carried.digest() == rebuilt.digest else f"differs from {transition[1][:10]} on"

    def forget(self, keep: str) -> None:
        """Let go of everything but what belongs to one commit."""
        self._read = {commit: source for commit, source in self._read.items() if commit == keep}
        for key in [key for key in self._built if key[1] != keep]:
            shutil.rmtree(self._built.pop(key).folder, ignore_errors=True)

    def _source(self, commit: str) -> Source:
        if commit not in self._read:
            self._read[commit] = self._sources(commit)
        return self._read[commit]

    def _build(self, way: Way, commit: str) -> _Built:
        """The view of a commit, saved; ways of one view share it, because content is not theirs."""
        key = way.view, commit
        if key not in self._built:
            source, view = self._source(commit), way.make()
            started = time.process_time()
            view.build(source)
            seconds = time.process_time() - started
            folder = self._folder / f"{way.view}-{commit}"
            folder.mkdir(parents=True)
            view.save(folder)
            self._built[key] = _Built(view, folder, seconds, view.digest())
        return self._built[key]


def differing(updated: View, rebuilt: View, source: Source, paths: Sequence[str]) -> str:
    """What two views that should be equal disagree about, "" for nothing."""
    if updated.digest() != rebuilt.digest():
        return _content(updated, rebuilt)
    return differing_answer(updated, rebuilt, source, paths)


def _content(updated: View, rebuilt: View) -> str:
    there, wanted = updated.counts, rebuilt.counts
    told = [
        f"{key} {there.get(key)}, not {wanted[key]}"
        for key in wanted
        if there.get(key) != wanted[key]
    ]
    return f"content: {', '.join(told) or 'the same counts, another digest'}"
