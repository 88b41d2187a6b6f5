"""ActiveRecord: `schema.rb` and migrations."""

import re
from collections.abc import Iterator

from aoci_agent.aoci.facts.stores.brackets import without_comments
from aoci_agent.aoci.facts.stores.naming import plural
from aoci_agent.aoci.facts.stores.record import Change, Column, flag, rule
from aoci_agent.aoci.wordset import wordset

_BLOCK = re.compile(
    r"^(?P<indent>[ \t]*)(?P<call>create_table|change_table|create_join_table)[ (]+(?P<head>[^\n]*?)\s+do\s*\|(?P<var>\w+)\|[ \t]*\n"
    r"(?P<body>.*?)^(?P=indent)end\b",
    re.MULTILINE | re.DOTALL,
)
_LINE = re.compile(
    r"^\s*(add_column|change_column|remove_column|remove_columns|rename_column|rename_table|drop_table"
    r"|add_reference|add_belongs_to|remove_reference|add_foreign_key|add_index|add_timestamps|create_enum|create_join_table)"
    r"[ (]+([^\n]*)",
    re.MULTILINE,
)
_NAME = re.compile(r"[:\"'](\w+)")
_DOWN = re.compile(
    r"^(?P<indent>[ \t]*)def (?:self\.)?down\b.*?^(?P=indent)end\b", re.MULTILINE | re.DOTALL
)
_NO_COLUMN = wordset(
    "index unique_constraint check_constraint foreign_key remove_index exclusion_constraint"
)


def tables(text: str) -> list[Change]:
    """Tables of a schema dump are whole definitions, those of a migration are changes."""
    text = _DOWN.sub("", without_comments(text, "hash"))
    dump = "ActiveRecord::Schema" in text
    found = [(m.start(), change) for m in _BLOCK.finditer(text) for change in _block(m, dump=dump)]
    outside = _BLOCK.sub(
        lambda m: "\n" * m[0].count("\n") + " " * (len(m[0]) - m[0].count("\n")), text
    )
    found += [(m.start(), change) for m in _LINE.finditer(outside) for change in _line(m[1], m[2])]
    changes = [change for _, change in sorted(found, key=lambda pair: pair[0])]
    return _folded(changes) if dump else changes


def _folded(changes: list[Change]) -> list[Change]:
    """A dump names keys and indexes after the tables: put them where they belong."""
    tables = {change.table: change for change in changes if change.op == "model"}
    for change in changes:
        known = tables.get(change.table)
        if change.op == "add" and known is not None:
            columns = list(known.columns)
            for column in change.columns:
                for word in column.flags:
                    flag(columns, [column.name], word)
            also = tuple(dict.fromkeys((*known.also, *change.also)))
            tables[change.table] = known._replace(columns=tuple(columns), also=also)
    others = [change for change in changes if change.op not in ("model", "add")]
    return [*others, *tables.values()]


def _block(found: re.Match[str], *, dump: bool) -> Iterator[Change]:
    names = _NAME.findall(found["head"])
    if not names:
        return
    columns: list[Column] = []
    also: list[str] = []
    call, table = found["call"], names[0]
    if call == "create_join_table":
        table = _join(names)
    elif call == "create_table" and not re.search(r"\bid:\s*false|:id\s*=>\s*false", found["head"]):
        key = re.search(r"\bprimary_key:\s*[:\"'](\w+)", found["head"])
        kind = re.search(r"\bid:\s*:(\w+)", found["head"])
        columns.append(Column(key[1] if key else "id", kind[1] if kind else "bigint", ("pk",)))
    later: list[Change] = []
    for line in re.finditer(
        rf"^\s*{found['var']}\.(\w+)[ (]*([^\n]*)", found["body"], re.MULTILINE
    ):
        _take(line[1], line[2], columns, also)
        later += _dropped(table, line[1], line[2])
    op = "add" if call == "change_table" else "model" if dump else "create"
    yield Change(op, table, tuple(columns), "", "rails", tuple(also))
    yield from later


