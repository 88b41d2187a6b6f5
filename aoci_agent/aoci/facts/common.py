"""Facts that look alike in every language: environment keys, SQL tables, called paths, events."""

import re
from collections.abc import Iterable, Mapping

MAX_ITEMS = 24

_ENV = re.compile(
    r"""(?:environ(?:\.get|\.setdefault|\.pop)?\s*[\[(]|getenv\s*\(|env::var\s*\(|LookupEnv\s*\(
    |Getenv\s*\(|ENV\s*\[|env\.(?:get|str|bool|int)\s*\()\s*["'](?P<quoted>[A-Z][A-Z0-9_]{2,})["']
    |(?:process\.env|import\.meta\.env)(?:\.|\[["'])(?P<member>[A-Z][A-Z0-9_]{2,})
    |\benv:"(?P<tag>[A-Z][A-Z0-9_]{2,})""",
    re.VERBOSE,
)
_SQL = re.compile(
    r"""\b(?:(?P<read>FROM|JOIN)|(?P<write>INSERT\s+INTO|UPDATE|DELETE\s+FROM|REPLACE\s+INTO)
    |(?P<ddl>CREATE\s+TABLE(?:\s+IF\s+NOT\s+EXISTS)?|ALTER\s+TABLE|DROP\s+TABLE(?:\s+IF\s+EXISTS)?))
    \s+["`\[]?(?:\w+["`\]]?\.["`\[]?)?(?P<table>[a-zA-Z_]\w{2,})["`\]]?(?=[\s;,()"'`]|$)""",
    re.VERBOSE,
)
# Upper-case keywords alone also occur in prose; a statement has one of these shapes around it.
_STATEMENT = re.compile(
    r"\bSELECT\b[^;]{1,400}?\bFROM\b|\bINTO\b|\bSET\b|\bTABLE\b|\bDELETE\s+FROM\b"
)
_STRING = re.compile(
    r"\"\"\"(?:[^\\]|\\.)*?\"\"\"|`[^`]*`|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
)
_NOT_TABLES = frozenset({"set", "the", "select", "where", "values", "table", "only", "unnest"})
_CALL = re.compile(
    r"""(?:\b(?:fetch|axios|request|http|api|client|ky|got)\w*(?:\.\w+)?(?:<[^<>()]*(?:<[^<>]*>)?[^<>()]*>)?\(\s*
    |\b(?:path|url)\s*:\s*)[`"'](?:\$\{[^}]*\})?(?P<path>/(?:api|v\d|[\w-]+/)[^`"'\s?]*)""",
    re.VERBOSE | re.IGNORECASE,
)
_EVENT = re.compile(
    r"""(?:\.(?P<verb>publish|emit|subscribe|Publish|Subscribe|send_task)
    \(\s*(?:\w+\s*,\s*)?["'](?P<name>[\w.:/-]{3,60})["'])""",
    re.VERBOSE,
)
_ROUTE_VARIABLE = re.compile(r"\$\{[^}]*\}")
_CHAIN = re.compile(
    r"(?<!from )(?<!import )(?<![\w$.])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+", re.ASCII
)
_MEMBER = re.compile(r"\.([A-Za-z_]\w{2,})\(")


def unique(items: Iterable[str], limit: int = MAX_ITEMS) -> tuple[str, ...]:
    """Items in first-seen order, without repetition or blanks, at most `limit`."""
    return tuple(dict.fromkeys(item for item in items if item))[:limit]


def env_keys(text: str) -> tuple[str, ...]:
    """Names of environment variables the code reads."""
    if "nv" not in text and "NV" not in text:
        return ()
    return unique(sorted({m["quoted"] or m["member"] or m["tag"] for m in _ENV.finditer(text)}))


def sql_tables(text: str, *, whole: bool = False) -> tuple[str, ...]:
    """Tables named in SQL statements, `name r`, `name w` or `name ddl`; `whole` for .sql files."""
    upper = text.upper() if whole else text
    if not whole and "FROM" not in upper and "INTO" not in upper and "UPDATE" not in upper:
        return ()
    pieces = [text] if whole else [m[0] for m in _STRING.finditer(text) if _STATEMENT.search(m[0])]
    access: dict[str, str] = {}
    for piece in pieces:
        for found in _SQL.finditer(_upper_keywords(piece) if whole else piece):
            name = found["table"]
            kind = "w" if found["write"] else "ddl" if found["ddl"] else "r"
            if name.lower() not in _NOT_TABLES and access.get(name) != "w":
                access[name] = kind
    return unique(f"{name} {kind}" for name, kind in sorted(access.items()))


def _upper_keywords(sql: str) -> str:
    words = r"\b(from|join|insert\s+into|update|delete\s+from|create\s+table|if\s+not\s+exists|alter\s+table|drop\s+table|if\s+exists)\b"
    return re.sub(words, lambda found: found[0].upper(), sql, flags=re.IGNORECASE)


def called_paths(text: str) -> tuple[str, ...]:
    """Paths this file requests from an HTTP interface; variables become `*`."""
    return unique(_ROUTE_VARIABLE.sub("*", m["path"]).rstrip("/") for m in _CALL.finditer(text))


def events(text: str) -> tuple[str, ...]:
    """Named events and topics, `publish x` or `subscribe x`."""
    return unique(f"{m['verb'].lower()} {m['name']}" for m in _EVENT.finditer(text))


def chains(text: str) -> Mapping[str, Mapping[str, int]]:
    """What is taken from each dotted name, with counts: `os.path.join` gives os: path, os.path: join."""
    taken: dict[str, dict[str, int]] = {}
    for chain in _CHAIN.findall(text):
        whole, _, last = chain.rpartition(".")
        while whole:
            row = taken.setdefault(whole, {})
            row[last] = row.get(last, 0) + 1
            whole, _, last = whole.rpartition(".")
    return taken


def members(text: str) -> tuple[str, ...]:
    """Names called as `.name(`, sorted."""
    return tuple(sorted(set(_MEMBER.findall(text))))
