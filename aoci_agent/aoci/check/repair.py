"""`index update --fix`: what can be settled in the file itself, without guessing what a person meant."""

from aoci_agent.aoci import lock as locks
from aoci_agent.aoci.damage import entry_places, has_conflict, settled
from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE
from aoci_agent.aoci.store import IndexStore


def repair(store: IndexStore) -> list[str]:
    """Rewrite the index canonically: conflicts, order, repetition, spelling. Says what it did.

    Sizes, orphans and entries that are behind are settled by the build that follows. Raises
    ForUser for what only a person can settle and BadIndex for text that holds no index.
    """
    text = store.files.own(INDEX_FILE) or ""
    lock = locks.load(store.files.own(LOCK_FILE) or "")
    canonical = settled(text, lock, INDEX_FILE)
    if canonical == text:
        return []
    findings: list[str] = []
    store.files.save(INDEX_FILE, canonical, findings)
    merged = ", both sides of its conflicts kept" if has_conflict(text) else ""
    lost = len(entry_places(text)) - len(entry_places(canonical))
    dropped = f", {lost} repeated entries dropped" if lost > 0 else ""
    return [*findings, f"{INDEX_FILE}: written canonically{merged}{dropped}"]
