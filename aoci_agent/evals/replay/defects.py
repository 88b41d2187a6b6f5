"""Defects of the kinds the AOCI paper counts (findings A and C), as far as text alone shows them.

multi-path   a column joins one statement on a table, and others that read the same columns lack it
refresh      a new writing call, where others show what is written, and nothing is told to load again
contract     a call of a path that no route of the repository answers
schema       a statement names a column that its table does not have, or a table is made beside its like
dropped      lines of a recent change are gone that the person's own fix keeps

Every finding names its evidence. They are hints for a person who compares solvers, no proof: what is
put together at run time is not seen, and the first two are rules of thumb.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.stores.record import from_text

Texts = Mapping[str, str]
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


class Statement(NamedTuple):
    """One statement on a table: the columns it names."""

    path: str
    line: int
    table: str
    columns: frozenset[str]


def defects(before: Texts, after: Texts, recent: Texts, fixed: Texts) -> tuple[str, ...]:
    """What a change from one tree to another brought, a line each; both hold all source files.

    `recent` are the lines that the commits just before the base added, by path; `fixed` are the
    files of the person's own fix.
    """
    changed = {path for path in after if after[path] != before.get(path)}
    old = {path: extract(path, before[path].encode()) for path in before}
    new = {
        path: extract(path, after[path].encode()) if path in changed else old[path]
        for path in after
    }
    found = [
        *_multi_path(before, after, changed),
        *_refresh(old, new, after, changed),
        *_contract(old, new, changed),
        *_schema(before, after, new, changed),
        *_dropped(before, after, recent, fixed),
    ]
    return tuple(dict.fromkeys(found))


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
    old = [one for path in changed if path in before for one in statements(path, before[path])]
    now = [one for path in after for one in statements(path, after[path])]
    known = {(one.table, one.columns) for one in old}
    for made in now:
        if made.path not in changed or (made.table, made.columns) in known:
            continue
        grown = [one for one in old if one.table == made.table and one.columns < made.columns]
        for was in grown:
            added = made.columns - was.columns
            for other in now:
                same = other.table == was.table and len(other.columns & was.columns) >= _SHARED
                if same and not other.columns & added:
                    names = ", ".join(sorted(added))
                    yield f"multi-path: {other.path}:{other.line} does not name {names} of {other.table}, {made.path}:{made.line} does now"


def _refresh(
    old: Mapping[str, Facts], new: Mapping[str, Facts], after: Texts, changed: set[str]
) -> Iterator[str]:
    for path in sorted(changed):
        come = set(new[path].calls) - set(old[path].calls if path in old else ())
        for call in sorted(call for call in come if call.startswith(_WRITING)):
            target = _segments(call)[:-1] or _segments(call)
            shows = [
                other for other, facts in new.items()
                if other != path and any(_segments(one)[: len(target)] == target for one in facts.calls if not one.startswith(_WRITING))
            ]  # fmt: skip
            if shows and not _TOLD.search(after[path]):
                yield f"refresh: {path} writes {call}, {sorted(shows)[0]} shows it, and nothing is loaded again"


def _contract(
    old: Mapping[str, Facts], new: Mapping[str, Facts], changed: set[str]
) -> Iterator[str]:
    routes = [_segments(route) for facts in new.values() for route in facts.routes]
    if not routes:
        return
    for path in sorted(changed):
        for call in new[path].calls:
            if call not in (old[path].calls if path in old else ()) and not any(
                _answers(r, _segments(call)) for r in routes
            ):
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


def _tables(facts: Mapping[str, Facts]) -> dict[str, tuple[str, frozenset[str]]]:
    """Where each table is defined, and its columns over all files."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for path, one in facts.items():
        for change in map(from_text, one.stored):
            if change.op in ("create", "model", "add") and change.table:
                name = change.table.lower()
                first, columns = found.get(name, (path, frozenset[str]()))
                found[name] = (first, columns | {column.name.lower() for column in change.columns})
    return found


def _schema(
    before: Texts, after: Texts, new: Mapping[str, Facts], changed: set[str]
) -> Iterator[str]:
    tables = _tables(new)
    for path in sorted(changed):
        known = set(statements(path, before.get(path, "")))
        was = {(one.table, one.columns) for one in known}
        for one in statements(path, after[path]):
            if one.table in tables and (one.table, one.columns) not in was:
                unknown = one.columns - tables[one.table][1]
                if unknown and len(unknown) < len(one.columns):
                    yield f"schema: {path}:{one.line} names {', '.join(sorted(unknown))}, which {one.table} does not have"
    old = _tables(
        {path: extract(path, text.encode()) for path, text in before.items() if path in changed}
    )
    made = {name for name, (path, _) in tables.items() if path in changed and name not in old}
    for name in sorted(made):
        for other, (_, columns) in sorted(tables.items()):
            both = len(columns & tables[name][1])
            if (
                other not in made
                and both >= _SHARED
                and both >= _ALIKE * len(columns | tables[name][1])
            ):
                yield f"schema: the new table {name} has {both} columns of {other}"


def _dropped(before: Texts, after: Texts, recent: Texts, fixed: Texts) -> Iterator[str]:
    for path, text in sorted(recent.items()):
        if path not in after or path not in before:
            continue
        came = {line.strip() for line in text.splitlines() if len(line.strip()) > _SHORT}
        kept = {line.strip() for line in fixed.get(path, before[path]).splitlines()}
        had = {line.strip() for line in before[path].splitlines()}
        gone = (came & had & kept) - {line.strip() for line in after[path].splitlines()}
        if len(gone) >= _LOST:
            yield f"dropped: {path} lost {len(gone)} lines of a recent change, e.g. {sorted(gone)[0][:80]}"
