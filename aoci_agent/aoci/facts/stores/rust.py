"""Diesel's `table!` and SeaORM's models."""

import re

from aoci_agent.aoci.facts.stores.brackets import closing, inside, without_comments
from aoci_agent.aoci.facts.stores.record import Change, Column, flag

_TABLE = re.compile(r"\btable!\s*\{")
_NAME = re.compile(
    r"(?:#\[sql_name\s*=\s*\"(?P<sql>\w+)\"\]\s*)?(?:(?P<schema>\w+)\s*\.\s*)?(?P<name>\w+)\s*(?:\((?P<key>[^)]*)\))?\s*(?=\{)"
)
_COLUMN = re.compile(
    r"(?:#\[sql_name\s*=\s*\"(\w+)\"\]\s*)?(?:#\[[^\]]*\]\s*)*(\w+)\s*->\s*([\w:<>]+)"
)
_JOIN = re.compile(r"\bjoinable!\(\s*(\w+)\s*->\s*(\w+)\s*\((\w+)\)")
_SEA = re.compile(
    r"#\[sea_orm\([^\]]*?table_name\s*=\s*\"(\w+)\"[^\]]*\]\s*pub\s+struct\s+\w+\s*(?=\{)"
)
_SEA_FIELD = re.compile(r"((?:#\[[^\]]*\]\s*)*)pub\s+(?:r#)?(\w+)\s*:\s*([\w:<>]+)")


def tables(text: str) -> list[Change]:
    """Tables of both, with the joins Diesel declares."""
    text = without_comments(text)
    changes = [
        _diesel(text[found.end() : closing(text, found.end() - 1)])
        for found in _TABLE.finditer(text)
    ]
    found = [change for change in changes if change is not None]
    for child, parent, key in _JOIN.findall(text):
        for place, change in enumerate(found):
            if change.alias == child:
                columns = list(change.columns)
                flag(columns, [key], f"→={parent}")
                found[place] = change._replace(columns=tuple(columns))
    return found + [_sea(match[1], inside(text, match.end())) for match in _SEA.finditer(text)]


def _diesel(body: str) -> Change | None:
    body = re.sub(r"\buse\s+[^;]*;", "", body)
    named = _NAME.search(body)
    if not named or named["schema"] in ("information_schema", "pg_catalog"):
        return None
    columns = [
        Column(sql or name, _bare(kind))
        for sql, name, kind in _COLUMN.findall(inside(body, named.end()))
    ]
    flag(columns, re.findall(r"\w+", named["key"] or "id"), "pk")
    table = named["sql"] or named["name"]
    schema = f"{named['schema']}." if named["schema"] not in (None, "public") else ""
    return Change("model", f"{schema}{table}", tuple(columns), named["name"], "diesel")


def _bare(kind: str) -> str:
    return re.sub(r"\A(?:(?:Nullable|Option)<)+|>+\Z", "", kind).rsplit("::", 1)[-1].lower()


def _sea(table: str, body: str) -> Change:
    columns: list[Column] = []
    for marks, name, kind in _SEA_FIELD.findall(body):
        stored = re.search(r"column_name\s*=\s*\"(\w+)\"", marks)
        flags = ["pk"] if "primary_key" in marks else []
        flags += ["unique"] if re.search(r"\bunique\b", marks) else []
        columns.append(Column(stored[1] if stored else name, _bare(kind), tuple(flags)))
    return Change("model", table, tuple(columns), "", "seaorm")
