"""The index the present files give, with a person's words in place: what a build writes, a check compares."""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aoci_agent.aoci import lock as locks
from aoci_agent.aoci.earlier import Earlier
from aoci_agent.aoci.facts.cache import FactsCache
from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE, IndexFiles
from aoci_agent.aoci.gather import Hashed, Progress, gather
from aoci_agent.aoci.generate import Derived, generate
from aoci_agent.aoci.lock import Lock
from aoci_agent.aoci.merge import Merged, lock_of, merge
from aoci_agent.aoci.model import Index
from aoci_agent.aoci.scan import Listing
from aoci_agent.base.files import STATE

if TYPE_CHECKING:
    from aoci_agent.aoci.foreign import Foreign


@dataclass(frozen=True)
class Present:
    """The workspace as it is now, beside what the disk says: nothing of it is written."""

    derived: Derived
    merged: Merged
    lock: Lock  # as it would be written
    found: int  # files whose facts were not known before
    foreign: "Foreign | None" = None  # another tool's index that was taken over


def present(
    files: IndexFiles,
    hashed: Hashed,
    on_disk: Index,
    progress: Progress | None = None,
    *,
    fresh: bool = False,
    earlier: Earlier | None = None,
) -> Present:
    """Derive index and lock from hashed files. `fresh`: no cached facts, nothing decided earlier.

    With `earlier` entries of the last build stand where their inputs did not move.
    """
    lock = locks.load(files.read(LOCK_FILE) or "")
    cache = FactsCache(files.cache)
    found = gather(files.workspace, hashed, cache, progress, fresh=fresh)
    cache.keep_only(hashed.keys.values())
    with _uncollected():
        decided = lock.forgetting() if fresh else lock
        derived = generate(found.world, decided, found.listed, earlier)
        theirs = _foreign(files, hashed.listed)
        if theirs is not None:  # what it says counts as a person's, about the source as it is
            on_disk, lock = _adopted(derived.made, theirs), Lock()
        merged = merge(derived.made, on_disk, lock, found.world, derived.moved)
        new = lock_of(derived.made, merged, derived.modules, found.world)
    return Present(derived, merged, new, len(found.world.keys() & found.derived), theirs)


@contextmanager
def _uncollected() -> Generator[None]:
    """No collection of cycles meanwhile: what is derived makes none, and looking for them takes a tenth."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _adopted(made: Index, theirs: "Foreign") -> Index:
    from aoci_agent.aoci.foreign import adopt  # rare, and as long to load as a file takes to derive

    return adopt(made, theirs)[0]


def _foreign(files: IndexFiles, listed: Listing) -> "Foreign | None":
    """Another tool's index, as long as the repository has none of this program."""
    if files.workspace.exists(f"{STATE}/{INDEX_FILE}"):
        return None
    from aoci_agent.aoci import foreign

    found = foreign.read(files.workspace, (*listed.indexed, *listed.folded))
    return found if found is not None and not found.ours else None
