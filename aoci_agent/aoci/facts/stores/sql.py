"""Tables in SQL: scripts and migrations in the spellings of MySQL, PostgreSQL and SQLite."""

import re
from collections.abc import Callable, Iterator, Mapping

from aoci_agent.aoci.facts.stores.record import Change, Column, enum, flag, rule

_TEXT = r"'(?:[^'\\]|\\.|'')*'"
_NAME = r"(?:\"[^\"]+\"|`[^`]+`|\[[^\]]+\]|[^\W\d][\w$]*)"
_PATH = rf"{_NAME}(?:\s*\.\s*{_NAME}){{0,2}}"
_COMMENT = re.compile(
    rf"(?P<keep>{_TEXT}|\"[^\"]*\"|`[^`]*`)|--[^\n]*|/\*[\s\S]*?\*/|^\s*\#[^\n]*", re.MULTILINE
)
_DOWN = re.compile(r"^--\s*(?:\+goose|\+migrate|migrate:)\s*down\b", re.IGNORECASE | re.MULTILINE)
_HEAD = re.compile(
    rf"""(?P<text>{_TEXT})|\b(?:
    CREATE\s+(?:(?:OR\s+REPLACE|GLOBAL|LOCAL|UNLOGGED|FOREIGN|(?P<temp>TEMP|TEMPORARY))\s+)*TABLE\s+
      (?:IF\s+NOT\s+EXISTS\s+)?(?P<create>{_PATH})\s*(?=\()
    |ALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(?P<alter>{_PATH})
    |DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?P<drop>{_PATH}(?:\s*,\s*{_PATH})*)
    |RENAME\s+TABLE\s+(?P<rename>{_PATH}\s+TO\s+{_PATH}(?:\s*,\s*{_PATH}\s+TO\s+{_PATH})*)
    |CREATE\s+TYPE\s+(?P<type>{_PATH})\s+AS\s+ENUM\s*(?=\()
    |ALTER\s+TYPE\s+(?P<grown>{_PATH})\s+ADD\s+VALUE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<value>{_TEXT})
    |CREATE\s+(?:OR\s+REPLACE\s+|ALGORITHM\s*=\s*\w+\s+|DEFINER\s*=\s*\S+\s+|SQL\s+SECURITY\s+\w+\s+
      |MATERIALIZED\s+)*VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<view>{_PATH})
    |CREATE\s+UNIQUE\s+INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?(?:{_NAME}\s+)?ON\s+
      (?:ONLY\s+)?(?P<index>{_PATH})\s*(?:USING\s+\w+\s*)?(?=\()
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_MARK = re.compile(rf"{_TEXT}|\"[^\"]*\"|`[^`]*`|[(),;]")
_CONSTRAINT = re.compile(
    rf"(?:CONSTRAINT\s+(?:(?!(?:PRIMARY|UNIQUE|FOREIGN|CHECK)\b){_NAME}\s+)?)?"
    r"(?P<kind>PRIMARY\s+KEY|UNIQUE|FOREIGN\s+KEY|CHECK|KEY|INDEX|FULLTEXT|SPATIAL|EXCLUDE|LIKE|PERIOD"
    r"|PARTITION|PROJECTION)\b(?!\s*[\"`]?\s*(?:VARCHAR|CHAR|TEXT|INT|INTEGER|BIGINT|UUID|BLOB|BYTEA|JSONB?|BOOLEAN)\b)",
    re.IGNORECASE,
)
_COLUMN = re.compile(rf"(?P<name>{_NAME})(?:\s+(?P<rest>[\s\S]+))?\Z")
_TYPE = re.compile(rf"(?:{_NAME}\s*\.\s*)?(?P<type>{_NAME})")
_NO_TYPE = re.compile(
    r"(?:NOT|NULL|PRIMARY|UNIQUE|DEFAULT|REFERENCES|CHECK|CONSTRAINT|SET|GENERATED)\b", re.I
)
_REFERENCES = re.compile(rf"\bREFERENCES\s+(?P<table>{_PATH})", re.IGNORECASE)
_ONE_OF = re.compile(
    rf"(?P<name>{_NAME})\)?(?:::\w+)?\s*(?:IN\s*\(|=\s*ANY\s*\(+\s*ARRAY\s*\[)(?P<values>[^()]*)",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"""(?P<verb>ADD|MODIFY|DROP|CHANGE|ALTER|RENAME)\b\s*(?:
    (?P<thing>COLUMN)\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?P<rest>[\s\S]*)\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_OTHER = re.compile(
    r"(?:CONSTRAINT|INDEX|KEY|PRIMARY|FOREIGN|CHECK|PARTITION|DEFAULT|EXPRESSION|IDENTITY)\b"
    r"|(?:ENGINE|COMMENT|AUTO_INCREMENT|ROW_FORMAT|OWNER|ENABLE|DISABLE|SET|CONVERT|VALIDATE|ATTACH)\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"\s*(?:ALTER|CREATE|DROP|RENAME)\s", re.IGNORECASE)
_IN_CODE = re.compile(
    rf"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?{_PATH}\s*\(|(?P<quote>\"\"\"|'''|[\"'`])\s*"
    r"(?P<rest>(?:(?:ALTER|DROP|RENAME)\s+TABLE|CREATE\s+UNIQUE\s+INDEX)\b[\s\S]{0,4000}?)(?P=quote)",
    re.IGNORECASE,
)
_JOINT = re.compile(r"(?<!\\)\"[^\S\n]*+[+.]?[^\S\n]*+\n\s*+[+.]?\s*+f?\"(?!\")")

_FOLLOWING = re.compile(r"\b(?:ALTER|CREATE|DROP)\s+TABLE\s", re.IGNORECASE)
_LONGEST = 20_000  # characters of a statement
_MOST = 5_000  # statements of a file


def script(text: str) -> list[Change]:
    """Every definition and change in a script, in order; the way down of a migration left out."""
    down = _DOWN.search(text)
    text = text[: down.start()] if down else text
    text = text.replace("--> statement-breakpoint", ";")
    return list(_changes(_COMMENT.sub(lambda found: found["keep"] or " ", text)))


def in_code(text: str) -> list[Change]:
    """Statements in the strings of a program."""
    text = _JOINT.sub(" ", text)
    changes: list[Change] = []
    for found in _IN_CODE.finditer(text):
        if found["rest"]:
            changes += _changes(found["rest"])
            continue
        statement = text[found.start() : _end(text, found.end() - 1) + 1].replace("\\n", " ")
        made = script(statement.replace('\\"', '"'))[:1]
        changes += [change for change in made if any(column.type for column in change.columns)]
    return changes


def _changes(text: str) -> Iterator[Change]:
    left = _MOST
    for found in _HEAD.finditer(text):
        kind = found.lastgroup or ""
        if kind != "text":
            left -= 1
            if left < 0:
                return
            yield from _READERS[kind](found, text)
        elif _STATEMENT.match(found[0][1:-1]):  # prepared for later
            yield from _changes(found[0][1:-1].replace("''", "'"))


def _created(found: re.Match[str], text: str) -> Iterator[Change]:
    if not found["temp"]:
        yield _create(name_of(found["create"]), _bracketed(text, found.end()))


def _altered(found: re.Match[str], text: str) -> Iterator[Change]:
    yield from _alter(name_of(found["alter"]), _statement(text, found.end()))


def _dropped(found: re.Match[str], _text: str) -> Iterator[Change]:
    yield from (Change("drop", name_of(name)) for name in found["drop"].split(","))


def _renamed(found: re.Match[str], _text: str) -> Iterator[Change]:
    for pair in found["rename"].split(","):
        old, new = re.split(r"\s+TO\s+", pair.strip(), flags=re.IGNORECASE)
        yield Change("rename", name_of(old), also=(name_of(new),))


def _typed(found: re.Match[str], text: str) -> Iterator[Change]:
    yield Change("enum", name_of(found["type"]), also=tuple(_values(_bracketed(text, found.end()))))


def _grown(found: re.Match[str], _text: str) -> Iterator[Change]:
    yield Change("enum", name_of(found["grown"]), also=("+", *_values(found["value"])))


def _viewed(found: re.Match[str], _text: str) -> Iterator[Change]:
    yield Change("view", name_of(found["view"]))


def _indexed(found: re.Match[str], text: str) -> Iterator[Change]:
    names = _names(_bracketed(text, found.end()))
    yield from _add(name_of(found["index"]), [Column(name) for name in names[:1]], names)


_READERS: Mapping[str, Callable[[re.Match[str], str], Iterator[Change]]] = {
    "create": _created,
    "alter": _altered,
    "drop": _dropped,
    "rename": _renamed,
    "type": _typed,
    "value": _grown,
    "view": _viewed,
    "index": _indexed,
}


def _add(table: str, columns: list[Column], unique: list[str]) -> Iterator[Change]:
    """A uniqueness said apart from the columns it is about."""
    if unique:
        also = rule(columns, unique, "unique")
        yield Change("add", table, () if also else tuple(columns), also=also)


def name_of(path: str) -> str:
    """`"public"."users"` -> `users`; a schema that is no default is kept: `auth.users`."""
    names = [part.strip().strip('"`[]') for part in re.split(r"\s*\.\s*", path.strip())]
    schema = names[-2] if len(names) > 1 else ""
    return names[-1] if schema.lower() in ("", "public", "dbo", "main") else f"{schema}.{names[-1]}"


def _end(text: str, start: int) -> int:
    """Where the bracket at `start` closes."""
    depth = 0
    end = min(start + _LONGEST, len(text))
    for found in _MARK.finditer(text, start, end):
        depth += (found[0] == "(") - (found[0] == ")")
        if depth == 0:
            return found.start()
    return end


def _bracketed(text: str, start: int) -> str:
    return text[start + 1 : _end(text, start)]


def _statement(text: str, start: int) -> str:
    following = _FOLLOWING.search(text, start, start + _LONGEST)
    end = following.start() if following else start + _LONGEST
    marks = _MARK.finditer(text, start, end)
    return next((text[start : m.start()] for m in marks if m[0] == ";"), text[start:end])


def _items(text: str) -> list[str]:
    items: list[str] = []
    depth = start = 0
    for found in _MARK.finditer(text):
        mark = found[0]
        depth += (mark == "(") - (mark == ")")
        if mark == "," and depth == 0:
            items.append(text[start : found.start()].strip())
            start = found.end()
    return [item for item in (*items, text[start:].strip()) if item]


def _names(text: str) -> list[str]:
    """Column names of a key; none where it holds an expression."""
    found = [
        re.match(rf"({_NAME})(?:\s*\(\d+\))?(?:\s+(?:ASC|DESC)\b)?", item) for item in _items(text)
    ]
    return (
        [match[1].strip('"`[]') for match in found if match]
        if "(" not in re.sub(r"\(\d+\)", "", text)
        else []
    )


def _values(text: str) -> list[str]:
    return [value[1:-1].replace("''", "'") for value in re.findall(_TEXT, text)]


def _create(table: str, body: str) -> Change:
    columns: list[Column] = []
    rules: list[str] = []
    for item in _items(body):
        if _CONSTRAINT.match(item):
            rules += _constrain(columns, item)
        elif column := _column(item):
            columns.append(column)
    return Change("create", table, tuple(columns), also=tuple(rules))


def _column(item: str) -> Column | None:
    found = _COLUMN.match(item)
    if not found:
        return None
    name, rest = found["name"].strip('"`[]'), found["rest"] or ""
    kind = _TYPE.match(rest) if rest and not _NO_TYPE.match(rest) else None
    said = re.sub(rf"\bCOMMENT\s+{_TEXT}", " ", rest, flags=re.IGNORECASE)
    flags = ["pk"] if re.search(r"\bPRIMARY\s+KEY\b", said, re.IGNORECASE) else []
    flags += ["unique"] if re.search(r"\bUNIQUE\b", said, re.IGNORECASE) else []
    if reference := _REFERENCES.search(said):
        flags.append(f"→{name_of(reference['table'])}")
    listed = re.match(r"(?:ENUM|SET)\s*\(", rest, re.IGNORECASE)
    one_of = _ONE_OF.search(said)
    if listed:
        flags += enum(_values(rest[: _end(rest, listed.end() - 1)]))
    elif one_of and one_of["name"].strip('"`[]').lower() == name.lower():
        flags += enum(_values(one_of["values"]))
    return Column(name, kind["type"].strip('"`[]').lower() if kind else "", tuple(flags))


def _constrain(columns: list[Column], item: str) -> tuple[str, ...]:
    """Put a constraint of the table onto its columns; rules over several are returned."""
    found = _CONSTRAINT.match(item)
    kind = found["kind"].upper().split()[0] if found else ""
    start = item.find("(")
    names = _names(item[start + 1 : _end(item, start)]) if start >= 0 else []
    if kind in ("PRIMARY", "UNIQUE"):
        return rule(columns, names, "pk" if kind == "PRIMARY" else "unique")
    if kind == "FOREIGN" and (reference := _REFERENCES.search(item)):
        flag(columns, names, f"→{name_of(reference['table'])}")
    if kind == "CHECK" and (one_of := _ONE_OF.search(item)):
        for word in enum(_values(one_of["values"])):
            flag(columns, [one_of["name"].strip('"`[]')], word)
    return ()


def _alter(table: str, text: str) -> Iterator[Change]:
    verb = ""
    for item in _items(text):
        found = _ACTION.match(item)
        verb = found["verb"].upper() if found else verb
        rest = (found["rest"] if found else item).strip()
        if verb == "ADD":
            yield from _added(table, rest)
        elif not found or (_OTHER.match(rest) and not found["thing"]):
            continue
        elif verb == "DROP" and (name := re.match(_NAME, rest)):
            yield Change("remove", table, (Column(name[0].strip('"`[]')),))
        elif verb == "MODIFY" and (column := _column(rest)):
            yield Change("add", table, (column,))
        elif verb in ("CHANGE", "RENAME", "ALTER"):
            yield from _redefined(table, verb, rest, thing=bool(found["thing"]))


def _added(table: str, rest: str) -> Iterator[Change]:
    if _CONSTRAINT.match(rest):
        mentioned = [
            Column(name)
            for name in _names(rest[rest.find("(") + 1 : _end(rest, max(rest.find("("), 0))])
        ]
        also = _constrain(mentioned, rest)
        if also or any(column.flags for column in mentioned):
            yield Change("add", table, tuple(c for c in mentioned if c.flags), also=also)
        return
    body = rest[1 : _end(rest, 0)] if rest.startswith("(") else rest
    items = _items(body) if rest.startswith("(") else [body]
    columns = [column for item in items if not _OTHER.match(item) and (column := _column(item))]
    if columns:
        yield Change("add", table, tuple(columns))


def _redefined(table: str, verb: str, rest: str, *, thing: bool) -> Iterator[Change]:
    names = re.match(rf"({_NAME})\s+(?:TO\s+)?({_NAME})", rest, re.IGNORECASE)
    if verb == "RENAME":
        target = re.match(rf"(?:TO|AS)\s+({_PATH})\s*\Z", rest, re.IGNORECASE)
        if target and not thing:
            yield Change("rename", table, also=(name_of(target[1]),))
        elif names:
            yield Change("column", table, tuple(Column(n.strip('"`[]')) for n in names.groups()))
    elif verb == "CHANGE" and names:
        old, new = (Column(n.strip('"`[]')) for n in names.groups())
        if old.name.lower() != new.name.lower():
            yield Change("column", table, (old, new))
        if column := _column(rest[names.start(2) :]):
            yield Change("add", table, (column,))
    elif verb == "ALTER":
        kind = re.match(rf"({_NAME})\s+(?:SET\s+DATA\s+)?TYPE\s+([\s\S]+)", rest, re.IGNORECASE)
        if kind and (column := _column(f"{kind[1]} {kind[2]}")):
            yield Change("add", table, (column,))