def _take(method: str, rest: str, columns: list[Column], also: list[str]) -> None:
    names = _NAME.findall(re.split(r",?\s*\b\w+:\s|=>", rest)[0])
    if method == "index" and re.search(r"unique:\s*true", rest):
        also += rule(columns, names, "unique")
    elif method in ("references", "belongs_to"):
        columns += [column for name in names for column in _reference(name, rest)]
    elif method == "timestamps":
        columns += [Column("created_at", "timestamp"), Column("updated_at", "timestamp")]
    elif method == "column" and len(names) > 1:
        columns.append(Column(names[0], names[1], _flags(rest)))
    elif method not in _NO_COLUMN and not method.startswith(("remove", "rename", "change")):
        columns += [Column(name, _kind(method, rest), _flags(rest)) for name in names]


def _kind(method: str, rest: str) -> str:
    named = re.search(r"enum_type:\s*[:\"'](\w+)", rest)
    return named[1] if named else method


def _flags(rest: str) -> tuple[str, ...]:
    flags = ["pk"] if re.search(r"primary_key:\s*true", rest) else []
    unique = re.search(r"(?<!index: \{ )\bunique:\s*true|index:\s*\{[^}]*unique:\s*true", rest)
    return (*flags, "unique") if unique else tuple(flags)


def _reference(name: str, rest: str) -> list[Column]:
    if re.search(r"polymorphic:\s*(?:true|\{)", rest):
        return [Column(f"{name}_type", "string"), Column(f"{name}_id", "bigint")]
    target = re.search(r"to_table:\s*[:\"'](\w+)", rest)
    linked = target is not None or re.search(r"foreign_key:\s*true", rest)
    flags = (f"→{target[1] if target else plural(name)}",) if linked else ()
    kind = re.search(r"\btype:\s*:(\w+)", rest)
    return [Column(f"{name}_id", kind[1] if kind else "bigint", (*_flags(rest), *flags))]


def _dropped(table: str, method: str, rest: str) -> list[Change]:
    names = _NAME.findall(rest)
    if method == "remove":
        return [Change("remove", table, tuple(Column(name) for name in names))]
    if method == "rename" and len(names) > 1:
        return [Change("column", table, (Column(names[0]), Column(names[1])))]
    return []


def _join(names: list[str]) -> str:
    return "_".join(sorted(names[:2]))


def _line(call: str, rest: str) -> Iterator[Change]:
    names = _NAME.findall(re.split(r",\s*\w+:\s", rest)[0])
    if not names:
        return
    table, *others = names
    if call in ("add_column", "change_column") and len(others) > 1:
        yield Change("add", table, (Column(others[0], _kind(others[1], rest), _flags(rest)),))
    elif call in ("remove_column", "remove_columns") and others:
        gone = others[:1] if call == "remove_column" else others
        yield Change("remove", table, tuple(Column(name) for name in gone))
    elif call == "rename_column" and len(others) > 1:
        yield Change("column", table, (Column(others[0]), Column(others[1])))
    elif call == "rename_table" and others:
        yield Change("rename", table, also=(others[0],))
    elif call == "drop_table":
        yield Change("drop", table)
    elif call in ("add_reference", "add_belongs_to") and others:
        yield Change("add", table, tuple(_reference(others[0], rest)))
    elif call == "remove_reference" and others:
        yield Change("remove", table, (Column(f"{others[0]}_id"),))
    else:
        yield from _keyed(call, table, others, rest)


def _keyed(call: str, table: str, others: list[str], rest: str) -> Iterator[Change]:
    if call == "add_foreign_key" and others:
        own = re.search(r"column:\s*[:\"'](\w+)", rest)
        column = own[1] if own else f"{_singular(others[0])}_id"
        yield Change("add", table, (Column(column, "", (f"→{others[0]}",)),))
    elif call == "add_index" and re.search(r"unique:\s*true", rest):
        columns = [Column(others[0])] if len(others) == 1 else []
        also = rule(columns, others, "unique")
        yield Change("add", table, tuple(columns), also=also)
    elif call == "add_timestamps":
        yield Change(
            "add", table, (Column("created_at", "timestamp"), Column("updated_at", "timestamp"))
        )
    elif call == "create_enum":
        yield Change("enum", table, also=tuple(others))
    elif call == "create_join_table" and others:
        pair = [table, others[0]]
        yield Change(
            "create", _join(pair), tuple(Column(f"{_singular(name)}_id", "bigint") for name in pair)
        )


def _singular(name: str) -> str:
    ends = ((r"ies\Z", "y"), (r"(s|x|ch|sh)es\Z", r"\1"), (r"s\Z", ""))
    return next(
        (re.sub(pattern, to, name) for pattern, to in ends if re.search(pattern, name)), name
    )
