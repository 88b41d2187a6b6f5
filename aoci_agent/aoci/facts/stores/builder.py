"""Migrations that call a builder: Knex (`table.string('x')`) and Laravel (`$table->string('x')`)."""

import re
from collections.abc import Iterator

from aoci_agent.aoci.facts.stores.brackets import closing, parts, strings, without_comments
from aoci_agent.aoci.facts.stores.naming import plural, snake
from aoci_agent.aoci.facts.stores.objects import way_up
from aoci_agent.aoci.facts.stores.record import Change, Column, enum, rule
from aoci_agent.aoci.wordset import wordset

_KNEX = re.compile(
    r"\.(?P<call>createTable|createTableIfNotExists|alterTable|table|dropTable|dropTableIfExists|renameTable)"
    r"\(\s*['\"`](?P<name>[\w.]+)['\"`]"
)
_LARAVEL = re.compile(
    r"\bSchema::(?:connection\([^)]*\)\s*->\s*)?(?P<call>create|table|drop|dropIfExists|rename)"
    r"\(\s*['\"](?P<name>[\w.]+)['\"]"
)
_PHP_DOWN = re.compile(r"\bfunction\s+down\s*\(")
_PARAMETER = re.compile(
    r"(?:function\s*\w*\s*\(|\(|,)\s*(?:Blueprint\s+)?(\$?\w+)\b[^,(){}]*\)\s*(?::\s*\w+\s*)?(?:use\s*\([^)]*\)\s*)?(?:=>|\{)|,\s*(?:async\s+)?(\w+)\s*=>"
)
_STAMPS = {
    "timestamps": ("created_at", "updated_at"), "timestampsTz": ("created_at", "updated_at"),
    "nullableTimestamps": ("created_at", "updated_at"), "softDeletes": ("deleted_at",),
    "softDeletesTz": ("deleted_at",), "rememberToken": ("remember_token",),
}  # fmt: skip
_IDS = wordset("increments bigIncrements id mediumIncrements smallIncrements tinyIncrements")
_NO_COLUMN = wordset(
    "index dropIndex dropUnique dropForeign dropPrimary comment engine charset collate collation fullText"
    " spatialIndex raw queryContext setNullable dropNullable rawIndex check renameIndex foreignKey"
    " dropTimestamps dropSoftDeletes dropConstrainedForeignId dropMorphs after temporary innodb"
)


def knex(text: str) -> list[Change]:
    """Schema builder calls of Knex and what is built on it."""
    return list(_changes(way_up(without_comments(text)), _KNEX, r"\s*\.\s*"))


def laravel(text: str) -> list[Change]:
    """Migrations of Laravel."""
    text = without_comments(text, "php")
    down = _PHP_DOWN.search(text)
    if down:
        text = text[: down.start()] + text[closing(text, text.find("{", down.end())) + 1 :]
    return list(_changes(text, _LARAVEL, r"\s*->\s*"))


def _changes(text: str, pattern: re.Pattern[str], arrow: str) -> Iterator[Change]:
    for found in pattern.finditer(text):
        call, table = found["call"], found["name"]
        if call.startswith("drop"):
            yield Change("drop", table)
            continue
        rest = text[found.end() : closing(text, text.index("(", found.start()))]
        if call.startswith("rename"):
            yield from (Change("rename", table, also=(name,)) for name in strings(rest)[:1])
            continue
        parameter = _PARAMETER.search(rest[:200])
        if parameter:
            name = next(filter(None, parameter.groups()))
            yield from _body(call, table, rest[parameter.end() :], rf"{re.escape(name)}{arrow}")


def _body(call: str, table: str, body: str, receiver: str) -> Iterator[Change]:
    columns: list[Column] = []
    also: list[str] = []
    later: list[Change] = []
    calls = list(re.finditer(rf"(?<![\w$]){receiver}(?P<method>\w+)\(", body))
    for place, found in enumerate(calls):
        stop = calls[place + 1].start() if place + 1 < len(calls) else len(body)
        end = closing(body, found.end() - 1)
        arguments, chain = parts(body[found.end() : end]), body[end + 1 : max(stop, end + 1)]
        _take(found["method"], arguments, chain, (columns, also))
        later += _removed(table, found["method"], arguments)
    if columns or also or call.startswith("create"):
        yield Change(
            "create" if call.startswith("create") else "add",
            table,
            tuple(columns),
            also=tuple(also),
        )
    yield from later


