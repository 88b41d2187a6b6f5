"""SQL facts, by regular expressions: any dialect, damaged statements included."""

import re
from collections.abc import Iterator
from itertools import islice

from aoci_agent.aoci.facts import common, prose, secrets
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import told

_NAME = r"(?:[\"`\[]?[\w$]+[\"`\]]?[ \t]*\.[ \t]*){0,2}[\"`\[]?(?P<NAME>[\w$]+)[\"`\]]?"


def _named(group: str) -> str:
    """A name with its schema, quoted in any dialect's way."""
    return _NAME.replace("NAME", group)


_CREATED = re.compile(
    rf"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL|VIRTUAL|FOREIGN|DEFINER\s*=\s*\S+)\s+){{0,3}}"
    rf"TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?{_named('table')}\s*\(", re.IGNORECASE,
)  # fmt: skip
_OTHER = re.compile(
    rf"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:UNIQUE|MATERIALIZED|TEMP|TEMPORARY|FULLTEXT|RECURSIVE|DEFINER\s*=\s*\S+)\s+){{0,3}}"
    rf"(?P<kind>VIEW|FUNCTION|PROCEDURE|TRIGGER|TYPE|SEQUENCE|EVENT|EXTENSION|DATABASE|SCHEMA|ROLE|USER|POLICY|DOMAIN)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?!IF\b){_named('name')}",
    re.IGNORECASE,
)  # fmt: skip
_INDEX = re.compile(
    r"\bCREATE\s+(?:UNIQUE\s+|FULLTEXT\s+|SPATIAL\s+)?INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?[\"`\[]?([\w$]+)[\"`\]]?\s+ON\s+(?:ONLY\s+)?[\"`\[]?([\w$.]+)",
    re.IGNORECASE,
)  # fmt: skip
_ALTER = re.compile(
    rf"\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?{_named('table')}\s([^;]{{0,4000}})",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(ADD|DROP|MODIFY|CHANGE|RENAME|ALTER)\s+(?:COLUMN\s+|TO\s+|INDEX\s+|KEY\s+|UNIQUE\s+(?:INDEX\s+|KEY\s+)?|CONSTRAINT\s+|FOREIGN\s+KEY\s+|PRIMARY\s+KEY)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?[\"`\[]?([A-Za-z_][\w$]*)?",
    re.IGNORECASE,
)  # fmt: skip
_STRING = re.compile(r"--[^\n]*|/\*(?:.*?\*/|.*\Z)|'(?:[^'\\]|''|\\.)*(?:'|\Z)", re.DOTALL)
_NO_COLUMN = re.compile(
    r"(?:PRIMARY|FOREIGN|UNIQUE|KEY|INDEX|CONSTRAINT|CHECK|FULLTEXT|SPATIAL|EXCLUDE|LIKE|PERIOD)\b",
    re.I,
)
_DIALECTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("MySQL", re.compile(r"\bENGINE\s*=|AUTO_INCREMENT|\bDELIMITER\b|`\w+`", re.I)),
    (
        "PostgreSQL",
        re.compile(r"\bSERIAL\b|\bBIGSERIAL\b|\bJSONB\b|::\w+|\$\$|TIMESTAMPTZ|plpgsql", re.I),
    ),
    ("SQL Server", re.compile(r"\bNVARCHAR\b|\bIDENTITY\s*\(|^GO$|\[dbo\]", re.I | re.M)),
    ("SQLite", re.compile(r"\bAUTOINCREMENT\b|\bPRAGMA\b", re.I)),
    ("Oracle", re.compile(r"\bVARCHAR2\b|\bNUMBER\s*\(", re.I)),
    ("ClickHouse", re.compile(r"\bMergeTree\b")),
)
_COLUMNS = 40  # of one table
_TABLES = 200
_KEPT = 12_000  # characters of one definition


def sql(source: Source) -> Facts:
    """SQL scripts, schemas and migrations."""
    lines = [line for line in source.lines[:80] if not line.startswith("/*!")]
    comments = prose.clean(prose.leading_comment(lines, ("--", "/*", "*")))
    text = _STRING.sub(lambda found: "''" if found[0][0] == "'" else " ", source.text)
    shapes = list(_tables(text))
    created = [shape[6:].partition("{")[0] for shape in shapes]
    access = common.sql_tables(text, whole=True)
    others = [f"{m['kind'].lower()} {m['name']}" for m in _OTHER.finditer(text)]
    indexes = [f"{name} on {table.split('.')[-1]}" for name, table in _INDEX.findall(text)]
    notes = [
        *told(f"creates {len(created)} tables" if len(created) > 8 else "creates", created if len(created) > 2 else (), 60),
        *told("changes", (said for table, said in _changes(text) if table not in created), 10), *told("defines", others), *told("indexes", indexes, 6),
        *told("dialect", [name for name, sign in _DIALECTS if len(created) > 4 and sign.search(text)][:1]),
    ]  # fmt: skip
    known = {f"{name} ddl" for name in created}
    tables = tuple(item for item in access if item not in known and _is_table(item.split(" ")[0]))
    return Facts(
        "sql",
        doc=secrets.masked(comments),
        notes=tuple(notes),
        tables=tables,
        shapes=common.unique(shapes, _TABLES),
    )


def _is_table(name: str) -> bool:
    return not re.match(
        r"(?:CURRENT_TIMESTAMP|COLUMNS|STATISTICS|TABLES|information_schema|DUAL|KEY_COLUMN_USAGE|TABLE_CONSTRAINTS|sqlite_master|pg_\w+)\Z",
        name,
        re.I,
    )


def _tables(text: str) -> Iterator[str]:
    """`table name{column,column}` for every CREATE TABLE with a list of columns."""
    for found in islice(_CREATED.finditer(text), _TABLES):
        columns = list(_columns(text[found.end() : found.end() + _KEPT]))
        yield f"table {found['table']}{{{','.join(columns[:_COLUMNS])}}}"


def _columns(body: str) -> Iterator[str]:
    depth, start = 0, 0
    for mark in re.finditer(r"[(),;]", body):
        if mark[0] == "(":
            depth += 1
        elif mark[0] == ",":
            if depth == 0:
                yield from _column(body[start : mark.start()])
                start = mark.end()
        elif depth == 0:
            yield from _column(body[start : mark.start()])
            return
        else:
            depth -= 1


def _column(part: str) -> Iterator[str]:
    bare = part.strip()
    name = re.match(r"[\"`\[]?([A-Za-z_\u0080-\uffff][\w$]*)", bare)
    if name and (bare[0] in '"`[' or not _NO_COLUMN.match(bare)):
        yield name[1]


def _changes(text: str) -> Iterator[tuple[str, str]]:
    """`users +email -age`: columns and keys an ALTER TABLE adds, drops, changes."""
    signs = {"ADD": "+", "DROP": "-", "RENAME": "~", "MODIFY": "~", "CHANGE": "~", "ALTER": "~"}
    grouped: dict[str, list[str]] = {}
    for found in _ALTER.finditer(text):
        row = grouped.setdefault(found["table"], [])
        row += [
            f"{signs[verb.upper()]}{name}"
            for verb, name in _CHANGE.findall(found[2])
            if name
            and name.upper()
            not in ("COLUMN", "DEFAULT", "NOT", "NULL", "REFERENCES", "USING", "BY")
        ]
    for table, row in grouped.items():
        yield table, " ".join((table, *dict.fromkeys(row[:12])))
