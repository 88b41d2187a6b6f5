"""Keeping the store small: by age, by count, by bytes."""

import time

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.snapshots.store import Moment, Store
from aoci_agent.base.snapshots.trees import NOTHING, decoded

DAYS = 30.0
MOMENTS = 2_000
NEWEST = 4  # never dropped: a call's before and after among them


def prune(store: Store, limit: int) -> bool:
    """Drop old moments, then the oldest quarter again and again while the store is over half of `limit`.

    The caller sees to it that no other process uses the store. True when anything was removed.
    """
    moments = store.moments()
    since = time.time() - DAYS * 86_400
    kept = [moment for moment in moments[-MOMENTS:] if moment.at >= since]
    old = {moment.number for moment in moments} - {moment.number for moment in kept}
    if not old and store.size <= limit // 2:
        return False
    store.drop_moments(sorted(old))
    store.keep_only(_used(store, kept))
    while store.size > limit // 2 and len(kept) > NEWEST:
        count = max(1, min(len(kept) // 4, len(kept) - NEWEST))
        store.drop_moments([moment.number for moment in kept[:count]])
        kept = kept[count:]
        store.keep_only(_used(store, kept))
    return True


def _used(store: Store, moments: list[Moment]) -> set[bytes]:
    """Every object that these moments need."""
    used: set[bytes] = set()
    for moment in moments:
        for snapshot in (moment.before, moment.after):
            for tree in (snapshot.tree, snapshot.git) if snapshot else ():
                _mark(store, tree, used)
    return used


def _mark(store: Store, tree: bytes, used: set[bytes]) -> None:
    pending = [tree]
    while pending:
        name = pending.pop()
        if name == NOTHING or name in used:
            continue
        used.add(name)
        try:
            entries = decoded(store.get(name))
        except NotPossible:
            continue
        pending += [entry.id for entry in entries.values() if entry.kind == "d"]
        used.update(entry.id for entry in entries.values() if entry.kind in ("f", "l"))
