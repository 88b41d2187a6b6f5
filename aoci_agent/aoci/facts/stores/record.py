"""What one file says about stored tables, as records that a cache can hold as text."""

import json
from typing import Any, NamedTuple, cast


class Column(NamedTuple):
    """A column. `flags`: `pk`, `unique`, `→table`, `enum(a¦b)`.

    `→=Name` and a `type` may name a class or variable of the program, resolved over all files.
    """

    name: str
    type: str = ""  # first word of the type, lower case; as written when it names a class
    flags: tuple[str, ...] = ()


class Change(NamedTuple):
    """One definition or change of a table.

    `op`: `model` (a whole definition in code), `part` (columns that models inherit or embed),
    `create`, `add` (or redefine) columns, `remove` columns, `column` (rename the first to the
    second), `rename` a table to `also[0]`, `drop`, `enum` (`also` its values; `+` adds one), `view`,
    `known` (a model named as stored). Of a table `also` holds the rules over several columns, of a
    model its bases behind `<`.
    """

    op: str
    table: str  # "" for a model named by convention
    columns: tuple[Column, ...] = ()
    alias: str = ""  # the class or variable that stands for it in code
    source: str = "sql"
    also: tuple[str, ...] = ()


def to_text(change: Change) -> str:
    """A record as one line of JSON."""
    return json.dumps(change, ensure_ascii=False, separators=(",", ":"))


def from_text(text: str) -> Change:
    """The reverse; raises ValueError, TypeError or KeyError on foreign text."""
    op, table, columns, alias, source, also = cast("list[Any]", json.loads(text))
    rows = (Column(name, kind, tuple(flags)) for name, kind, flags in columns)
    return Change(op, table, tuple(rows), alias, source, tuple(also))


def enum(values: list[str]) -> tuple[str, ...]:
    """The flag of a column that takes only these values."""
    return (f"enum({'¦'.join(dict.fromkeys(values))})",) if values else ()


def flag(columns: list[Column], names: list[str], word: str) -> None:
    """Mark the columns with these names, in place."""
    wanted = {name.lower() for name in names}
    for place, column in enumerate(columns):
        if column.name.lower() in wanted and word not in column.flags:
            columns[place] = column._replace(flags=(*column.flags, word))


def rule(columns: list[Column], names: list[str], word: str) -> tuple[str, ...]:
    """A uniqueness or key: a flag on one column, a rule of the table over several."""
    if len(names) == 1 or word == "pk":
        flag(columns, names, word)
        return ()
    return (f"{word}({'+'.join(names)})",) if names else ()
