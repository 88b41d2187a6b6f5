"""`index update --fix`: what can be settled in the file itself, without guessing what a person meant."""

from aoci_agent.aoci.conflicts import refuse_conflict
from aoci_agent.aoci.files import INDEX_FILE
from aoci_agent.aoci.parse import parse
from aoci_agent.aoci.store import IndexStore
from aoci_agent.aoci.write import write


def repair(store: IndexStore) -> list[str]:
    """Rewrite the index canonically: order, repetition, spelling, lost first line. Says what it did.

    Sizes, orphans and entries that are behind are settled by the build that follows. Raises
    ForUser for merge conflict markers and BadIndex for text that holds no index.
    """
    text = store.files.read(INDEX_FILE) or ""
    refuse_conflict(text, INDEX_FILE)
    canonical = write(parse(text))
    if canonical == text:
        return []
    findings: list[str] = []
    store.files.save(INDEX_FILE, canonical, findings)
    lost = len(_entries(text)) - len(_entries(canonical))
    dropped = f", {lost} repeated entries dropped (the first of each stays)" if lost > 0 else ""
    return [*findings, f"{INDEX_FILE}: written canonically{dropped}"]


def _entries(text: str) -> list[str]:
    return [line for line in text.split("\n") if "]: F:" in line]
