"""Definitions and changes of all files -> tables: models as they stand, migrations replayed in order."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.stores.record import Change, Column, from_text
from aoci_agent.aoci.layers import is_sample, is_test

ORM, MIGRATION, RAW = 3, 2, 1  # how far a source is trusted
_CHAIN = re.compile(
    r"(?:^|/)(?:migrations?|migrate|versions|drizzle|changelogs?)(?=/)", re.IGNORECASE
)
_NUMBERED = re.compile(r"\A(?:\d{3,}|V\d+)[_.-]", re.IGNORECASE)
_UNDONE = re.compile(r"(?:\A|[._-])down\.sql\Z|\AU\d[\d._]*__", re.IGNORECASE)
_LEFT = re.compile(
    r"(?:^|[/._-])(?:bak|backups?|old|deprecated|archived?|obsolete)(?=[/._-]|\d|\Z)", re.IGNORECASE
)
_DIGITS = re.compile(r"(\d+)")
_UNORDERED = ("create", "add", "column", "rename", "remove", "drop")


@dataclass
class Table:
    """One table, from one kind of source. `columns` by lower-case name, in their order."""

    name: str
    path: str  # of the file that defines it
    trust: int
    columns: dict[str, Column] = field(default_factory=dict[str, Column])
    rules: list[str] = field(default_factory=list[str])
    source: str = "sql"
    partial: bool = False  # columns may come from where this index cannot see

    def take(self, columns: Iterable[Column], rules: Iterable[str] = ()) -> None:
        """Add columns, or what is newly said of known ones."""
        for column in columns:
            known = self.columns.get(column.name.lower())
            self.columns[column.name.lower()] = column if known is None else _both(known, column)
        self.rules += [rule for rule in rules if rule not in self.rules]

    def remove(self, name: str) -> None:
        """A column goes, and the rules it took part in."""
        if self.columns.pop(name.lower(), None) is not None:
            self.rules = [rule for rule in self.rules if name not in re.split(r"\W+", rule)]

    def rename(self, old: str, new: str) -> None:
        """A column gets another name and keeps its place."""
        if old.lower() in self.columns and new.lower() not in self.columns:
            self.columns = {
                (new.lower() if key == old.lower() else key): (
                    column._replace(name=new) if key == old.lower() else column
                )
                for key, column in self.columns.items()
            }
            self.rules = [re.sub(rf"\b{re.escape(old)}\b", new, rule) for rule in self.rules]


def _both(known: Column, new: Column) -> Column:
    """What a later change says of a column: its type counts, an enum is replaced, the rest adds up."""
    flags = [f for f in known.flags if not (f.startswith("enum(") and new.type)]
    flags += [f for f in new.flags if f not in flags]
    return Column(known.name, new.type or known.type, tuple(flags))


@dataclass
class Sources:
    """All records by what they are."""

    models: list[tuple[str, Change]] = field(default_factory=list[tuple[str, Change]])
    chains: dict[str, list[tuple[str, Change]]] = field(
        default_factory=dict[str, list[tuple[str, Change]]]
    )
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    known: set[str] = field(default_factory=set[str])  # classes named as stored
    views: set[str] = field(default_factory=set[str])


def sources(world: Mapping[str, Facts]) -> Sources:
    """The records of all files that count: not of tests, samples, old copies and ways down."""
    found = Sources()
    for path in sorted(
        (path for path in world if world[path].stored), key=lambda p: (_natural(p), p)
    ):
        if _counts(path):
            for change in _records(world[path]):
                _sort(found, path, change)
    return found


def _counts(path: str) -> bool:
    name = PurePosixPath(path).name
    return not (is_test(path) or is_sample(path) or _UNDONE.search(name) or _LEFT.search(path))


def _records(facts: Facts) -> Iterator[Change]:
    for text in facts.stored:
        try:
            yield from_text(text)
        except (ValueError, TypeError):
            continue


def _sort(found: Sources, path: str, change: Change) -> None:
    if change.op == "enum":
        for name in filter(None, (change.table, change.alias)):
            grown = change.also[:1] == ("+",)
            before = found.enums.get(name.lower(), ()) if grown else ()
            found.enums[name.lower()] = (*before, *change.also[grown:])
    elif change.op == "known":
        found.known.add(change.alias)
    elif change.op == "view":
        found.views.add(change.table.lower())
    elif change.op in ("model", "part"):
        found.models.append((path, change))
    else:
        found.chains.setdefault(_chain(path), []).append((path, change))


def _chain(path: str) -> str:
    """The folder whose files are replayed together, in the order of their names."""
    last = None
    for last in _CHAIN.finditer(path):  # noqa: B007 - the last one is wanted
        pass
    return path[: last.end()] if last else path.rpartition("/")[0]


def _natural(path: str) -> str:
    """Sorts `V2` before `V10`, and both spellings of a date in one order."""
    return _DIGITS.sub(lambda found: found[0].zfill(4), path)


def replayed(chain: list[tuple[str, Change]]) -> tuple[dict[str, Table], list[Change]]:
    """Tables by lower-case name after all changes, and the additions to tables of other chains."""
    if any(change.source == "alembic" for _, change in chain):  # named by hash: no order to see
        chain = sorted(chain, key=lambda item: _UNORDERED.index(item[1].op))
    tables: dict[str, Table] = {}
    apart: list[Change] = []
    for path, change in chain:
        key = change.table.lower()
        if change.op == "create" and key not in tables:
            numbered = _NUMBERED.match(PurePosixPath(path).name) or _CHAIN.search(path)
            tables[key] = Table(change.table, path, MIGRATION if numbered else RAW)
            tables[key].take(change.columns, change.also)
        elif change.op == "drop":
            tables.pop(key, None)
        elif key in tables:
            _change(tables, tables[key], change)
        elif change.op == "add":
            apart.append(change)
    return tables, apart


def _change(tables: dict[str, Table], table: Table, change: Change) -> None:
    if change.op == "add":
        table.take(change.columns, change.also)
    elif change.op == "remove":
        for column in change.columns:
            table.remove(column.name)
    elif change.op == "column" and len(change.columns) == 2:
        table.rename(change.columns[0].name, change.columns[1].name)
    elif change.op == "rename" and change.also:
        del tables[change.table.lower()]
        table.name = change.also[0]
        tables[table.name.lower()] = table
