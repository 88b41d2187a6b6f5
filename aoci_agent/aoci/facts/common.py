"""Facts that look alike in every language: environment keys, SQL tables, called paths, events."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

MAX_ITEMS = 24

# Patterns that read whole files begin with letters, what must stand before them is looked up behind:
# only then does the search pass quickly over the places where nothing begins.
_ENV = re.compile(
    r"""[nN][vV](?:(?:(?<=env)(?:iron(?:\.get|\.setdefault|\.pop)?\s*[\[(]|::var\s*\(|\.(?:get|str|bool|int)\s*\()
    |(?<=[gG]etenv)\s*\(|(?<=Env)\w*\s*\(|(?<=ENV)\s*\[|(?<=\benv)[A-Z]\w*\s*\()\s*["'](?P<quoted>[A-Z][A-Z0-9_]{2,})["']
    |(?:(?<=process\.env)|(?<=import\.meta\.env))(?:\.|\[["'])(?P<member>[A-Z][A-Z0-9_]{2,}|npm_\w+)
    |(?<=\benv):"(?P<tag>[A-Z][A-Z0-9_]{2,}))""",
    re.VERBOSE,
)
_SQL = re.compile(
    r"""\b(?:(?P<read>FROM|JOIN)
    |(?P<write>INSERT\s+(?:IGNORE\s+)?INTO|(?<!KEY\ )(?<!FOR\ )(?<!ON\ )UPDATE|DELETE\s+FROM|REPLACE\s+INTO)
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
_PATH = re.compile(
    r"""[`"'](?P<base>\$\{[^}`"'\n]*\})?(?P<path>/(?:api|v\d|[\w-]+/)[^`"'\s?]*|/[\w-]{3,}(?=[`"'?]))""",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"""(?:(?:\b(?:axios|request|http|api|client|ky|got)|fetch)\w*(?:\.(?P<verb>\w+))?
    (?:<[^<>()]*(?:<[^<>]*>)?[^<>()]*>)?\(|\b(?:path|url)\s*:)\s*\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_BEFORE = 120  # characters before a path in which the call that takes it begins
_VERBS = frozenset(("get", "post", "put", "patch", "delete"))
_EVENT = re.compile(
    r"""(?:\.(?P<verb>publish|emit|subscribe|Publish|Subscribe|send_task)
    \(\s*(?:\w+\s*,\s*)?["'](?P<name>[\w.:/-]{3,60})["'])""",
    re.VERBOSE,
)
_SUBSTITUTED = re.compile(r"\$\{([A-Z][A-Z0-9_]{2,})")
_ROUTE_VARIABLE = re.compile(r"\$\{[^}]*\}")
_CHAIN = re.compile(
    r"[A-Za-z_$](?<![\w$.].)(?<!from .)(?<!import .)[\w$]*+(?:\.[A-Za-z_$][\w$]*+)++",
    re.ASCII | re.DOTALL,
)
_MEMBER = re.compile(r"\.([A-Za-z_]\w{2,})\(")


def unique(items: Iterable[str], limit: int = MAX_ITEMS) -> tuple[str, ...]:
    """Items in first-seen order, without repetition or blanks, at most `limit`."""
    return tuple(dict.fromkeys(item for item in items if item))[:limit]


def env_keys(text: str) -> tuple[str, ...]:
    """Names of environment variables the code reads."""
    if "env" not in text and "Env" not in text and "ENV" not in text:
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


_DONE = (("INS", "insert"), ("REP", "insert"), ("UPD", "update"), ("DEL", "delete"))


def sql_steps(code: str) -> list[tuple[int, str]]:
    """Where statements touch tables and lock rows: (position, `insert users`)."""
    if "FROM" not in code and "INTO" not in code and "UPDATE" not in code:
        return []
    steps: list[tuple[int, str]] = []
    for piece in _STRING.finditer(code):
        if not _STATEMENT.search(piece[0]):
            continue
        for found in _SQL.finditer(piece[0]):
            if found["table"].lower() in _NOT_TABLES:
                continue
            verb = next(
                (told for key, told in _DONE if (found["write"] or "").startswith(key)), "select"
            )
            steps.append((piece.start() + found.start(), f"{verb} {found['table']}"))
        if "FOR UPDATE" in piece[0]:
            steps.append((piece.end(), "FOR UPDATE"))
    return steps


def _upper_keywords(sql: str) -> str:
    words = r"\b(from|join|insert\s+into|update|delete\s+from|create\s+table|if\s+not\s+exists|alter\s+table|drop\s+table|if\s+exists)\b"
    return re.sub(words, lambda found: found[0].upper(), sql, flags=re.IGNORECASE)


def substituted(text: str) -> tuple[str, ...]:
    """`${NAME}` as compose files, templates and server configuration write them."""
    return unique(_SUBSTITUTED.findall(text))


def called_paths(text: str) -> tuple[str, ...]:
    """Paths this file requests from an HTTP interface, after the verb where the call names one.

    Variables become `*`.
    """
    return unique(_called(text), 60)


def _called(text: str) -> Iterator[str]:
    for found in _PATH.finditer(text):
        asks = _ASKS.search(text, max(found.start() - _BEFORE, 0), found.start())
        if asks and (not found["base"] or found[0][0] == "`"):
            verb = (asks["verb"] or "").lower()
            path = _ROUTE_VARIABLE.sub("*", found["path"]).rstrip("/")
            yield f"{verb.upper()} {path}" if verb in _VERBS else path


def events(text: str) -> tuple[str, ...]:
    """Named events and topics, `publish x` or `subscribe x`."""
    return unique(f"{m['verb'].lower()} {m['name']}" for m in _EVENT.finditer(text))


def chains(text: str) -> Mapping[str, Mapping[str, int]]:
    """What is taken from each dotted name, with counts: `os.path.join` gives os: path, os.path: join."""
    taken: dict[str, dict[str, int]] = {}
    for chain, count in Counter(_CHAIN.findall(text)).items():
        whole, _, last = chain.rpartition(".")
        while whole:
            row = taken.setdefault(whole, {})
            row[last] = row.get(last, 0) + count
            whole, _, last = whole.rpartition(".")
    return taken


def members(text: str) -> tuple[str, ...]:
    """Names called as `.name(`, sorted."""
    return tuple(sorted(set(_MEMBER.findall(text))))
