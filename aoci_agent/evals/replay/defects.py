"""Defects of the kinds the AOCI paper counts (findings A and C), as far as text alone shows them.

multi-path   a column joins one statement on a table, and others that read the same columns lack it
refresh      a new writing call, where others show what is written, and nothing is told to load again
contract     a call of a path that no route of the repository answers
schema       a statement names a column that its table does not have, or a table is made beside its like
dropped      lines of a recent change are gone that the person's own fix keeps

Every finding names its evidence. They are hints for a person who compares solvers, no proof: what is
put together at run time is not seen, and the first two are rules of thumb.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.stores.record import from_text
from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.evals.replay.gold import texts_in
from aoci_agent.evals.replay.history import is_source

Texts = Mapping[str, str]
Read = Callable[[str], Facts]
_SELECT = re.compile(
    r"\bSELECT\s+(?P<columns>[^;]{1,2000}?)\s+FROM\s+[`\"\[]?(?P<table>\w+)", re.I | re.S
)
_INSERT = re.compile(
    r"\bINSERT\s+INTO\s+[`\"\[]?(?P<table>\w+)[`\"\]]?\s*\((?P<columns>[^)]{1,2000})\)", re.I | re.S
)
_UPDATE = re.compile(
    r"\bUPDATE\s+[`\"\[]?(?P<table>\w+)[`\"\]]?\s+SET\s+(?P<columns>[^;]{1,2000}?)(?:\bWHERE\b|;|$)",
    re.I | re.S,
)
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_WRITING = ("POST ", "PUT ", "PATCH ", "DELETE ")
_TOLD = re.compile(
    r"invalidat|refetch|refresh|revalidat|mutate\(|dispatch\(|emit\(|setQueryData|reload|load\w*\(",
    re.I,
)
_SHARED = 2  # columns that make two statements the same path to a table
_ALIKE = 0.6  # share of columns that makes two tables alike
_SHORT = 8  # characters below which a line says nothing of where it came from
_LOST = 3  # lines of a recent change that are no slip
_RECENT = 20  # commits before the base
_MOST = 20_000  # files of source, above which nobody looks


class Statement(NamedTuple):
    """One statement on a table: the columns it names."""

    path: str
    line: int
    table: str
    columns: frozenset[str]


def defects_in(
    tree: Path, changed: Iterable[str], source: Repository, base: str, fix: str
) -> tuple[str, ...] | None:
    """What the changed files of a work tree brought. None where that cannot be told: too many files,
    or some that a partial clone lacks. Without a `fix`, no earlier change is looked for.
    """
    try:
        blobs = {path: blob for path, blob in source.blobs_of(base).items() if is_source(path)}
        if len(blobs) > _MOST:
            return None
        paths = sorted(path for path in changed if is_source(path))
        if not paths:  # nothing to look for: the rest need not be read
            return None if any(blob.size < 0 for blob in blobs.values()) else ()
        texts = {
            id: data.decode("utf-8", "replace") for id, data in source.contents(blobs.values())
        }
        before = {path: texts[blob.id] for path, blob in blobs.items()}
        with Workspace(tree) as workspace:
            there = [path for path in paths if workspace.exists(path)]
            now = {path: workspace.read_bytes(path).decode("utf-8", "replace") for path in there}
        kept = {path: text for path, text in before.items() if path not in paths}
        recent = _recent(source, base, [path for path in paths if path in before]) if fix else {}
        fixed = {path: text or "" for path, text in texts_in(source, fix, recent).items()}
    except ForModel:
        return None
    return defects(before, kept | now, recent, fixed)


def _recent(source: Repository, base: str, paths: list[str]) -> dict[str, str]:
    """The lines that the commits just before the base added to these files."""
    commits = source.git("rev-list", "--first-parent", f"-n{_RECENT + 1}", base).split()
    options = (
        *("--first-parent", "--diff-merges=first-parent", f"{commits[-1]}..{base}", "--format="),
        *("-p", "-U0", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/"),
    )
    found: dict[str, str] = {}
    for path in paths:
        patch = source.git("log", *options, "--", path)
        added = (line[1:] for line in patch.splitlines() if line.startswith("+"))
        found[path] = "\n".join(line for line in added if not line.startswith("++ "))
    return found


def defects(before: Texts, after: Texts, recent: Texts, fixed: Texts) -> tuple[str, ...]:
    """What a change from one tree to another brought, a line each; both hold all source files.

    `recent` are the lines that the commits just before the base added, by path; `fixed` are the
    files of the person's own fix.
    """
    changed = {path for path in after if after[path] != before.get(path)}
    old, new = _reader(before), _reader(after)
    found = [
        *_multi_path(before, after, changed),
        *_refresh(old, new, after, changed),
        *_contract(old, new, after, changed),
        *_schema(before, after, old, new, changed),
        *_dropped(before, after, recent, fixed),
    ]
    return tuple(dict.fromkeys(found))


def _reader(texts: Texts) -> Read:
    """Facts of its files, each extracted when it is first asked for; of a missing file, none."""

    def facts(path: str) -> Facts:
        return _facts(path, texts.get(path, ""))

    return facts


@functools.lru_cache(maxsize=_MOST)
def _facts(path: str, text: str) -> Facts:
    return extract(path, text.encode())


def statements(path: str, text: str) -> Iterator[Statement]:
    """The SQL statements of a text that name their columns."""
    for pattern in (_SELECT, _INSERT, _UPDATE):
        for match in pattern.finditer(text):
            parts = (
                re.split(r"[.\s]", part.partition("=")[0].strip().strip('`"[]'))[-1]
                for part in match["columns"].split(",")
            )
            columns = frozenset(
                part.strip('`"[]').lower() for part in parts if _NAME.match(part.strip('`"[]'))
            )
            if columns:
                line = text.count("\n", 0, match.start()) + 1
                yield Statement(path, line, match["table"].lower(), columns)


def _multi_path(before: Texts, after: Texts, changed: set[str]) -> Iterator[str]:
    old = [one for path in changed for one in statements(path, before.get(path, ""))]
    known = {(one.table, one.columns) for one in old}
    come = [one for path in sorted(changed) for one in statements(path, after[path])]
    grown = [
        (made, was)
        for made in come
        for was in old
        if (made.table, made.columns) not in known
        and was.table == made.table
        and was.columns < made.columns
    ]
    now = [one for path in after for one in statements(path, after[path])] if grown else []
    for made, was in grown:
        added = made.columns - was.columns
        for other in now:
            same = other.table == was.table and len(other.columns & was.columns) >= _SHARED
            if same and not other.columns & added:
                names = ", ".join(sorted(added))
                yield f"multi-path: {other.path}:{other.line} does not name {names} of {other.table}, {made.path}:{made.line} does now"


def _new_calls(old: Read, new: Read, changed: set[str]) -> Iterator[tuple[str, str]]:
    """Path and call of what the changed files ask for now, and did not."""
    for path in sorted(changed):
        for call in sorted(set(new(path).calls) - set(old(path).calls)):
            yield path, call


def _refresh(old: Read, new: Read, after: Texts, changed: set[str]) -> Iterator[str]:
    for path, call in _new_calls(old, new, changed):
        if not call.startswith(_WRITING) or _TOLD.search(after[path]):
            continue
        target = _segments(call)[:-1] or _segments(call)
        shows = (
            other
            for other in sorted(after)
            for one in new(other).calls
            if other != path
            and not one.startswith(_WRITING)
            and _segments(one)[: len(target)] == target
        )
        if shown := next(shows, ""):
            yield f"refresh: {path} writes {call}, {shown} shows it, and nothing is loaded again"


def _contract(old: Read, new: Read, after: Texts, changed: set[str]) -> Iterator[str]:
    calls = list(_new_calls(old, new, changed))
    routes = [_segments(route) for path in after for route in new(path).routes] if calls else []
    for path, call in calls:
        if routes and not any(_answers(route, _segments(call)) for route in routes):
            yield f"contract: {path} asks for {call}, and no route answers it"


def _segments(route: str) -> tuple[str, ...]:
    """`GET /users/:id` as ("users", "*"): what varies is a star."""
    path = route.rpartition(" ")[2].partition("?")[0]
    varying = re.compile(r"[:{<$*\[].*")
    return tuple("*" if varying.match(part) else part for part in path.split("/") if part)


def _answers(route: tuple[str, ...], call: tuple[str, ...]) -> bool:
    """The end of the longer one fits the shorter one: either may have a prefix put before it."""
    length = min(len(route), len(call))
    pairs = zip(route[len(route) - length :], call[len(call) - length :], strict=True)
    return length > 0 and all(one == other or "*" in (one, other) for one, other in pairs)


def _tables(read: Read, paths: Iterable[str]) -> dict[str, tuple[str, frozenset[str]]]:
    """Where each table is defined, and its columns over all files."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for path in paths:
        for change in map(from_text, read(path).stored):
            if change.op in ("create", "model", "add") and change.table:
                name = change.table.lower()
                first, columns = found.get(name, (path, frozenset[str]()))
                found[name] = (first, columns | {column.name.lower() for column in change.columns})
    return found


