"""From the paths another tool wrote, often of another machine, to the files of this repository."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from aoci_agent.aoci.foreign.model import Row, Unmapped
from aoci_agent.aoci.model import Entry

_COMMON = 30  # files of one name beyond which the name says nothing about the root
_ROOTS = 16  # roots told apart in one index

Parts = tuple[str, ...]


class Root(NamedTuple):
    """`written` at the beginning of a path stands for `here`."""

    written: Parts
    here: Parts


class Placed(NamedTuple):
    """What became of the rows."""

    entries: list[Entry]
    unmapped: list[Unmapped]
    named: set[str]


def place(rows: Sequence[Row], named: Iterable[str], files: frozenset[str]) -> Placed:
    """Every row on the file it stands for, by the roots that most paths agree on."""
    by_name = _by_name(files)
    paths = {index: _parts(row) for index, row in enumerate(rows) if row.folder is not None}
    extra = [_split(name) for name in named]
    roots = _roots([*paths.values(), *extra], by_name)
    placed = Placed([], [], {_under(parts, roots) for parts in extra})
    taken: set[str] = set()
    for index, row in enumerate(rows):
        found = _under(paths[index], roots) if index in paths else _alone(row, files, by_name)
        if isinstance(found, Unmapped):
            placed.unmapped.append(found)
        elif found in taken:
            placed.unmapped.append(Unmapped(found, "repeated", row.entry, row.line))
        elif found not in files:
            placed.unmapped.append(Unmapped(found, "file missing", row.entry, row.line))
        else:
            taken.add(found)
            folder, _, name = found.rpartition("/")
            placed.entries.append(replace(row.entry, directory=folder, name=name))
    placed.entries.sort(key=lambda entry: (entry.directory, entry.name))
    return placed


def _by_name(files: Iterable[str]) -> dict[str, list[Parts]]:
    by_name: dict[str, list[Parts]] = {}
    for path in sorted(files):
        parts = tuple(path.split("/"))
        by_name.setdefault(parts[-1], []).append(parts)
    return by_name


def _parts(row: Row) -> Parts:
    return _split(f"{row.folder}/{row.entry.name}")


def _split(path: str) -> Parts:
    """Components; an absolute path begins with "/" or its drive."""
    path = path.replace("\\", "/")
    rooted = ("/",) if path.startswith("/") else ()
    return (*rooted, *(part for part in path.split("/") if part not in ("", ".")))


def _roots(paths: Sequence[Parts], by_name: Mapping[str, list[Parts]]) -> list[Root]:
    """The roots most paths agree on first, until every path that has a file here is under one.

    A path and a file of the same name vote for what is left of both without their longest common
    ending; the true root is the one vote they all share.
    """
    roots: list[Root] = []
    left = list(paths)
    while left and len(roots) < _ROOTS:
        votes = _votes(left, by_name)
        if not votes:
            break
        root = min(votes, key=lambda root: (-votes[root], len(root.here), len(root.written), root))
        roots.append(root)
        rest = [path for path in left if path[: len(root.written)] != root.written]
        if len(rest) == len(left):
            break
        left = rest
    return roots


def _votes(paths: Sequence[Parts], by_name: Mapping[str, list[Parts]]) -> Counter[Root]:
    rare = [path for path in paths if 0 < len(by_name.get(path[-1], ())) <= _COMMON]
    votes: Counter[Root] = Counter()
    for path in rare or paths[:_COMMON]:
        for file in by_name.get(path[-1], ()):
            common = _common_ending(path, file)
            votes[Root(path[:-common], file[:-common])] += 1
    return votes


def _common_ending(path: Parts, file: Parts) -> int:
    pairs = enumerate(zip(reversed(path), reversed(file), strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(path), len(file)))


def _under(path: Parts, roots: Sequence[Root]) -> str:
    """The path here; as written, without its root, where no root is known for it."""
    for written, here in roots:
        if path[: len(written)] == written and (written or path[:1] != ("/",)):
            return "/".join((*here, *path[len(written) :]))
    return "/".join(path).replace("//", "/").lstrip("/")


def _alone(row: Row, files: frozenset[str], by_name: Mapping[str, list[Parts]]) -> str | Unmapped:
    """A name without any directory: the file at the root, else the only one of that name."""
    name = "/".join(_split(row.entry.name))
    if name in files:
        return name
    ending = f"/{name}"
    same = ["/".join(parts) for parts in by_name.get(name.rpartition("/")[2], ())]
    same = [path for path in same if path.endswith(ending)]
    if len(same) == 1:
        return same[0]
    reason = "name is ambiguous" if same else "file missing"
    return Unmapped(name, reason, row.entry, row.line)
