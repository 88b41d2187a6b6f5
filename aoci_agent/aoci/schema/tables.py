"""Table entries, and what the sources of a schema do not agree on."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.stores.record import Change, Column
from aoci_agent.aoci.model import TableEntry
from aoci_agent.aoci.schema.line import entry_of
from aoci_agent.aoci.schema.models import models
from aoci_agent.aoci.schema.replay import ORM, Sources, Table, replayed, sources

_LIKE = 0.5  # share two definitions must have in common to be of one table, or one database
_WHOLE = frozenset(("drizzle", "prisma", "rails", "diesel"))  # these list all tables there are


@dataclass(frozen=True)
class Schema:
    """All tables by name; views by lower-case name; disagreements of sources, ready to print."""

    tables: tuple[Table, ...] = ()
    views: frozenset[str] = frozenset()
    findings: tuple[str, ...] = ()


def schema_of(world: Mapping[str, Facts]) -> Schema:
    """The schema that definitions in code, migrations and SQL scripts give together.

    Models decide over migrations, migrations over scripts. Two sources of one rank add up, and so
    does what a model inherits from outside the repository.
    """
    found = sources(world)
    definitions = models(found).tables
    whole = {_bare(table.name) for table in definitions if table.source in _WHOLE}
    apart: list[Change] = []
    for name in sorted(found.chains):
        tables, additions = replayed(found.chains[name])
        definitions += _present(list(tables.values()), whole)
        apart += additions
    groups: dict[str, list[Table]] = {}
    for table in definitions:
        groups.setdefault(table.name.lower(), []).append(table)
    _unite_schemas(groups)
    findings: list[str] = []
    merged = {name: _merged(group, findings) for name, group in sorted(groups.items())}
    for change in apart:
        table = merged.get(change.table.lower())
        if table is not None and table.trust < ORM:
            table.take(c for c in change.columns if c.name.lower() not in table.columns and c.type)
    for table in merged.values():
        _settle_enums(table, found)
    return Schema(tuple(merged.values()), frozenset(found.views), tuple(findings))


def tables_of(world: Mapping[str, Facts], module: Callable[[str], str]) -> tuple[TableEntry, ...]:
    """The table entries in the order an index keeps them. `module` gives the code of a file."""
    entries = (entry_of(table, module(table.path)) for table in schema_of(world).tables)
    return tuple(sorted(entries, key=lambda entry: (entry.schema, entry.name)))


def unknown_tables(
    world: Mapping[str, Facts], tables: Iterable[TableEntry]
) -> tuple[tuple[str, str], ...]:
    """Path and table for each table that SQL in code names and no definition knows.

    Empty where the repository defines no table at all: then the schema lives elsewhere.
    """
    known = {table.name.lower() for table in tables}
    if not known:
        return ()
    known |= sources(world).views
    named = (
        (path, name)
        for path in sorted(world)
        for name in (item.rpartition(" ")[0] for item in world[path].tables)
    )
    return tuple(pair for pair in named if pair[1].lower() not in known)


def _bare(name: str) -> str:
    return name.rpartition(".")[2].lower()


def _present(tables: list[Table], whole: set[str]) -> list[Table]:
    """A history whose tables code defines mostly and as a whole says nothing about further ones."""
    known = [table for table in tables if _bare(table.name) in whole]
    return known if known and len(known) >= _LIKE * len(tables) else tables


def _unite_schemas(groups: dict[str, list[Table]]) -> None:
    """`users` and `app.users` are one table where only one schema has the name."""
    for name in [name for name in groups if "." in name]:
        bare = name.rpartition(".")[2]
        others = [other for other in groups if other.endswith(f".{bare}")]
        if bare in groups and len(others) == 1:
            for table in groups[bare]:
                table.name = groups[name][0].name
            groups[name] += groups.pop(bare)


def _merged(group: list[Table], findings: list[str]) -> Table:
    group = sorted(group, key=lambda t: (-t.trust, -len(t.columns), t.path))
    first = replace(group[0], columns=dict(group[0].columns), rules=list(group[0].rules))
    for other in group[1:]:
        shared = first.columns.keys() & other.columns.keys()
        if len(shared) < _LIKE * min(len(first.columns), len(other.columns)):
            findings.append(f"{first.name}: two tables of this name, {first.path} and {other.path}")
            continue
        if first.trust != other.trust or first.columns.keys() != other.columns.keys():
            findings += _differences(first, other)
        for key, column in other.columns.items():
            known = first.columns.get(key)
            if known is not None:
                first.columns[key] = _filled(known, column)
            elif other.trust == first.trust or first.trust < ORM or first.partial:
                first.columns[key] = column
        names = {column.name for column in first.columns.values()}
        first.rules += [
            rule
            for rule in other.rules
            if rule not in first.rules and set(re.findall(r"\w+", rule)[1:]) <= names
        ]
    return first


def _differences(first: Table, other: Table) -> list[str]:
    told: list[str] = []
    for table, against in ((first, other), (other, first)):
        more = [c.name for key, c in table.columns.items() if key not in against.columns]
        if more:
            told.append(
                f"{first.name}: {', '.join(more)} only in {table.path}, not in {against.path}"
            )
    return told


def _filled(known: Column, other: Column) -> Column:
    """The trusted column with what only the other one says."""
    kinds = {_word(flag) for flag in known.flags}
    more = (flag for flag in other.flags if _word(flag) not in kinds)
    return known._replace(type=known.type or other.type, flags=(*known.flags, *more))


def _word(flag: str) -> str:
    return re.sub(r"\A(→|enum\().*", r"\1", flag)


def _settle_enums(table: Table, found: Sources) -> None:
    """A type that names an enum becomes its values."""
    for key, column in table.columns.items():
        values = found.enums.get(column.type.lower())
        if values and not any(flag.startswith("enum(") for flag in column.flags):
            flags = (*column.flags, f"enum({'¦'.join(values)})")
            table.columns[key] = column._replace(flags=flags)
