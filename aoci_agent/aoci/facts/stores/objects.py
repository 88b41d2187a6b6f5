"""Models given as objects in JavaScript: Sequelize models and migrations, mongoose schemas."""

import re
from collections.abc import Iterator

from aoci_agent.aoci.facts.stores.brackets import (
    closing,
    inside,
    option,
    pairs,
    parts,
    strings,
    without_comments,
)
from aoci_agent.aoci.facts.stores.naming import plural, snake
from aoci_agent.aoci.facts.stores.record import Change, Column, enum

_DEFINE = re.compile(r"\.define\s*(?:<[^()]*>)?\(\s*['\"`](\w+)['\"`]\s*,|\b(\w+)\.init\(\s*(?=\{)")
_QUERY = re.compile(
    r"\b\w*[qQ]uery\w*\.(createTable|addColumn|changeColumn|removeColumn|renameColumn|renameTable|dropTable)\("
)
_SCHEMA = re.compile(
    r"(?:(?:const|let|var)\s+(\w+)\s*(?::[^=\n]+)?=\s*)?new\s+(?:\w+\.)?Schema\s*(?:<[^()]*>)?\(\s*(?=\{)"
)
_MODEL = re.compile(
    r"\bmodel\s*(?:<[^()]*>)?\(\s*['\"`](\w+)['\"`]\s*,\s*(\w+)(?:\s*,\s*['\"`](\w+)['\"`])?"
)
_DOWN = re.compile(r"\bexports\.down\b|\b(?:async\s+)?(?:function\s+)?down\s*[(:=]")
_KIND = re.compile(r"\b(?:DataTypes|Sequelize|DataType|Sequelize\.DataTypes)\.(\w+)")


def way_up(text: str) -> str:
    """A migration without what takes it back."""
    down = _DOWN.search(text)
    if not down:
        return text
    end = closing(text, text.find("{", down.end())) if "{" in text[down.end() :] else len(text)
    return text[: down.start()] + text[end + 1 :]


def sequelize(text: str) -> list[Change]:
    """`define`, `init`, and the calls of a query interface."""
    text = way_up(without_comments(text))
    changes: list[Change] = []
    for found in _DEFINE.finditer(text):
        arguments = parts(text[found.end() : closing(text, text.index("(", found.start()))])
        if arguments and "DataType" in text and arguments[0].startswith("{"):
            options = arguments[1] if len(arguments) > 1 else ""
            changes.append(_model(found[1] or found[2], pairs(inside(arguments[0], 0)), options))
    for found in _QUERY.finditer(text):
        changes += _queried(found[1], parts(inside(text, found.end() - 1)))
    return changes


def _model(name: str, fields: list[tuple[str, str]], options: str) -> Change:
    under = re.search(r"\bunderscored\s*:\s*true", options) is not None
    columns = [_attribute(key, value, under=under) for key, value in fields if key != "..."]
    if not any("pk" in column.flags for column in columns):
        columns.insert(0, Column("id", "int", ("pk",)))
    stamps = (
        ["createdAt", "updatedAt"] if not re.search(r"\btimestamps\s*:\s*false", options) else []
    )
    stamps += ["deletedAt"] if re.search(r"\bparanoid\s*:\s*true", options) else []
    for stamp in stamps:
        stored = option(options, stamp) or (snake(stamp) if under else stamp)
        if stored.lower() not in {column.name.lower() for column in columns}:
            columns.append(Column(stored, "timestamp"))
    named = option(options, "modelName") or name
    frozen = re.search(r"\bfreezeTableName\s*:\s*true", options) is not None
    table = option(options, "tableName") or (
        named if frozen else plural(snake(named) if under else named)
    )
    return Change("model", table, tuple(columns), named, "sequelize")


