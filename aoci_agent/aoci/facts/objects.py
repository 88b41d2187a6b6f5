"""Named groups of values in JavaScript and TypeScript: records, enumerations, constant objects, tables."""

import re

from aoci_agent.aoci.facts.bindings import keys_of
from aoci_agent.aoci.facts.language import Captures

_MANY = 24
_SHAPE_FIELD = re.compile(
    r"^\s*(?:readonly\s+)?[\"']?([A-Za-z_$][\w$-]*)[\"']?\??\s*[:(=,]", re.MULTILINE
)
_ENUM_FIELD = re.compile(
    r"[{,]\s*(?:/[/*][^\n]*\n\s*)*[\"']?([A-Za-z_$][\w$]*)[\"']?(?:\s*=\s*[\"']?([\w.:/ -]{1,30}?)[\"']?)?(?=\s*[,}])"
)
_UNION = re.compile(r"\s*+\|?\s*+(?:[\"'][^\"'|]*[\"']\s*+\|?\s*+)++")
_LITERAL = re.compile(r"[\"']([^\"']+)[\"']")
_TABLE = re.compile(r"\b(?:pg|mysql|sqlite)Table\(\s*[\"'](\w+)[\"']")
_COLUMN = re.compile(r"^\s+(\w+)\s*:\s*\w+\(\s*(?:[\"'](\w+)[\"'])?", re.MULTILINE)
_CONSTANT_OBJECT = re.compile(
    r"^(?:export\s+)?(?:const|\s*static|\s*static\s+readonly)\s+([A-Z][A-Z\d_]{2,40})\s*(?::[^=\n]{1,80})?=\s*(?:Object\.freeze\(\s*)?(?:new\s+Set\(\s*)?([{\[])",
    re.MULTILINE,
)
_PAIR = re.compile(
    r"(?:^|[,{])\s*[\"']?([A-Za-z_$][\w$.-]*)[\"']?\s*:\s*([\"'][^\"'\n]{1,40}[\"']|-?\d[\d_.]*(?:\s*\*\s*[\d_.]+){0,4}|true|false)?",
    re.MULTILINE,
)
_ZOD = re.compile(
    r"^(?:export\s+)?const\s+(\w+)\s*=\s*(?:z|yup|Joi|v|t)\s*\.\s*(object|enum)\(\s*([{\[])",
    re.MULTILINE,
)
_ZOD_FIELD = re.compile(r"^\s+[\"']?(\w+)[\"']?\s*:\s*\w", re.MULTILINE)
_EXPOSED = re.compile(
    r"exposeInMainWorld\(\s*[\"'](\w+)[\"']\s*,\s*\{|\bwindow\.([A-Z]\w+)\s*=\s*\{"
)
_ITEM = re.compile(r"[\"']([^\"'\n]{1,40})[\"']")
_ERROR = re.compile(
    r"^\s*(?:export\s+)?class\s+(\w+)\s+extends\s+(\w*(?:Error|Exception))\b", re.MULTILINE
)
_STATUS = re.compile(
    r"super\([^;]*?,\s*(\d{3})\b|(?:status|statusCode|code)\s*=\s*(\d{3}|[\"']\w+[\"'])|super\(\s*(\d{3})\b"
)


def shapes(found: Captures) -> list[str]:
    """Interfaces, object types and enums with their members; unions of literals with their values."""
    told: list[str] = []
    for captured in found:
        if "shape" not in captured:
            continue
        name = next(
            captured.text(kind)
            for kind in ("interface", "type", "enum", "nested")
            if kind in captured
        )
        body = captured.text("shape")
        if "enum" in captured:
            values = [_member(*pair) for pair in _ENUM_FIELD.findall(body)]
            told += [f"{name}:{'¦'.join(values[:_MANY])}"] if values else []
        elif _UNION.fullmatch(body):
            told.append(f"{name}:{'¦'.join(_LITERAL.findall(body)[:_MANY])}")
        elif body.startswith("{"):
            fields = _SHAPE_FIELD.findall(body.strip("{}").replace(";", "\n"))
            told += [f"{name}{{{','.join(dict.fromkeys(fields[:_MANY]))}}}"] if fields else []
    return told


def _member(key: str, value: str) -> str:
    """A key, with its value where that says something else."""
    bare = re.sub(r"\W|_", "", value).lower()
    return key if not value or bare == key.replace("_", "").lower() else f"{key}={value}"


