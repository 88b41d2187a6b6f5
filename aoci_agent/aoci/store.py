"""The index of one workspace: built, kept on disk, and refreshed while the agent edits."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE, BuildReport, IndexFiles
from aoci_agent.aoci.injection import withheld
from aoci_agent.aoci.lines import measure
from aoci_agent.aoci.model import Entry, Index, TableEntry
from aoci_agent.aoci.parse import BadIndex, parse
from aoci_agent.aoci.render import render
from aoci_agent.aoci.write import write
from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import STATE

if TYPE_CHECKING:
    from aoci_agent.aoci.facts.cache import FactsCache
    from aoci_agent.aoci.foreign import Foreign
    from aoci_agent.aoci.gather import Hashed, Progress
    from aoci_agent.aoci.generate import Derived
    from aoci_agent.aoci.lock import Lock
    from aoci_agent.aoci.merge import Merged
    from aoci_agent.aoci.project import Project
    from aoci_agent.aoci.scan import Listing
    from aoci_agent.aoci.surroundings import Surroundings
    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository


Save = Callable[[str, str], None]  # name, text
FEW = 64  # new lines an update does not load a tokenizer for
CONFLICT = ("<<<<<<< ", ">>>>>>> ")


@dataclass(frozen=True)
class Present:
    """The workspace as it is now, beside what the disk says: nothing of it is written."""

    derived: "Derived"
    merged: "Merged"
    lock: "Lock"  # as it would be written
    found: int  # files whose facts were not known before
    foreign: "Foreign | None" = None  # another tool's index that was taken over


class IndexStore:
    """Index and lock in `.aoci-agent/`; facts and token counts by content hash in `cache`."""

    def __init__(
        self, workspace: "Workspace", repository: "Repository | None", cache: Path
    ) -> None:
        self._workspace = workspace
        self._repository = repository
        self._folder = cache
        self.files = IndexFiles(workspace, cache)
        self._index: Index | None = None
        self._around: Surroundings | None = None  # all files, once one of them was refreshed
        self._lock: Lock | None = None  # read with them
        self._own_tables: tuple[TableEntry, ...] = ()  # a person's, found with them

    @property
    def current(self) -> Index:
        """The index loaded or built, refreshes applied; empty where there is none yet."""
        return self._index or self.load() or Index()

    def load(self) -> Index | None:
        """The index on disk, else the copy kept for a folder that cannot be written; None without."""
        text = self.files.read(INDEX_FILE)
        if text is None:
            return None
        self._index = replace(withheld(parse(text)), counts=self.files.counts())
        return self._index

    def build(self, progress: "Progress | None" = None, *, fresh: bool = False) -> BuildReport:
        """Bring index and lock on disk in step with the files; only changed files are parsed.

        `fresh` parses everything again, and decides importance and module codes anew. Raises
        ForUser for an index with merge conflict markers, which may hold a person's words.
        """
        refuse_conflict(self.files.read(INDEX_FILE) or "")
        refused: list[str] = []

        def save(name: str, text: str) -> None:
            self.files.save(name, text, refused)

        report = self._in_step(progress, save, fresh=fresh, few=FEW)
        if not refused:
            self.files.bring_home(refused)
        findings = (*report.findings, *refused)
        return replace(report, findings=findings, saved=not refused)

    def follow(self, progress: "Progress | None" = None) -> BuildReport:
        """As `build`, but the workspace is left alone: a session does not change it by looking."""
        return self._in_step(progress, self.files.keep_aside)

    def settle(self, path: str, elements: Iterable[str], *, keep: bool) -> list[str]:
        """Pin elements of an entry as they are written and as the source is now, or unpin them.

        Index and lock are brought in step. Returns the elements settled. Raises ForUser for a path
        without an entry.
        """
        from aoci_agent.aoci import lock as locks
        from aoci_agent.aoci.merge import settled

        self.build()
        entry = self.current.by_path.get(path)
        lock = locks.load(self.files.read(LOCK_FILE) or "")
        record = lock.records.get(path)
        if entry is None or record is None:
            raise ForUser(f"no entry for '{path}'", f"aoci-agent search {path}")
        new = settled(record, entry, elements, keep=keep)
        refused: list[str] = []
        text = locks.dump(replace(lock, records={**lock.records, path: new}))
        self.files.save(LOCK_FILE, text, refused)
        self.build()
        return sorted(key for key in elements if (key in new.pins) or key in record.pins)

    def present(self, progress: "Progress | None" = None) -> Present:
        """Index and lock of the present files, with nothing written: what a check compares with."""
        from aoci_agent.aoci.gather import hash_workspace

        hashed = hash_workspace(self._workspace, self._repository, self._project())
        return self._derive(hashed, self.on_disk(), progress)

    def on_disk(self, findings: list[str] | None = None) -> Index:
        """The index as it is written, empty where there is none or none that can be read."""
        text = self.files.read(INDEX_FILE)
        try:
            return parse(_without_conflict(text)) if text is not None else Index()
        except BadIndex:
            if findings is not None:
                findings.append(f"{INDEX_FILE} could not be read and was built anew")
            return Index()

    def refresh(self, paths: Iterable[str]) -> tuple[Entry, ...]:
        """Derive the entries of changed files anew, in memory; module and C are kept.

        Returns the new entries; a file that is gone loses its entry and returns none. The first
        call reads the facts of all files, later ones only those named.
        """
        from aoci_agent.aoci import lock as locks
        from aoci_agent.aoci.gather import changed_facts
        from aoci_agent.aoci.generate import with_changes
        from aoci_agent.aoci.merge import keep_pinned, own_tables, with_own_tables

        index = self.current
        if self._around is None or self._lock is None:
            self._around = self._surroundings(index)
            self._lock = locks.load(self.files.read(LOCK_FILE) or "")
            self._own_tables = own_tables(index, self._lock)
        changed = changed_facts(self._workspace, self._project(), paths)
        made, entries = with_changes(index, self._around, changed)
        kept, entries = keep_pinned(made, entries, index, self._lock)
        self._index = with_own_tables(kept, self._own_tables)
        return entries

    def _surroundings(self, index: Index) -> "Surroundings":
        from aoci_agent.aoci.gather import gather, hash_files
        from aoci_agent.aoci.surroundings import Surroundings

        hashed = hash_files(self._workspace, index.by_path)
        return Surroundings(gather(self._workspace, hashed, self._cache()).world)

    def _project(self) -> "Project":
        from aoci_agent.aoci.project import project_of

        return project_of(self._workspace)

    def _cache(self) -> "FactsCache":
        from aoci_agent.aoci.facts.cache import FactsCache

        return FactsCache(self._folder)

    def _count(self, index: Index, *, few: int) -> tuple[int, bool]:
        """Take the index as the current one, its lines counted. The tokens, and whether some of
        them are estimated, which at most `few` lines may be.
        """
        counts, estimates = measure(index, self.files.counts(), few=few)
        self.files.keep_counts(counts)
        self._index = replace(withheld(index), counts=counts)
        whole = replace(self._index, counts=counts | estimates)
        return render(whole, 10**9).tokens, bool(estimates)

    def _in_step(
        self,
        progress: "Progress | None",
        save: Save,
        *,
        fresh: bool = False,
        few: int = 0,
    ) -> BuildReport:
        from aoci_agent.aoci.gather import hash_workspace

        started = time.monotonic()
        self._around = None
        hashed = hash_workspace(self._workspace, self._repository, self._project())
        report = None if fresh else self._unchanged(hashed)
        if report is None:
            report = self._rebuild(hashed, progress, save, fresh=fresh, few=few)
        elif report.estimated and not few:
            tokens, _ = self._count(self.current, few=0)
            report = replace(report, tokens=tokens, estimated=False)
            self.files.remember(hashed.digest, report)
        return replace(report, seconds=time.monotonic() - started)

    def _unchanged(self, hashed: "Hashed") -> BuildReport | None:
        """The last report, when neither the files nor the index on disk have moved since."""
        report = self.files.recall(hashed.digest)
        return report if report is not None and self.load() is not None else None

    def _derive(
        self,
        hashed: "Hashed",
        on_disk: Index,
        progress: "Progress | None",
        *,
        fresh: bool = False,
    ) -> Present:
        from aoci_agent.aoci import lock as locks
        from aoci_agent.aoci.foreign import adopt
        from aoci_agent.aoci.gather import gather
        from aoci_agent.aoci.generate import generate
        from aoci_agent.aoci.lock import Lock
        from aoci_agent.aoci.merge import lock_of, merge

        lock = locks.load(self.files.read(LOCK_FILE) or "")
        cache = self._cache()
        found = gather(self._workspace, hashed, cache, progress, fresh=fresh)
        cache.keep_only(hashed.keys.values())
        derived = generate(found.world, lock.forgetting() if fresh else lock, found.listed)
        foreign = self._foreign(hashed.listed)
        if foreign is not None:  # what it says counts as a person's, about the source as it is
            on_disk, lock = adopt(derived.made, foreign)[0], Lock()
        merged = merge(derived.made, on_disk, lock, found.world, derived.moved)
        new = lock_of(derived.made, merged, derived.modules, found.world)
        known = len(found.world.keys() & found.derived)
        return Present(derived, merged, new, known, foreign)

    def _foreign(self, listed: "Listing") -> "Foreign | None":
        """Another tool's index, as long as the repository has none of this program."""
        from aoci_agent.aoci.foreign import read

        if self._workspace.exists(f"{STATE}/{INDEX_FILE}"):
            return None
        found = read(self._workspace, (*listed.indexed, *listed.folded))
        return found if found is not None and not found.ours else None

    def _rebuild(
        self,
        hashed: "Hashed",
        progress: "Progress | None",
        save: Save,
        *,
        fresh: bool,
        few: int,
    ) -> BuildReport:
        from aoci_agent.aoci import lock as locks
        from aoci_agent.aoci.foreign import taken_over
        from aoci_agent.aoci.gather import problems
        from aoci_agent.aoci.merge import aged, changes, edited

        once: list[str] = []  # said by this build only, not by the next that finds nothing to do
        on_disk = self.on_disk(once)
        present = self._derive(hashed, on_disk, progress, fresh=fresh)
        derived, merged = present.derived, present.merged
        tokens, estimated = self._count(merged.index, few=few)
        text = write(merged.index)
        save(INDEX_FILE, text)
        save(LOCK_FILE, locks.dump(present.lock))
        findings = (*hashed.listed.findings, *problems(derived.world), *aged(merged))
        indexable = len(derived.world)
        report = BuildReport(
            entries=len(merged.index.entries),
            reused=indexable - present.found,
            derived=present.found,
            indexable=indexable,
            findings=findings,
            tokens=tokens,
            estimated=estimated,
        )
        if self.files.read(INDEX_FILE) == text:  # else a next start must not take what is there
            self.files.remember(hashed.digest, report)
        told = edited(merged) if present.foreign is None else taken_over(present.foreign)
        made = changes(on_disk, merged.index, derived.moved)
        return replace(report, findings=(*once, *told, *findings), changes=made)


def refuse_conflict(text: str) -> None:
    """Raise ForUser for text with merge conflict markers: either side may be a person's."""
    if any(line.startswith(CONFLICT) for line in text.split("\n")):
        raise ForUser(
            f"{INDEX_FILE} holds merge conflict markers",
            "settle them in the file, or take one side whole (git checkout --ours or --theirs),"
            " then: aoci-agent index update",
        )


def _without_conflict(text: str) -> str:
    """The text without markers; both sides of a conflict are read, the first of a path counts."""
    marks = (*CONFLICT, "||||||| ")
    kept = (line for line in text.split("\n") if line != "=======" and not line.startswith(marks))
    return "\n".join(kept)
