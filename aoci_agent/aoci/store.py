"""The index of one workspace: built, kept on disk, and refreshed while the agent edits."""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE, BuildReport, IndexFiles
from aoci_agent.aoci.lines import measure
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.parse import BadIndex, parse
from aoci_agent.aoci.render import render
from aoci_agent.aoci.write import write

if TYPE_CHECKING:
    from aoci_agent.aoci.facts.cache import FactsCache
    from aoci_agent.aoci.gather import Hashed, Progress
    from aoci_agent.aoci.surroundings import Surroundings
    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository


Save = Callable[[str, str], None]  # name, text


class IndexStore:
    """Index and lock in `.aoci-agent/`; facts and token counts by content hash in `cache`."""

    def __init__(
        self, workspace: "Workspace", repository: "Repository | None", cache: Path
    ) -> None:
        self._workspace = workspace
        self._repository = repository
        self._folder = cache
        self._files = IndexFiles(workspace, cache)
        self._index: Index | None = None
        self._around: Surroundings | None = None  # all files, once one of them was refreshed

    @property
    def current(self) -> Index:
        """The index loaded or built, refreshes applied; empty where there is none yet."""
        return self._index or self.load() or Index()

    def load(self) -> Index | None:
        """The index on disk, else the copy kept for a folder that cannot be written; None without."""
        text = self._files.read(INDEX_FILE)
        if text is None:
            return None
        self._index = replace(parse(text), counts=self._files.counts())
        return self._index

    def build(self, progress: "Progress | None" = None) -> BuildReport:
        """Bring index and lock on disk in step with the files; only changed files are parsed."""
        refused: list[str] = []
        report = self._in_step(progress, lambda name, text: self._files.save(name, text, refused))
        if not refused:
            self._files.bring_home(refused)
        findings = (*report.findings, *refused)
        return replace(report, findings=findings, saved=not refused)

    def follow(self, progress: "Progress | None" = None) -> BuildReport:
        """As `build`, but the workspace is left alone: a session does not change it by looking."""
        return self._in_step(progress, self._files.keep_aside)

    def refresh(self, paths: Iterable[str]) -> tuple[Entry, ...]:
        """Derive the entries of changed files anew, in memory; layer, module and C are kept.

        Returns the new entries; a file that is gone loses its entry and returns none. The first
        call reads the facts of all files, later ones only those named.
        """
        from aoci_agent.aoci.gather import changed_facts
        from aoci_agent.aoci.generate import with_changes

        index = self.current
        if self._around is None:
            self._around = self._surroundings(index)
        changed = changed_facts(self._workspace, paths)
        self._index, entries = with_changes(index, self._around, changed)
        return entries

    def _surroundings(self, index: Index) -> "Surroundings":
        from aoci_agent.aoci.gather import gather, hash_files
        from aoci_agent.aoci.surroundings import Surroundings

        hashed = hash_files(self._workspace, index.by_path)
        return Surroundings(gather(self._workspace, hashed, self._cache()).world)

    def _cache(self) -> "FactsCache":
        from aoci_agent.aoci.facts.cache import FactsCache

        return FactsCache(self._folder)

    def _in_step(self, progress: "Progress | None", save: Save) -> BuildReport:
        from aoci_agent.aoci.gather import hash_workspace

        started = time.monotonic()
        self._around = None
        hashed = hash_workspace(self._workspace, self._repository)
        report = self._unchanged(hashed) or self._rebuild(hashed, progress, save)
        return replace(report, seconds=time.monotonic() - started)

    def _unchanged(self, hashed: "Hashed") -> BuildReport | None:
        """The last report, when neither the files nor the index on disk have moved since."""
        report = self._files.recall(hashed.digest)
        return report if report is not None and self.load() is not None else None

    def _rebuild(self, hashed: "Hashed", progress: "Progress | None", save: Save) -> BuildReport:
        from aoci_agent.aoci import lock as locks
        from aoci_agent.aoci.gather import gather, problems
        from aoci_agent.aoci.generate import generate
        from aoci_agent.aoci.merge import lock_of, merge

        once: list[str] = []  # said by this build only, not by the next that finds nothing to do
        on_disk = self._on_disk(once)
        findings = list(hashed.listed.findings)
        lock = locks.load(self._files.read(LOCK_FILE) or "")
        cache = self._cache()
        found = gather(self._workspace, hashed, cache, progress)
        cache.keep_only(hashed.keys.values())
        findings += problems(found.world)
        made, modules = generate(found.world, lock, found.listed)
        index = merge(made, on_disk, lock, findings)
        counts = measure(index, self._files.counts())
        self._files.keep_counts(counts)
        self._index = replace(index, counts=counts)
        text = write(index)
        save(INDEX_FILE, text)
        new = lock_of(made, index, modules, hashed.contents)
        save(LOCK_FILE, locks.dump(new))
        derived, indexable = len(found.world.keys() & found.derived), len(found.world)
        tokens = render(self._index, 10**9).tokens
        size = len(index.entries)
        report = BuildReport(size, indexable - derived, derived, indexable, tuple(findings), tokens)
        if self._files.read(INDEX_FILE) == text:  # else a next start must not take what is there
            self._files.remember(hashed.digest, report)
        return replace(report, findings=(*once, *findings))

    def _on_disk(self, findings: list[str]) -> Index:
        text = self._files.read(INDEX_FILE)
        try:
            return parse(text) if text is not None else Index()
        except BadIndex:
            findings.append(f"{INDEX_FILE} could not be read and was built anew")
            return Index()
