"""Facts of schema files: OpenAPI, JSON Schema, GraphQL, protocol buffers, Prisma, Thrift, Avro."""

import re

from aoci_agent.aoci.facts import common, prose, trees
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import told

_VERBS = ("get", "post", "put", "patch", "delete", "head", "options")
_FIELDS = 14
_TYPES = 40


def is_openapi(value: trees.Table) -> bool:
    """Whether a JSON or YAML document describes an HTTP interface."""
    return bool(value.keys() & {"openapi", "swagger", "asyncapi"}) and bool(
        value.keys() & {"paths", "channels", "info"}
    )


def openapi_facts(value: trees.Table) -> Facts:
    """Title, paths as offers, schemas with their fields."""
    info = trees.table(value.get("info"))
    paths = trees.table(value.get("paths"))
    base = trees.word(value.get("basePath")).rstrip("/")
    offers = [
        f"{verb.upper()} {base}{path}"
        for path, about in paths.items()
        for verb in trees.table(about)
        if verb in _VERBS
    ]
    schemas = trees.table(trees.at(value, "components", "schemas")) or trees.table(
        value.get("definitions")
    )
    servers = [trees.word(trees.at(item, "url")) for item in trees.items(value.get("servers"))]
    kind = next(key for key in ("openapi", "swagger", "asyncapi") if key in value)
    said = prose.clean(trees.word(info.get("description")), 120)
    doc = ": ".join(filter(None, (f"{kind} {trees.word(info.get('title'))}".strip(), said)))
    notes = [
        *told("paths", [str(len(paths))] if paths else ()), *told("servers", [*servers, trees.word(value.get("host"))], 3),
        *told("channels", trees.table(value.get("channels"))), *told("schemas", schemas, 16),
        *told("security", trees.table(trees.at(value, "components", "securitySchemes")) or trees.table(value.get("securityDefinitions"))),
    ]  # fmt: skip
    return Facts(
        "schema",
        doc=doc,
        commands=common.unique(offers, 80),
        notes=tuple(notes),
        shapes=_properties(schemas),
    )


def _properties(schemas: trees.Table) -> tuple[str, ...]:
    shown = (
        (name, list(trees.table(trees.at(schema, "properties")))[:_FIELDS])
        for name, schema in list(schemas.items())[:_TYPES]
    )
    return tuple(f"{name}{{{','.join(map(str, fields))}}}" for name, fields in shown if fields)


def is_json_schema(value: trees.Table) -> bool:
    """Whether a JSON document is a JSON Schema."""
    return "json-schema.org" in trees.word(value.get("$schema")) and bool(
        value.keys() & {"properties", "definitions", "$defs", "type", "allOf", "oneOf"}
    )


def json_schema_facts(value: trees.Table) -> Facts:
    """Title, properties, definitions."""
    title = trees.word(value.get("title")) or trees.word(value.get("$id"))
    said = prose.clean(trees.word(value.get("description")), 120)
    defined = trees.table(value.get("$defs")) or trees.table(value.get("definitions"))
    notes = [
        *told("properties", trees.table(value.get("properties")), 24), *told("required", trees.words(value.get("required"))),
        *told("defines", defined, 16),
    ]  # fmt: skip
    return Facts(
        "schema",
        doc=": ".join(filter(None, (title, said))),
        notes=tuple(notes),
        shapes=_properties(defined),
    )


_GRAPHQL = re.compile(r"^[ \t]*(?:extend[ \t]+)?(type|input|interface|enum|union|scalar|directive)[ \t]+(@?\w+)([^{}\n]{0,300})(?:\{([^{}]{0,20000})\}?)?", re.MULTILINE)  # fmt: skip
_GRAPHQL_FIELD = re.compile(
    r"^[ \t]*([A-Za-z_]\w*)[ \t]*(?:\([^()]{0,1000}\))?[ \t]*(?::|$|@)", re.MULTILINE
)
_OPERATION = re.compile(r"^[ \t]*(query|mutation|subscription|fragment)[ \t]+(\w+)", re.MULTILINE)


def graphql_facts(source: Source) -> Facts:
    """Types with fields; queries and mutations as offers."""
    text = re.sub(r"\"\"\".*?(?:\"\"\"|\Z)|#[^\n]*", "", source.text, flags=re.DOTALL)
    offers: list[str] = []
    shapes: list[str] = []
    names: list[str] = []
    for kind, name, rest, body in _GRAPHQL.findall(text):
        fields = _GRAPHQL_FIELD.findall(body)
        if name in ("Query", "Mutation", "Subscription"):
            offers += [f"{name.lower()} {field}" for field in fields]
        elif kind == "enum":
            shapes.append(f"{name}:{'¦'.join(fields[:_FIELDS])}")
        elif fields:
            shapes.append(f"{name}{{{','.join(fields[:_FIELDS])}}}")
        else:
            names.append(f"{kind} {name}{' ' + rest.strip()[:60] if kind == 'union' else ''}")
    offers += [f"{kind} {name}" for kind, name in _OPERATION.findall(text)]
    notes = [
        *told("types", (shape.partition("{")[0].partition(":")[0] for shape in shapes), 20),
        *told("declares", names),
    ]
    doc = prose.clean(prose.leading_comment(source.lines, ("#",)))
    return Facts(
        "schema",
        doc=doc,
        commands=common.unique(offers, 60),
        notes=tuple(notes),
        shapes=common.unique(shapes, _TYPES),
    )