def _take(
    method: str, arguments: list[str], chain: str, into: tuple[list[Column], list[str]]
) -> None:
    """One call on the builder: columns, or a key over columns given before."""
    columns, also = into
    names = strings(arguments[0]) if arguments else []
    if method in ("unique", "primary"):
        also += rule(columns, names, "pk" if method == "primary" else "unique")
    elif method == "foreign" and names:
        target = _target(chain)
        places = {c.name: i for i, c in enumerate(columns)}
        if target and names[0] in places:
            column = columns[places[names[0]]]
            columns[places[names[0]]] = column._replace(flags=(*column.flags, f"→{target}"))
        elif target:
            columns.append(Column(names[0], "", (f"→{target}",)))
    elif method not in _NO_COLUMN and not method.startswith(("drop", "rename")):
        columns += _columns(method, arguments, names, chain)


def _columns(method: str, arguments: list[str], names: list[str], chain: str) -> list[Column]:
    if method in _STAMPS and (method != "timestamps" or not names):
        return [
            Column(name, "timestamp" if name.endswith("_at") else "") for name in _STAMPS[method]
        ]
    name = names[0] if names else "id" if method in _IDS else ""
    if method in ("morphs", "nullableMorphs", "uuidMorphs", "nullableUuidMorphs", "ulidMorphs"):
        return [Column(f"{name}_type", "string"), Column(f"{name}_id", "bigint")]
    if method in ("foreignIdFor",) and arguments:
        model = re.match(r"\\?(?:\w+\\)*(\w+)::class", arguments[0])
        own = strings(arguments[1]) if len(arguments) > 1 else []
        return (
            [Column(own[0] if own else f"{snake(model[1])}_id", "bigint", (f"→={model[1]}",))]
            if model
            else []
        )
    if not name:
        return []
    flags = ["pk"] if method in _IDS or re.search(r"\bprimary\(", chain) else []
    flags += ["unique"] if re.search(r"\bunique\(", chain) else []
    target = _target(chain) or (_constrained(name, chain) if method.startswith("foreign") else "")
    flags += [f"→{target}"] if target else []
    if method in ("enum", "enu", "set") and len(arguments) > 1:
        flags += enum(strings(arguments[1]))
    kind = (
        strings(arguments[1])[0]
        if method == "specificType" and len(arguments) > 1 and strings(arguments[1])
        else method
    )
    return [Column(name, "uuid" if method == "foreignUuid" else kind.lower(), tuple(flags))]


def _target(chain: str) -> str:
    """The table of a `references(...)` chain."""
    table = re.search(r"\b(?:inTable|on)\(\s*['\"`](\w+)['\"`]", chain)
    dotted = re.search(r"\breferences\(\s*['\"`](\w+)\.\w+['\"`]", chain)
    return table[1] if table else dotted[1] if dotted else ""


def _constrained(name: str, chain: str) -> str:
    found = re.search(r"\bconstrained\(([^)]*)\)", chain)
    if not found:
        return ""
    given = strings(found[1])
    return given[0] if given else plural(re.sub(r"_(?:id|uuid|ulid)\Z", "", name))


def _removed(table: str, method: str, arguments: list[str]) -> list[Change]:
    names = [name for argument in arguments for name in strings(argument)]
    if method in ("dropColumn", "dropColumns", "dropConstrainedForeignId"):
        return [Change("remove", table, tuple(Column(name) for name in names))]
    if method == "renameColumn" and len(names) > 1:
        return [Change("column", table, (Column(names[0]), Column(names[1])))]
    if method in ("dropTimestamps", "dropSoftDeletes"):
        gone = _STAMPS["timestamps" if method == "dropTimestamps" else "softDeletes"]
        return [Change("remove", table, tuple(Column(name) for name in gone))]
    if method == "rename" and names:
        return [Change("rename", table, also=(names[0],))]
    return []