def _schema(before: Texts, after: Texts, old: Read, new: Read, changed: set[str]) -> Iterator[str]:
    was = {
        (one.table, one.columns)
        for path in changed
        for one in statements(path, before.get(path, ""))
    }
    come = [
        one
        for path in sorted(changed)
        for one in statements(path, after[path])
        if (one.table, one.columns) not in was
    ]
    made = _tables(new, sorted(changed)).keys() - _tables(old, changed).keys()
    tables = _tables(new, after) if come or made else {}
    for one in come:
        known = tables[one.table][1] if one.table in tables else one.columns
        if one.columns & known and (unknown := one.columns - known):
            yield f"schema: {one.path}:{one.line} names {', '.join(sorted(unknown))}, which {one.table} does not have"
    for name in sorted(made):
        for other, (_, columns) in sorted(tables.items()):
            both = len(columns & tables[name][1])
            alike = both >= max(_SHARED, _ALIKE * len(columns | tables[name][1]))
            if other not in made and alike:
                yield f"schema: the new table {name} has {both} columns of {other}"


def _dropped(before: Texts, after: Texts, recent: Texts, fixed: Texts) -> Iterator[str]:
    for path, text in sorted(recent.items()):
        came = {line.strip() for line in text.splitlines() if len(line.strip()) > _SHORT}
        had = _lines(before.get(path, ""))
        gone = (came & had & _lines(fixed.get(path, before.get(path, "")))) - _lines(
            after.get(path, "")
        )
        if len(gone) >= _LOST:
            yield f"dropped: {path} lost {len(gone)} lines of a recent change, e.g. {sorted(gone)[0][:80]}"


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines()}