def _attribute(key: str, value: str, *, under: bool = False) -> Column:
    kind = _KIND.search(value)
    word = kind[1].lower() if kind else ""
    flags = ["pk"] if re.search(r"\bprimaryKey\s*:\s*true", value) else []
    flags += ["unique"] if re.search(r"\bunique\s*:\s*true", value) else []
    target = re.search(
        r"\breferences\s*:\s*\{[^}]*?\bmodel\s*:\s*(?:['\"`](\w+)['\"`]|\{[^}]*tableName\s*:\s*['\"`](\w+)|(\w+))",
        value,
    )
    if target:
        flags.append(f"→{target[1] or target[2]}" if target[1] or target[2] else f"→={target[3]}")
    if kind and word == "enum":
        values = inside(value, kind.end()) if value[kind.end() : kind.end() + 1] == "(" else ""
        listed = re.search(r"\bvalues\s*:\s*\[([^\]]*)", value)
        flags += enum(strings(values) or strings(listed[1] if listed else ""))
    stored = option(value, "field") if value.startswith("{") else ""
    return Column(stored or (snake(key) if under else key), word, tuple(flags))


def _queried(call: str, arguments: list[str]) -> Iterator[Change]:
    """One call of a query interface; calls on computed names are passed over."""
    table, first, second, *_ = [*((strings(a) or [""])[0] for a in arguments[:3]), "", "", ""]
    if not table:
        return
    if call == "createTable" and len(arguments) > 1:
        fields = pairs(inside(arguments[1], 0))
        yield Change("create", table, tuple(_attribute(k, v) for k, v in fields if k != "..."))
    elif call in ("addColumn", "changeColumn") and len(arguments) > 2 and first:
        yield Change("add", table, (_attribute(first, arguments[2]),))
    elif call == "removeColumn" and first:
        yield Change("remove", table, (Column(first),))
    elif call == "renameColumn" and first and second:
        yield Change("column", table, (Column(first), Column(second)))
    elif call == "renameTable" and first:
        yield Change("rename", table, also=(first,))
    elif call == "dropTable":
        yield Change("drop", table)


def mongoose(text: str) -> list[Change]:
    """Schemas that a model is made of; a schema used inside another is none."""
    text = without_comments(text)
    models = {schema: (name, stored) for name, schema, stored in _MODEL.findall(text)}
    changes: list[Change] = []
    for found in _SCHEMA.finditer(text):
        arguments = parts(
            text[
                found.end() : closing(
                    text,
                    text.index("(", found.end() - 1 - len(found[0]) + found[0].index("Schema")),
                )
            ]
        )
        variable = found[1] or ""
        options = arguments[1] if len(arguments) > 1 else ""
        if models and variable not in models:
            continue
        named = re.sub(r"_?[sS]chema\Z", "", variable) or "document"
        name, stored = models.get(variable, (named, ""))
        table = option(options, "collection") or stored or plural(name.lower())
        columns = [Column("_id", "objectid", ("pk",))]
        columns += [
            _path(key, value) for key, value in pairs(inside(arguments[0], 0)) if key != "..."
        ]
        if re.search(r"\btimestamps\s*:\s*(?:true|\{)", options):
            columns += [Column("createdAt", "timestamp"), Column("updatedAt", "timestamp")]
        changes.append(Change("model", table, tuple(columns), name, "mongoose"))
    return changes


def _path(key: str, value: str) -> Column:
    """One path of a schema: a type, an object with a type, a list of either, or a nested object."""
    many = value.startswith("[")
    inner = value.strip("[] \n") if many else value
    kind = (
        re.search(r"\btype\s*:\s*\[?\s*([\w.]+)", inner)
        if inner.startswith("{")
        else re.match(r"[\w.]+", inner)
    )
    word = kind[kind.lastindex or 0].rsplit(".", 1)[-1].lower() if kind else "json"
    flags = ["unique"] if re.search(r"\bunique\s*:\s*true", inner) else []
    target = option(inner, "ref") or (m[1] if (m := re.search(r"\bref\s*:\s*(\w+)", inner)) else "")
    flags += [f"→={target}"] if target else []
    listed = re.search(r"\benum\s*:\s*(?:\{[^}]*?values\s*:\s*)?\[([^\]]*)\]", inner)
    flags += enum(strings(listed[1])) if listed else []
    return Column(key, "json" if word in ("mixed", "map", "object") else word, tuple(flags))
