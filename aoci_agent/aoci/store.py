"""The index of one workspace: built, kept on disk, and refreshed while the agent edits."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.aoci.damage import refuse, without_conflict
from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE, BuildReport, IndexFiles
from aoci_agent.aoci.injection import withheld
from aoci_agent.aoci.lines import measure
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.parse import BadIndex, is_index, parse
from aoci_agent.aoci.render import render
from aoci_agent.aoci.write import write
from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import STATE

if TYPE_CHECKING:
    from aoci_agent.aoci.foreign import Foreign
    from aoci_agent.aoci.gather import Hashed, Progress
    from aoci_agent.aoci.present import Present
    from aoci_agent.aoci.refreshing import Refresher
    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository


Save = Callable[[str, str], None]  # name, text
FEW = 64  # new lines an update does not load a tokenizer for


class IndexStore:
    """Index and lock in `.aoci-agent/`; facts and token counts by content hash in `cache`."""

    def __init__(
        self, workspace: "Workspace", repository: "Repository | None", cache: Path
    ) -> None:
        self._workspace = workspace
        self._repository = repository
        self.files = IndexFiles(workspace, cache)
        self._index: Index | None = None
        self._refresher: Refresher | None = None  # once a file was refreshed

    @property
    def current(self) -> Index:
        """The index loaded or built, refreshes applied; empty where there is none yet."""
        return self._index or self.load() or Index()

    @property
    def kept(self) -> bool:
        """Whether the repository itself has an index."""
        return self.files.own(INDEX_FILE) is not None

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
        ForUser for an index on disk that a rewrite could take a person's words from.
        """
        self._refuse_loss(fresh=fresh)
        refused: list[str] = []

        def save(name: str, text: str) -> None:
            self.files.save(name, text, refused)

        report = self._in_step(progress, save, fresh=fresh, few=FEW)
        if not refused:
            self.files.bring_home(refused)
        findings = (*report.findings, *refused)
        return replace(report, findings=findings, saved=not refused)

    def _refuse_loss(self, *, fresh: bool) -> None:
        from aoci_agent.aoci import lock as locks

        text = self.files.own(INDEX_FILE)
        if text is not None:
            refuse(text, INDEX_FILE)
        if fresh or (text is not None and is_index(text)):
            return
        records = locks.load(self.files.own(LOCK_FILE) or "").records.values()
        if by_hand := sum(bool(record.pins) for record in records):
            state = "gone" if text is None else "no index any more"
            raise ForUser(
                f"{INDEX_FILE} is {state}, and {by_hand} of its entries held words written by hand",
                f"git checkout -- {STATE}/{INDEX_FILE}, or do without them: aoci-agent index build --fresh",
            )

    def follow(self, progress: "Progress | None" = None) -> BuildReport:
        """As `build`, but the workspace is left alone: a session does not change it by looking."""
        return self._in_step(progress, self.files.keep_aside)

    def settle(self, path: str, elements: Collection[str], *, keep: bool) -> list[str]:
        """Pin elements of an entry as they are written and as the source is now, or unpin them.

        No elements means those written by hand; to pin, all where there are none. Index and lock
        are brought in step. Returns the elements settled. Raises ForUser for a path without an
        entry, and where the folder cannot be written.
        """
        from aoci_agent.aoci import lock as locks
        from aoci_agent.aoci.merge import settled

        self.build()
        entry = self.on_disk().by_path.get(path)
        lock = locks.load(self.files.read(LOCK_FILE) or "")
        record = lock.records.get(path)
        if entry is None or record is None:
            raise ForUser(f"no entry for '{path}'", f"aoci-agent search {path}")
        chosen = elements or record.pins or (locks.ELEMENTS if keep else ())
        new = settled(record, entry, chosen, keep=keep)
        refused: list[str] = []
        text = locks.dump(replace(lock, records={**lock.records, path: new}))
        self.files.save(LOCK_FILE, text, refused)
        if refused:
            raise ForUser(refused[0], "make the folder writable")
        self.build()
        known = new.pins if keep else record.pins
        return [key for key in locks.ELEMENTS if key in chosen and key in known]

    def present(self, progress: "Progress | None" = None) -> "Present":
        """Index and lock of the present files, with nothing written: what a check compares with."""
        from aoci_agent.aoci.present import present

        return present(self.files, self._hashed(), self.on_disk(), progress)

    def on_disk(self, findings: list[str] | None = None) -> Index:
        """The index as it is written, empty where there is none or none that can be read."""
        text = self.files.read(INDEX_FILE)
        try:
            return parse(without_conflict(text)) if text is not None else Index()
        except BadIndex:
            if findings is not None:
                findings.append(f"{INDEX_FILE} could not be read and was built anew")
            return Index()

    def refresh(self, paths: Iterable[str]) -> tuple[Entry, ...]:
        """Derive the entries of changed files anew, in memory; module and C are kept.

        Returns the new entries; a file that is gone loses its entry and returns none. The first
        call reads the facts of all files, later ones only those named.
        """
        from aoci_agent.aoci.project import project_of
        from aoci_agent.aoci.refreshing import Refresher

        index = self.current
        if self._refresher is None:
            self._refresher = Refresher(self.files, project_of(self._workspace), index)
        self._index, entries = self._refresher.refresh(index, paths)
        return entries

    def _hashed(self) -> "Hashed":
        from aoci_agent.aoci.gather import hash_workspace
        from aoci_agent.aoci.project import project_of

        return hash_workspace(self._workspace, self._repository, project_of(self._workspace))

    def _count(
        self, index: Index, *, few: int, made: Mapping[str, Entry] | None = None
    ) -> tuple[int, bool]:
        """Take the index as the current one, its lines counted. The tokens, and whether some of
        them are estimated, which at most `few` lines may be. `made`: entries just generated.
        """
        counts, estimates = measure(index, self.files.counts(), few=few)
        self.files.keep_counts(counts)
        self._index = replace(withheld(index, made), counts=counts)
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
        started = time.monotonic()
        self._refresher = None
        with ThreadPoolExecutor(1) as beside:  # git lists the files while the generator is loaded
            listing = beside.submit(self._hashed)
            import_module("aoci_agent.aoci.present")
            hashed = listing.result()
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
        from aoci_agent.aoci.earlier import Earlier
        from aoci_agent.aoci.gather import problems
        from aoci_agent.aoci.merge import aged, changes, edited
        from aoci_agent.aoci.present import present

        once: list[str] = []  # said by this build only, not by the next that finds nothing to do
        on_disk = self.on_disk(once)
        earlier = Earlier(on_disk, {} if fresh else self.files.marks(), hashed.keys)
        now = present(self.files, hashed, on_disk, progress, fresh=fresh, earlier=earlier)
        derived, merged = now.derived, now.merged
        tokens, estimated = self._count(merged.index, few=few, made=derived.made.by_path)
        text = write(merged.index)
        save(INDEX_FILE, text)
        save(LOCK_FILE, locks.dump(now.lock))
        self.files.keep_marks(earlier.marks)
        findings = (*hashed.listed.findings, *problems(derived.world), *aged(merged))
        indexable = len(derived.world)
        report = BuildReport(
            entries=len(merged.index.entries),
            reused=indexable - now.found,
            derived=now.found,
            indexable=indexable,
            findings=findings,
            tokens=tokens,
            estimated=estimated,
        )
        if self.files.read(INDEX_FILE) == text:  # else a next start must not take what is there
            self.files.remember(hashed.digest, report)
        told = edited(merged) if now.foreign is None else _taken_over(now.foreign)
        made = changes(on_disk, merged.index, derived.moved)
        return replace(report, findings=(*once, *told, *findings), changes=made)


def _taken_over(foreign: "Foreign") -> list[str]:
    from aoci_agent.aoci.foreign import taken_over  # rare: only where another tool has an index

    return taken_over(foreign)
