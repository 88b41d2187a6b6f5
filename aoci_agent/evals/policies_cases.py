"""The cases of `policies`: drawn over the repositories, with the lines that were to be found, checked out."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aoci_agent.aoci.scan import MAX_BYTES
from aoci_agent.base.errors import ForUser
from aoci_agent.evals.commits import GitFolder
from aoci_agent.evals.localization import Case, cases_of, stratified
from aoci_agent.evals.policies_score import Span
from aoci_agent.views.snapshot import delta_between
from aoci_agent.views.syntax.outline import outline_of

_REGULAR = ("100644", "100755", "100664")


@dataclass(frozen=True, slots=True)
class Task:
    """A case and the blocks a person changed for it, in lines of its commit."""

    case: Case
    blocks: tuple[Span, ...]


def tasks_of(files: Iterable[Path], repositories: Path, count: int) -> list[Task]:
    """So many cases, evenly over the repositories, chosen by their ids alone.

    A case needs at least one function whose lines are stated or found at its commit. Repositories
    without a clone are left out and named on standard error.
    """
    cases: list[Case] = []
    stated: dict[str, tuple[Span, ...]] = {}
    for file in files:
        there = cases_of(file)
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        cases += there
        stated |= {case.id: _stated(row) for case, row in zip(there, rows, strict=True)}
    chosen: list[Task] = []
    missing: set[str] = set()
    for case in stratified(cases, len(cases)):
        if len(chosen) == count:
            break
        if case.functions and case.repository not in missing:
            try:
                folder = GitFolder.of(repositories, case.repository)
                blocks = stated[case.id] or _looked_up(folder, case)
            except ForUser as error:
                missing.add(case.repository)
                print(f"left out: {error.message}", file=sys.stderr)
                continue
            if blocks:
                chosen.append(Task(case, blocks))
    return chosen


def by_repository(tasks: Sequence[Task], folder: Path) -> list[list[Task]]:
    """The cases of each repository by date, so that its checkout moves forward."""
    names = sorted({task.case.repository for task in tasks})
    groups: list[list[Task]] = []
    for name in names:
        clone = GitFolder.of(folder, name)
        some = [task for task in tasks if task.case.repository == name]
        groups.append(sorted(some, key=lambda task: (clone.date(task.case.commit), task.case.id)))
    return groups


class Checkout:
    """A folder that holds the files of one commit after another: regular ones of at most 1 MB.

    It is no git repository: nothing of what happened later can be found in it.
    """

    def __init__(self, folder: GitFolder, root: Path) -> None:
        self.root = root
        self._folder = folder
        self._files: Mapping[str, str] = {}

    def move(self, commit: str) -> None:
        """Have the files of this commit, and no others."""
        files = self._listed(commit)
        delta = delta_between(self._files, files)
        for path in delta.removed:
            (self.root / path).unlink(missing_ok=True)
        data = self._folder.contents(files[path] for path in delta.touched)
        for path in delta.touched:
            if files[path] in data:  # a clone may lack some
                place = self.root / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data[files[path]])
        self._files = files

    def _listed(self, commit: str) -> dict[str, str]:
        told = self._folder.run("ls-tree", "-r", "-l", "-z", commit)
        found: dict[str, str] = {}
        for entry in told.decode("utf-8", "surrogateescape").split("\0"):
            described, _, path = entry.partition("\t")
            if described[:6] in _REGULAR:
                _, _, blob, size = described.split()
                if size.isdecimal() and int(size) <= MAX_BYTES:
                    found[path] = blob
        return dict(sorted(found.items()))


def _stated(row: Mapping[str, Any]) -> tuple[Span, ...]:
    symbols = [symbol for symbol in row.get("gold_symbols", ()) if "start" in symbol]
    return tuple(dict.fromkeys(Span(s["path"], s["start"], s["end"]) for s in symbols))


def _looked_up(folder: GitFolder, case: Case) -> tuple[Span, ...]:
    """The lines of the functions, `path:Class.method`; those that are not there are left out."""
    found: dict[Span, None] = {}
    for function in case.functions:
        path, _, name = function.rpartition(":")
        data = folder.run("show", f"{case.commit}:{path}")
        for item in outline_of(path, data).definitions:
            if f"{item.owner}.{item.name}".lstrip(".") == name:
                found[Span(path, item.start, item.end)] = None
                break
    return tuple(found)
