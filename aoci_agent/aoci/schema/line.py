"""One table as one line: every column by name, the telling ones with a word."""

import re

from aoci_agent.aoci.facts.stores.record import Column
from aoci_agent.aoci.model import TableEntry
from aoci_agent.aoci.schema.replay import Table

_SECRET = re.compile(
    r"passw(?:or)?d|pwd|secret|private_?key|api_?key(?!_(?:id|name))|(?:access|refresh|id|auth|reset)_?token\Z|token_?hash|\bsalt\b",
    re.IGNORECASE,
)
_NOT_SECRET = re.compile(r"_(?:at|id|count|name|type|expires\w*|enabled)\Z|(?:At|Id|Count)\Z")
_SOFT = re.compile(
    r"(?:deleted_?at|is_?deleted|deleted|date_?deleted|removed_?at)\Z", re.IGNORECASE
)
_MADE = re.compile(
    r"(?:created|inserted)(?:_?(?:at|on|time|date))?\Z|(?:create|gmt_create)_?(?:time|at|date)\Z",
    re.I,
)
_CHANGED = re.compile(
    r"(?:updated|modified|changed)(?:_?(?:at|on|time|date))?\Z|update_?(?:time|at|date)\Z", re.I
)
_TENANT = re.compile(
    r"(?:tenant|org|organi[sz]ation|team|workspace|company|account)_?id\Z", re.IGNORECASE
)
_LOG = re.compile(
    r"(?:logs?|histor(?:y|ies)|audits?|events?|activit(?:y|ies)|transactions?|records?|executions?|migrations?)\Z|blacklist",
    re.I,
)
_SETTING = re.compile(
    r"(?:configs?|configurations?|settings?|options?|preferences?|params?)(?:_simple)?\Z",
    re.IGNORECASE,
)
_DICTIONARY = re.compile(
    r"(?:types?|categor(?:y|ies)|status(?:es)?|roles?|permissions?|countr(?:y|ies)|currenc(?:y|ies)|dict\w*|lookups?|levels?)\Z",
    re.I,
)
_GUID = frozenset(("uuid", "guid", "uniqueidentifier", "objectid", "ulid", "cuid"))
_ENUM_LENGTH = 600


def entry_of(table: Table, domain: str) -> TableEntry:
    """The entry of a table whose defining file belongs to module `domain`."""
    schema, _, name = table.name.rpartition(".")
    columns = list(table.columns.values())
    fields = ", ".join([*map(_shown, columns), *table.rules])
    name = re.sub(r"\s", "_", name)
    return TableEntry(
        name, domain, _kind(name, columns, table.rules), "?", _features(table), fields, schema
    )


def _shown(column: Column) -> str:
    """The name and what is worth a word: key, uniqueness, target, values, shape, secrecy."""
    words = [flag for flag in ("pk", "unique") if flag in column.flags]
    words += [_short(flag) for flag in column.flags if flag[:1] == "→"]
    words += [_short(flag) for flag in column.flags if flag.startswith("enum(")]
    if column.type.startswith("json"):
        words.append("json")
    if _SECRET.search(column.name) and not _NOT_SECRET.search(column.name):
        words.append("secret")
    if _SOFT.search(column.name):
        words.append("soft-delete")
    return " ".join((column.name, *dict.fromkeys(words)))


def _short(flag: str) -> str:
    flag = " ".join(flag.replace(",", " ").split())  # a comma parts columns
    return flag if len(flag) <= _ENUM_LENGTH else f"{flag[:_ENUM_LENGTH].rpartition('¦')[0]}¦…)"


def _points(column: Column) -> bool:
    return any(flag.startswith("→") for flag in column.flags)


def _kind(name: str, columns: list[Column], rules: list[str]) -> str:
    """M main, A association, L log, C configuration, D dictionary."""
    keys = {column.name for column in columns if _points(column)}
    plain = [
        column
        for column in columns
        if not _points(column) and "pk" not in column.flags and not _dated(column.name)
    ]
    together = [set(re.findall(r"\w+", rule)[1:]) for rule in rules]
    together.append({column.name for column in columns if "pk" in column.flags})
    joined = any(len(keys & names) >= 2 for names in together)
    if len(keys) >= 2 and len(plain) <= (4 if joined else 2):
        return "A"
    if _LOG.search(name):
        return "L"
    if _SETTING.search(name):
        return "C"
    return "D" if _DICTIONARY.search(name) and not keys else "M"


def _dated(name: str) -> bool:
    return bool(_MADE.match(name) or _CHANGED.match(name))


def _features(table: Table) -> tuple[str, ...]:
    columns = table.columns.values()
    names = [column.name for column in columns]
    key = [column for column in columns if "pk" in column.flags]
    found = (
        ("GUID", len(key) == 1 and key[0].type in _GUID),
        ("SOFT", any(map(_SOFT.search, names))),
        ("TS", any(map(_MADE.match, names)) and any(map(_CHANGED.match, names))),
        ("TREE", any(f"→{table.name}" in column.flags for column in columns)),
        ("JSON", any(column.type.startswith("json") for column in columns)),
        ("ENUM", any(flag.startswith("enum(") for column in columns for flag in column.flags)),
        ("TENANT", any(map(_TENANT.match, names))),
        ("DOC", table.source == "mongoose"),
    )
    return tuple(word for word, applies in found if applies)
