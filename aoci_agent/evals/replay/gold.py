"""What a person changed for a task, by file and by definition, and what of it the prompt gives away."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from aoci_agent.base.git import Repository
from aoci_agent.views.syntax.outline import CALLABLES, TYPES, Definition, outline_of

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
_SHORTEST = 4  # letters of a name that a prompt can give away


def symbols(
    repository: Repository, base: str, commit: str, paths: Iterable[str]
) -> tuple[str, ...]:
    """`path:Class.method` of the innermost definitions, as they are at `base`, whose lines change.

    A line that is only added belongs to the definition it is added in. Lines outside of every
    definition name none. NotPossible where the repository does not have the files.
    """
    found: dict[str, None] = {}
    for path in paths:
        data = repository.git("cat-file", "blob", f"{base}:{path}")
        definitions = outline_of(path, data.encode("utf-8", "surrogateescape")).definitions
        kept = [item for item in definitions if item.kind in CALLABLES | TYPES]
        patch = repository.git("diff-tree", "-p", "-U0", base, commit, "--", path)
        for start, end in _changed(patch):
            holding = [item for item in kept if item.start <= start and end <= item.end]
            if holding:
                found[f"{path}:{min(holding, key=_size).qualified}"] = None
    return tuple(found)


def leaks(prompt: str, files: Iterable[str], named: Iterable[str]) -> tuple[str, ...]:
    """Which of "path", "stem" and "symbol" of the gold stand in the prompt, whole words only."""
    words = {word.lower() for word in re.findall(r"\w+", prompt)}
    stems = {PurePosixPath(path).stem.lower() for path in files}
    last = {name.rpartition(":")[2].rpartition(".")[2].lower() for name in named}
    found = {
        "path": any(path.lower() in prompt.lower() for path in files),
        "stem": any(len(stem) >= _SHORTEST and stem in words for stem in stems),
        "symbol": any(len(name) >= _SHORTEST and name in words for name in last),
    }
    return tuple(kind for kind, there in found.items() if there)


def _changed(patch: str) -> list[tuple[int, int]]:
    """First and last old line of each hunk; for one that only adds, the line it is added behind."""
    ranges = [(int(start), int(count or 1)) for start, count in _HUNK.findall(patch)]
    return [(start, start + max(count, 1) - 1) for start, count in ranges]


def _size(item: Definition) -> int:
    return item.end - item.start
