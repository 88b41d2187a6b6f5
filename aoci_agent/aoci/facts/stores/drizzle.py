"""Drizzle: `pgTable`, `mysqlTable`, `sqliteTable`, schemas, table creators and enums."""

import re

from aoci_agent.aoci.facts.stores.brackets import (
    closing,
    inside,
    pairs,
    parts,
    strings,
    without_comments,
)
from aoci_agent.aoci.facts.stores.record import Change, Column, enum, flag, rule

_MAKER = re.compile(r"(\w+)\s*=\s*(?:\w+\.)?(?:pg|mysql|sqlite|singlestore)TableCreator\(")
_SCHEMA = re.compile(r"(\w+)\s*=\s*(?:pg|mysql)Schema\(\s*['\"`]([^'\"`]+)")
_ENUM = re.compile(r"(\w+)\s*=\s*(?:\w+\.)?(?:pgEnum|mysqlEnum)\(\s*['\"`]([^'\"`]+)['\"`]\s*,")
_UNION = re.compile(r"type\s+(\w+)\s*=\s*((?:\|?\s*'[^'\n]+'\s*)+)")
_SHARED = re.compile(r"(?:const|let)\s+(\w+)\s*(?::[^=\n]+)?=\s*(?:\(\)\s*=>\s*\(?\s*)?(?=\{)")
_TYPE = re.compile(r"(?:\w+\.)?(\w+)\s*\(")
_REFERENCE = re.compile(r"\.references\(\s*(?:\([^)]*\)[^=]*)?=>\s*(\w+)\.")
_COLUMNS = re.compile(r"\b(?:timestamp|text|varchar|integer|uuid|boolean|bigint|serial|jsonb?)\(")


def tables(text: str) -> list[Change]:
    """Tables and enums of one file, with objects of columns that tables spread."""
    text = without_comments(text)
    schemas = dict(_SCHEMA.findall(text))
    unions = {name: strings(values) for name, values in _UNION.findall(text)}
    makers = "|".join(("pgTable", "mysqlTable", "sqliteTable", *_MAKER.findall(text)))
    pattern = re.compile(
        rf"(?:(?:const|let)\s+(?P<alias>\w+)\s*=\s*)?(?:\b(?P<owner>\w+)\.)?"
        rf"\b(?:{makers}|table)\(\s*['\"`](?P<name>[^'\"`]+)['\"`]\s*,"
    )
    changes = [
        Change("enum", found[2], alias=found[1], also=tuple(strings(inside(text, found.end()))))
        for found in _ENUM.finditer(text)
    ]
    for found in pattern.finditer(text):
        owner = found["owner"] or ""
        if "table(" in found[0][: found[0].find("(") + 1].split(".")[-1] and owner not in schemas:
            continue
        body = parts(text[found.end() : closing(text, text.rindex("(", 0, found.end()))])
        schema = f"{schemas[owner]}." if owner in schemas else ""
        changes.append(_table(f"{schema}{found['name']}", found["alias"] or "", body, unions))
    return [*changes, *_parts(text, unions)]


def _table(name: str, alias: str, body: list[str], unions: dict[str, list[str]]) -> Change:
    given = body[0] if body else ""
    start = 0 if given.startswith("{") else given.find("{", given.find("=>"))  # `(t) => ({...})`
    pieces = pairs(inside(given, max(start, 0)))
    columns, bases, names = _columns(pieces, unions)
    rules: list[str] = []
    for extra in body[1:]:
        rules += _rules(extra, columns, names)
    return Change("model", name, tuple(columns), alias, "drizzle", (*bases, *rules))


def _columns(
    pieces: list[tuple[str, str]], unions: dict[str, list[str]]
) -> tuple[list[Column], list[str], dict[str, str]]:
    """Columns, the objects spread between them, and column names by key."""
    columns: list[Column] = []
    bases: list[str] = []
    names: dict[str, str] = {}
    for key, value in pieces:
        kind = _TYPE.match(value)
        if key == "...":
            bases.append(f"<{re.sub(r'[^A-Za-z0-9_$].*', '', value)}")
        elif kind:
            arguments = parts(inside(value, 0))
            given = strings(arguments[0]) if arguments and arguments[0][0] in "'\"`" else []
            names[key] = given[0] if given else key
            columns.append(Column(names[key], kind[1], _flags(value, arguments, unions)))
    return columns, bases, names


def _flags(value: str, arguments: list[str], unions: dict[str, list[str]]) -> tuple[str, ...]:
    flags = ["pk"] if ".primaryKey(" in value else []
    flags += ["unique"] if ".unique(" in value else []
    reference = _REFERENCE.search(value)
    flags += [f"→={reference[1]}"] if reference else []
    typed = re.search(r"\.\$type<([^<>]+)>", value)
    listed = re.search(r"\benum\s*:\s*\[([^\]]*)\]", " ".join(arguments))
    if listed:
        flags += enum(strings(listed[1]))
    elif typed:
        flags += enum(unions.get(typed[1].strip()) or strings(typed[1]))
    return tuple(flags)


def _rules(extra: str, columns: list[Column], names: dict[str, str]) -> list[str]:
    """Keys over several columns; `t.userId` stands for the column's name."""

    def listed(text: str) -> list[str]:
        keys: list[str] = re.findall(r"\w+\.(\w+)", text)
        return [names.get(key, key) for key in keys]

    rules: list[str] = []
    for found in re.finditer(r"\b(primaryKey|uniqueIndex|unique|foreignKey)\(", extra):
        arguments = inside(extra, found.end() - 1)
        rest = extra[closing(extra, found.end() - 1) + 1 :]
        if found[1] == "primaryKey":
            keys = re.search(r"columns\s*:\s*\[([^\]]*)\]", arguments)
            rules += rule(columns, listed(keys[1] if keys else arguments), "pk")
        elif found[1] == "foreignKey":
            target = re.search(r"foreignColumns\s*:\s*\[\s*(\w+)\.", arguments)
            own = re.search(r"(?<![A-Za-z])columns\s*:\s*\[([^\]]*)\]", arguments)
            if target and own:
                flag(columns, listed(own[1]), f"→={target[1]}")
        elif rest.lstrip().startswith(".on("):
            rules += rule(columns, listed(inside(rest, 0)), "unique")
    return rules


def _parts(text: str, unions: dict[str, list[str]]) -> list[Change]:
    found: list[Change] = []
    for match in _SHARED.finditer(text):
        body = inside(text, match.end())
        if _COLUMNS.search(body):
            columns, bases, _ = _columns(pairs(body), unions)
            if columns:
                found.append(Change("part", "", tuple(columns), match[1], "drizzle", tuple(bases)))
    return found
