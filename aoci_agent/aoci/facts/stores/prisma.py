"""Prisma schema files."""

import re

from aoci_agent.aoci.facts.stores.brackets import option
from aoci_agent.aoci.facts.stores.record import Change, Column, rule
from aoci_agent.aoci.wordset import wordset

_BLOCK = re.compile(r"^\s*(model|enum|type|view)\s+(\w+)\s*\{(.*?)^\s*\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\s*(\w+)\s+(\w+)(?:\(\"[^\"]*\"\))?(\[\])?\??(.*)$", re.MULTILINE)
_MAP = re.compile(r"@map\(\s*(?:name:\s*)?\"([^\"]+)\"")
_RULE = re.compile(r"@@(id|unique)\(\s*(?:fields:\s*)?\[([^\]]*)\]")
_RELATION = re.compile(r"@relation\(.*?fields:\s*\[([^\]]*)\]", re.DOTALL)
_SCALARS = wordset("String Int BigInt Float Decimal Boolean DateTime Json Bytes Unsupported")
_TYPES = {"json": "json", "datetime": "timestamp"}


def tables(text: str) -> list[Change]:
    """Models and enums; the fields that only navigate are left out."""
    text = re.sub(r"//[^\n]*", "", text)
    blocks = _BLOCK.findall(text)
    models = {name for kind, name, _ in blocks if kind in ("model", "view")}
    changes: list[Change] = []
    for kind, name, body in blocks:
        if kind == "enum":
            values = re.findall(r"^\s*(\w+)", body, re.MULTILINE)
            changes.append(Change("enum", name, alias=name, also=tuple(values)))
        elif kind == "model":
            changes.append(_model(name, body, models))
    return changes


def _model(name: str, body: str, models: set[str]) -> Change:
    columns: list[Column] = []
    names: dict[str, str] = {}
    relations: dict[str, str] = {}
    for field, kind, many, rest in _FIELD.findall(body):
        if kind in models or (many and kind not in _SCALARS):
            own = _RELATION.search(rest)
            relations |= dict.fromkeys(re.findall(r"\w+", own[1]), kind) if own else {}
            continue
        stored = _MAP.search(rest)
        names[field] = stored[1] if stored else field
        flags = ["pk"] if re.search(r"@id\b", rest) else []
        flags += ["unique"] if re.search(r"@unique\b", rest) else []
        known = _TYPES.get(kind.lower()) or kind.lower()
        known = "uuid" if "uuid(" in rest or "@db.Uuid" in rest else known
        columns.append(
            Column(names[field], known if kind in _SCALARS else f"?{kind}", tuple(flags))
        )
    columns = [
        column._replace(flags=(*column.flags, f"→={relations[field]}"))
        if field in relations
        else column
        for (field, _), column in zip(names.items(), columns, strict=False)
    ]
    rules: list[str] = []
    for kind, listed in _RULE.findall(body):
        fields: list[str] = re.findall(r"\w+", re.sub(r"\([^)]*\)", "", listed))
        keys = [names.get(key, key) for key in fields]
        rules += rule(columns, keys, "pk" if kind == "id" else "unique")
    stored = re.search(r"@@map\(\s*(?:name:\s*)?\"([^\"]+)\"", body)
    schema = option(body.replace('@@schema("', 'schema: "'), "schema")
    table = stored[1] if stored else name
    return Change("model", f"{schema}.{table}" if schema not in ("", "public") else table,
                  tuple(columns), name, "prisma", tuple(rules))  # fmt: skip
