"""Go structs stored by GORM; which of them are tables is decided over all files."""

import re

from aoci_agent.aoci.facts.stores.brackets import STRING, inside
from aoci_agent.aoci.facts.stores.naming import snake
from aoci_agent.aoci.facts.stores.record import Change, Column

_STRUCT = re.compile(
    r"^type\s+(\w+)(?:\[[^\]\n]*\])?\s+struct\s*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
_CONSTANT = re.compile(
    r"^[ \t]*(?:const[ \t]+)?(?P<name>[A-Z]\w*)(?:[ \t]+(?P<type>[A-Z]\w*))?(?:[ \t]*=[ \t]*(?P<value>[^\n/]+?))?[ \t]*(?://[^\n]*)?$",
    re.MULTILINE,
)
_CONSTANTS = re.compile(r"^const\s*\(\n(.*?)^\)", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(
    r"func\s*\(\s*(?:\w+\s+)?\*?(\w+)(?:\[[^\]]*\])?\s*\)\s*TableName\(\s*\)\s*string\s*\{\s*return\s+(?:\"([^\"]+)\"|(\w+))"
)
_MIGRATED = re.compile(r"[aA]uto[mM]igrate\w*\(")
_MODEL = re.compile(r"(?:&|new\()\s*(?:\w+\.)?([A-Z]\w*)")
_FIELD = re.compile(
    r"^[ \t]*(?:(?P<names>[A-Za-z_]\w*(?:[ \t]*,[ \t]*\w+)*)[ \t]+)?"
    r"(?P<type>\*?(?:\[\d*\])?\*?[\w.]+(?:\[[^`\n]*\])?[\w.]*)(?:[ \t]+(?P<tag>`[^`]*`))?[ \t]*(?://[^\n]*)?$",
    re.MULTILINE,
)
_COMMENT = re.compile(rf"(?P<keep>{STRING})|^[ \t]*//[^\n]*\n|/\*[\s\S]*?\*/", re.MULTILINE)
_PLAIN = re.compile(r"\*?(?:u?int\d*|string|bool|float\d+|byte|\[\]byte|time\.Time|any|sql\.Null\w+|gorm\.DeletedAt|uuid\.UUID|datatypes\.\w+|json\.RawMessage|pq\.\w+|decimal\.\w+)")  # fmt: skip
_RELATED = frozenset(("foreignkey", "references", "many2many", "polymorphic", "joinforeignkey"))
_TOLD = re.compile(r"json|timestamp|date|time|bytea|blob", re.IGNORECASE)
_KINDS = {"time.Time": "timestamp", "uuid.UUID": "uuid", "gorm.DeletedAt": "timestamp"}


def tables(text: str) -> list[Change]:
    """Structs with their columns, the names given by `TableName`, and those migrated."""
    text = _COMMENT.sub(lambda found: found["keep"] or "", text)
    constants = dict(re.findall(r"(\w+)\s*=\s*\"(\w+)\"", text))
    named = {own: name or constants.get(other, "") for own, name, other in _NAMED.findall(text)}
    migrated = [
        name
        for call in _MIGRATED.finditer(text)
        for name in _MODEL.findall(inside(text, call.end() - 1))
    ]
    changes = [Change("known", "", alias=name, source="gorm") for name in dict.fromkeys(migrated)]
    changes += [Change("enum", name, alias=name, also=tuple(v)) for name, v in _enums(text).items()]
    for name, body in _STRUCT.findall(text):
        columns, bases = _columns(body)
        stored = name in named or 'gorm:"' in body or "<gorm.Model" in bases
        if columns or bases:
            table = named.get(name, "")
            op = "model" if stored else "part"
            changes.append(Change(op, table, tuple(columns), name, "gorm", tuple(bases)))
    return changes


def _enums(text: str) -> dict[str, list[str]]:
    """Constants of one named type: their strings, or their names where they are counted."""
    found: dict[str, list[str]] = {}
    for block in _CONSTANTS.findall(text):
        current = ""
        for match in _CONSTANT.finditer(block):
            current = match["type"] or (current if not match["value"] else "")
            value = match["value"] or ""
            if current and value.startswith(('"', "`")):
                found.setdefault(current, []).append(value.strip('"`'))
            elif current:
                found.setdefault(current, []).append(
                    match["name"].removeprefix(current) or match["name"]
                )
    return {name: values for name, values in found.items() if len(values) > 1}


def _columns(body: str) -> tuple[list[Column], list[str]]:
    columns: list[Column] = []
    bases: list[str] = []
    names: dict[str, str] = {}
    for found in _FIELD.finditer(body):
        settings = _settings(found["tag"] or "")
        kind = found["type"]
        if "-" in settings:
            continue
        if not found["names"] or "embedded" in settings:
            bases.append(
                f"<{kind.lstrip('*').split('[')[0]}~{settings.get('embeddedprefix', '')}".rstrip(
                    "~"
                )
            )
            continue
        for name in re.split(r"\s*,\s*", found["names"]):
            if name[0].isupper():
                names[name] = settings.get("column") or snake(name)
                columns += _column(name, kind, settings)
    keyed = [c._replace(flags=tuple(_keyed(flag, names) for flag in c.flags)) for c in columns]
    return keyed, bases


def _keyed(flag: str, names: dict[str, str]) -> str:
    """`by:OrgID` with the field's stored name; only a field of this struct can be the key."""
    return f"by:{names.get(flag[3:], '')}" if flag.startswith("by:") else flag


def _settings(tag: str) -> dict[str, str]:
    found = re.search(r"gorm:\"([^\"]*)\"", tag)
    pieces = (piece.strip().partition(":") for piece in (found[1].split(";") if found else ()))
    return {key.lower(): value for key, _, value in pieces if key}


def _column(name: str, kind: str, settings: dict[str, str]) -> list[Column]:
    """A column, or under the type `?Name` what may be a relation to another struct."""
    stored = settings.get("column") or snake(name)
    flags = ["pk"] if "primarykey" in settings or "primary_key" in settings else []
    unique = settings.get("uniqueindex")
    flags += ["unique"] if "unique" in settings or unique == "" else []
    flags += [f"unique:{unique.split(',')[0]}"] if unique else []
    bare = kind.lstrip("*")
    if _RELATED & settings.keys():
        key = settings.get("foreignkey", "").split(",")[0]
        single = not bare.startswith("[") and "many2many" not in settings
        return [Column(f"@{name}", f"?{bare}", (f"by:{key}",))] if single else []
    local = re.fullmatch(r"(?:\w+\.)?([A-Z]\w*)", bare)
    told = settings.get("type", "") or ("json" if settings.get("serializer") == "json" else "")
    if told and (not local or _TOLD.match(told)):
        return [Column(stored, told.split("(")[0].split()[0].lower(), tuple(flags))]
    if told or "column" in settings or _PLAIN.fullmatch(kind):
        named = local[1] if local else bare.lower()  # a type of the program may be an enum
        return [Column(stored, _KINDS.get(bare, named), tuple(flags))]
    return [Column(stored, f"?{bare}", tuple(flags))]