_PROTO = re.compile(r"(?P<end>\})|\b(?P<kind>message|service|enum|oneof)[ \t]+(?P<name>\w+)[ \t\n]*\{|\brpc[ \t]+(?P<rpc>\w+)[ \t]*\([ \t]*(?P<asks>[\w. ]+)\)[ \t\n]*returns[ \t]*\([ \t]*(?P<gives>[\w. ]+)\)|(?:^|(?<=[;{]))[ \t]*+(?=\w)(?:(?:optional|required|repeated)[ \t]++)?(?:(?:map[ \t]*<[^>\n]{1,80}>|[\w.]++)[ \t]++)?(?P<field>\w++)[ \t]*+=[ \t]*-?\d+|(?P<open>\{)", re.MULTILINE)  # fmt: skip


def proto_facts(source: Source) -> Facts:
    """Messages with fields, services with their calls, HTTP bindings."""
    text = re.sub(r"//[^\n]*|/\*(?:.*?\*/|.*\Z)", "", source.text, flags=re.DOTALL)
    offers: list[str] = []
    fields: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    stack: list[str] = []
    for found in _PROTO.finditer(text):
        inside = stack[-1] if stack else ""
        if found["name"]:
            name = inside if found["kind"] == "oneof" else found["name"]
            kinds.setdefault(name, found["kind"])
            stack.append(name)
        elif found["rpc"]:
            offers.append(
                f"rpc {inside}.{found['rpc']}({found['asks'].strip()}) {found['gives'].strip()}"
            )
        elif found["field"] and inside:
            fields.setdefault(inside, []).append(found["field"])
        elif found["open"]:
            stack.append(inside)
        elif found["end"] and stack:
            stack.pop()
    enums = [
        f"{name}:{'¦'.join(named[:_FIELDS])}"
        for name, named in fields.items()
        if kinds[name] == "enum"
    ]
    records = [
        f"{name}{{{','.join(named[:_FIELDS])}}}"
        for name, named in fields.items()
        if kinds[name] == "message"
    ]
    bound = re.findall(r"\b(get|post|put|patch|delete):[ \t]*\"(/[^\"\n]*)\"", text)
    package = re.findall(r"^package[ \t]+([\w.]+)", text, re.MULTILINE)
    notes = [
        *told("package", package), *told("services", (n for n, kind in kinds.items() if kind == "service")),
        *told("messages", (n for n, kind in kinds.items() if kind == "message"), 20),
        *told("imports", re.findall(r"^import[ \t]+(?:public )?\"([^\"\n]+)", text, re.MULTILINE), 6),
    ]  # fmt: skip
    doc = prose.clean(prose.leading_comment(source.lines))
    return Facts(
        "schema",
        doc=doc,
        commands=common.unique([*offers, *(f"{v.upper()} {p}" for v, p in bound)], 60),
        notes=tuple(notes),
        shapes=common.unique([*records, *enums], _TYPES),
    )


_PRISMA = re.compile(
    r"^(model|enum|type|view|datasource|generator)[ \t]+(\w+)[ \t]*\{([^}]{0,20000})", re.MULTILINE
)


def prisma_facts(source: Source) -> Facts:
    """Models with their fields as tables; the data source."""
    shapes: list[str] = []
    tables: list[str] = []
    notes: list[str] = []
    for kind, name, body in _PRISMA.findall(re.sub(r"//[^\n]*", "", source.text)):
        fields = re.findall(r"^[ \t]+([A-Za-z]\w*)\b(?![ \t]*=)", body, re.MULTILINE)[:24]
        if kind in ("model", "view"):
            mapped = re.search(r"@@map\([ \t]*(?:name:[ \t]*)?\"(\w+)\"", body)
            tables.append(f"{mapped[1] if mapped else name} ddl")
            shapes.append(f"table {name}{{{','.join(fields)}}}")
        elif kind == "enum":
            shapes.append(f"{name}:{'¦'.join(fields)}")
        else:
            said = re.findall(
                r"(provider|url|output)[ \t]*=[ \t]*(?:env\(\"(\w+)\"\)|\"([\w./-]+)\")", body
            )
            notes.append(
                f"{kind} {name} {', '.join(f'{key} {env or value}' for key, env, value in said)}"
            )
    env = common.unique(re.findall(r"env\(\"(\w+)\"", source.text))
    return Facts(
        "schema",
        notes=common.unique(notes),
        tables=common.unique(tables, 60),
        env=env,
        shapes=common.unique(shapes, _TYPES),
    )
