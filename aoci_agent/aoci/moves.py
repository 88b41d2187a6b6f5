"""Which new file is an old one under another name: by what the files say, without asking git."""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.normal import likeness
from aoci_agent.aoci.lock import Lock, Record

ALIKE = 0.5  # share of common lines from which two files are one; git's own default
MAX_PAIRS = 1_000_000  # a whole tree that moved: then only files of one name are compared


def moves(world: Mapping[str, Facts], lock: Lock) -> dict[str, str]:
    """New path -> old path, each used once: equal sources first, then the most alike."""
    gone = {path: record for path, record in lock.records.items() if path not in world}
    new = {
        path: facts for path, facts in world.items() if path not in lock.records and facts.sketch
    }
    found: dict[str, str] = {}
    for _, _, path, old in sorted(_pairs(new, gone)):
        if path not in found and old in gone:
            found[path] = old
            del gone[old]
    return dict(sorted(found.items()))


def _pairs(
    new: Mapping[str, Facts], gone: Mapping[str, Record]
) -> Iterable[tuple[float, bool, str, str]]:
    """Candidates, the best first: (-likeness, other name, new path, old path)."""
    by_sem: dict[str, list[str]] = {}
    by_suffix: dict[str, list[str]] = {}
    for old, record in gone.items():
        by_sem.setdefault(record.sem, []).append(old)
        by_suffix.setdefault(PurePosixPath(old).suffix, []).append(old)
    many = len(new) * len(gone) > MAX_PAIRS
    for path, facts in new.items():
        pure = PurePosixPath(path)
        equal = set(by_sem.get(facts.sem, ()))
        for old in equal:
            yield -1.0, PurePosixPath(old).name != pure.name, path, old
        for old in by_suffix.get(pure.suffix, ()):
            other = PurePosixPath(old).name != pure.name
            if old in equal or (many and other):
                continue
            alike = likeness(facts.sketch, gone[old].sketch)
            if alike >= ALIKE:
                yield -alike, other, path, old
