"""Entries of changed files derived anew in memory, in proportion to what the change reaches."""

from collections.abc import Iterable

from aoci_agent.aoci import lock as locks
from aoci_agent.aoci.facts.cache import FactsCache
from aoci_agent.aoci.files import LOCK_FILE, IndexFiles
from aoci_agent.aoci.gather import changed_facts, gather, hash_files
from aoci_agent.aoci.generate import with_changes
from aoci_agent.aoci.merge import keep_pinned, own_tables, with_own_tables
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.project import Project
from aoci_agent.aoci.surroundings import Surroundings


class Refresher:
    """Holds the facts and links of all files; made once, then told of each change."""

    def __init__(self, files: IndexFiles, project: Project, index: Index) -> None:
        self._workspace = files.workspace
        self._project = project
        hashed = hash_files(files.workspace, index.by_path)
        self._around = Surroundings(gather(files.workspace, hashed, FactsCache(files.cache)).world)
        self._lock = locks.load(files.read(LOCK_FILE) or "")
        self._own_tables = own_tables(index, self._lock)

    def refresh(self, index: Index, paths: Iterable[str]) -> tuple[Index, tuple[Entry, ...]]:
        """The index with the entries of these files in step, and those entries."""
        changed = changed_facts(self._workspace, self._project, paths)
        made, entries = with_changes(index, self._around, changed)
        kept, entries = keep_pinned(made, entries, index, self._lock)
        return with_own_tables(kept, self._own_tables), entries
