"""What a person changed for a task, by file and by definition, and what of it the prompt gives away."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.evals.policies_score import Span
from aoci_agent.evals.replay.task import Task
from aoci_agent.views.syntax.outline import CALLABLES, TYPES, Definition, outline_of

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
_SHORTEST = 4  # letters of a name that a prompt can give away


class Gold(NamedTuple):
    """What a change is compared with: the person's fix, a full id or "", and where it is at work."""

    fix: str
    touched: tuple[str, ...]  # every path of the fix
    blocks: tuple[Span, ...]  # the definitions that it changes, at the base


def gold_of(task: Task, source: Repository, base: str) -> Gold:
    """Raises NotPossible where the hidden tests are in a commit that is not there."""
    fix = source.commit(task.fix) if task.fix else ""
    if task.hidden and not (fix or task.tests_patch):
        raise NotPossible(f"the repository has no commit {task.fix[:12]}: the tests are in it")
    touched = changed_by(source, base, fix) if fix else ()
    return Gold(fix, touched, blocks(source, base, task.gold_symbols))


def symbols(
    repository: Repository, base: str, commit: str, paths: Iterable[str]
) -> tuple[str, ...]:
    """`path:Class.method` of the innermost definitions, as they are at `base`, whose lines change.

    A line that is only added belongs to the definition it is added in. Lines outside of every
    definition name none. NotPossible where the repository does not have the files.
    """
    found: dict[str, None] = {}
    for path, text in texts_in(repository, base, paths).items():
        kept = [item for item in _definitions(path, text) if item.kind in CALLABLES | TYPES]
        patch = repository.git("diff-tree", "-p", "-U0", base, commit, "--", path)
        for start, end in _changed(patch):
            holding = [item for item in kept if item.start <= start and end <= item.end]
            if holding:
                found[f"{path}:{min(holding, key=_size).qualified}"] = None
    return tuple(found)


def blocks(repository: Repository, base: str, named: Iterable[str]) -> tuple[Span, ...]:
    """The lines at `base` of the definitions that `symbols` named; those not there have none."""
    split = [(path, name) for path, _, name in (symbol.rpartition(":") for symbol in named)]
    texts = texts_in(repository, base, [path for path, _ in split])
    known = {path: _definitions(path, text) for path, text in texts.items()}
    found: dict[Span, None] = {}
    for path, name in split:
        spans = (Span(path, one.start, one.end) for one in known[path] if one.qualified == name)
        found |= dict.fromkeys(spans)
    return tuple(found)


def changed_by(repository: Repository, base: str, fix: str) -> tuple[str, ...]:
    """Every path that differs between two commits."""
    listed = repository.git("diff-tree", "-r", "--name-only", "-z", "--no-renames", base, fix)
    return tuple(path for path in listed.split("\0") if path)


def commit_of(repository: Repository, name: str) -> str:
    """The full id. Raises NotPossible where there is no such commit."""
    found = repository.commit(name)
    if not found:
        raise NotPossible(f"the repository has no commit {name[:12]}")
    return found


def texts_in(repository: Repository, commit: str, paths: Iterable[str]) -> dict[str, str | None]:
    """Regular files of a commit by path, None where there is none. Bytes that are no UTF-8 are
    escaped, as in the names of files. Raises NotPossible where a partial clone lacks one.
    """
    wanted = list(dict.fromkeys(paths))
    blobs = repository.blobs_of(commit) if wanted else {}
    there = {path: blobs[path].id for path in wanted if path in blobs}
    data = dict(repository.contents(blobs[path] for path in there))
    return {
        path: data[there[path]].decode("utf-8", "surrogateescape") if path in there else None
        for path in wanted
    }


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


def _definitions(path: str, text: str | None) -> Sequence[Definition]:
    return outline_of(path, (text or "").encode("utf-8", "surrogateescape")).definitions


def _size(item: Definition) -> int:
    return item.end - item.start