def constant_objects(code: str) -> list[str]:
    """`NAME:KEY=value¦KEY`: flat objects and lists under a name in capitals."""
    told: list[str] = []
    for found in _CONSTANT_OBJECT.finditer(code):
        body = code[found.end() : found.end() + 2500]
        if found[2] == "[":
            values = _ITEM.findall(body.partition("]")[0])
            flat = "{" not in body.partition("]")[0]
        else:
            end = re.search(r"^\s*\}", body, re.MULTILINE)
            line = body.partition("\n")[0]
            inside = body[: end.start()] if end and "}" not in line else body.partition("}")[0]
            pairs = _PAIR.findall(inside)
            values = [_member(key, value.strip("\"'")) for key, value in pairs]
            flat = True
        if flat and values:
            told.append(f"{found[1]}:{'¦'.join(dict.fromkeys(values[:_MANY]))}")
    return told


def exposed(code: str) -> list[str]:
    """Objects put where other programs of the browser find them, with their members."""
    if "exposeInMainWorld" not in code and "window." not in code:
        return []
    return [
        f"exposes {found[1] or found[2]}{{{','.join(keys[:_MANY])}}}"
        for found in _EXPOSED.finditer(code)
        if (keys := keys_of(code, found.end()))
    ]


def validated(code: str) -> list[str]:
    """Schemas that check input, with their fields or values."""
    told: list[str] = []
    for found in _ZOD.finditer(code) if "object(" in code or "enum(" in code else ():
        body = code[found.end() : found.end() + 2500]
        if found[2] == "enum":
            values = _ITEM.findall(body.partition("]")[0])
            told += [f"{found[1]}:{'¦'.join(values[:_MANY])}"] if values else []
        else:
            end = re.search(r"^\}", body, re.MULTILINE)
            inside = body[: end.start()] if end else body.partition("})")[0]
            fields = _ZOD_FIELD.findall(inside) or re.findall(r"(\w+)\s*:", inside)
            told += [f"{found[1]}{{{','.join(dict.fromkeys(fields[:_MANY]))}}}"] if fields else []
    return told


def error_codes(code: str) -> list[str]:
    """`NotFoundError=404`: error classes with the status or code they carry."""
    if "extends" not in code:
        return []
    places = list(_ERROR.finditer(code))
    told: list[str] = []
    for place, found in enumerate(places):
        after = places[place + 1].start() if place + 1 < len(places) else found.end() + 800
        body = code[found.end() : min(after, found.end() + 800)]
        status = _STATUS.search(body)
        value = next((group for group in status.groups() if group), "") if status else ""
        told.append(f"{found[1]}={value.strip(chr(34) + chr(39))}" if value else found[1])
    return [f"errors {', '.join(told)}"] if told else []


def stored(text: str) -> list[str]:
    """Drizzle tables with their columns."""
    told: list[str] = []
    for found in _TABLE.finditer(text) if "Table(" in text else ():
        body = text[found.end() : found.end() + 8000]
        end = re.search(r"^\}?\)", body, re.MULTILINE)
        columns = _COLUMN.findall(body[: end.start()] if end else body)
        names = dict.fromkeys(kept or written for written, kept in columns)
        told.append(f"table {found[1]}{{{','.join(list(names)[:40])}}}")
    return told


def tables(text: str) -> list[str]:
    """Drizzle tables a file defines."""
    return [f"{table} ddl" for table in _TABLE.findall(text)] if "Table(" in text else []


_KNEX = re.compile(
    r"\b(?:createTable\w*|alterTable|table)\(\s*[\"'](\w+)[\"']\s*,\s*(?:async\s*)?(?:function\s*)?\(?\s*\w+"
)
_KNEX_COLUMN = re.compile(
    r"\b(?:table|t|tbl)\.(?:increments|bigIncrements|\w*[iI]nteger|string|text|\w*[tT]ext|boolean|enum|enu|decimal|float|double|json|jsonb"
    r"|date|datetime|dateTime|timestamp|time|uuid|binary|specificType|\w*[iI]nt)\(\s*[\"'](\w+)[\"']"
)


def changed_tables(code: str) -> list[str]:
    """Tables a migration creates or extends, with the columns it names."""
    if "createTable" not in code and "alterTable" not in code and "schema.table" not in code:
        return []
    places = list(_KNEX.finditer(code))
    told: list[str] = []
    for place, found in enumerate(places):
        after = places[place + 1].start() if place + 1 < len(places) else len(code)
        columns = _KNEX_COLUMN.findall(code[found.end() : after])
        if columns:
            told.append(f"table {found[1]}{{{','.join(dict.fromkeys(columns[:40]))}}}")
    return told
