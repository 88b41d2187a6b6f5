"""Swift facts."""

import re
from collections import Counter
from collections.abc import Iterator

from aoci_agent.aoci.facts import c_text, common, prose
from aoci_agent.aoci.facts.language import KINDS, Captured, Captures, Source, matches, symbols
from aoci_agent.aoci.facts.model import Facts, Import, Symbol

QUERY = """
(source_file (class_declaration name: (type_identifier) @class) @at)
(source_file (class_declaration name: (user_type) @extended) @at)
(source_file (protocol_declaration name: (type_identifier) @interface) @at)
(source_file (function_declaration name: (simple_identifier) @function) @at)
(source_file (typealias_declaration name: (type_identifier) @type) @at)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @constant) value: (_)? @value) @at)
(source_file (class_declaration name: (_) @owner body: (_ (function_declaration name: (simple_identifier) @method) @at)))
(source_file (protocol_declaration name: (type_identifier) @owner
  body: (protocol_body (protocol_function_declaration name: (simple_identifier) @method) @at)))
(source_file (class_declaration name: (_) @of body: (enum_class_body (enum_entry name: (simple_identifier) @case))))
(source_file (class_declaration name: (_) @of body: (class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @field)) @property)))
"""

_IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |internal |private |package )?import\s+"
    r"(?:(?:class|struct|enum|protocol|func|typealias|var|let)\s+)?(\w+)(?:\.(\w+))?",
    re.MULTILINE,
)
_USED = re.compile(r"\b[A-Z]\w{2,}|(?<![.\w])[a-z]\w{2,}(?=\()")
_HIDDEN = re.compile(rb"\b(?:private|fileprivate)\b(?!\(set\))")
_KIND = re.compile(rb"\b(struct|enum|actor|class|extension)\s*\Z")
_BASE = re.compile(r"[A-Za-z_][\w.]*")
_COMMAND = frozenset(("ParsableCommand", "AsyncParsableCommand"))
_COMMAND_NAME = re.compile(r"\bcommandName:\s*\"([\w-]+)\"")
_ABSTRACT = re.compile(r"\babstract:\s*\"([^\"\n]+)\"")
_FLAG = re.compile(
    r"@(?:Flag|Option)\b(?P<inner>(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?)\s*(?:public |internal |private )?var\s+(?P<name>\w+)"
)
_LONG = re.compile(r"\.(?:customLong\(|long\b)(?:\"([\w-]+)\")?|name:\s*\"([\w-]+)\"")
_GROUP = re.compile(
    r"let\s+(\w+)\s*=\s*([\w.]+?)\.grouped\(\s*((?:\"[^\"]*\"\s*,?\s*)+)\)|([\w.]+?)\.group\(\s*((?:\"[^\"]*\"\s*,?\s*)+)\)\s*\{\s*(\w+)\s+in"
)
_ROUTE = re.compile(
    r"([\w.]+?)\.(get|post|put|patch|delete|on|webSocket)\(\s*(?:\.(GET|POST|PUT|PATCH|DELETE)\s*,\s*)?((?:\"[^\"]*\"\s*,?\s*)*)(?=use\b|body\b|\)\s*\{|\))"
)
_ENV = re.compile(
    r"(?:environment\s*\[|Environment\.get\()\s*\"([A-Z][A-Z0-9_]{2,})\"|getenv\(\s*\"(\w+)\""
)
_TABLE = re.compile(
    r"\b(?:static\s+let\s+schema|databaseTableName)(?:\s*:\s*String)?\s*=\s*\"(?P<mapped>\w+)\""
    r"|\.schema\(\s*\"(?P<made>\w+)\"|create\(table:\s*\"(?P<table>\w+)\""
)
_THROWN = re.compile(r"\bthrow\s+((?:[A-Z]\w*\.)*[A-Z]?\w*Error(?:\.\w+)?)\b")
_TEST = re.compile(
    r"\bfunc\s+(test\w+)\s*\(|@Test\((?:[^\"()]|\([^)]*\))*?\"([^\"\n]+)\"|@Test\b[^\n\"]*?(?:\n\s*)?\bfunc\s+(\w+|`[^`]+`)"
)
_SIMPLE = re.compile(r"-?\d[\d_.]*|\"[^\"\n\\]{1,40}\"|true|false")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def swift(source: Source) -> Facts:
    """Swift source files."""
    text = source.text
    code = c_text.without_comments(text)
    found = matches(source, "tree_sitter_swift", "language", QUERY)
    listed = _symbols(found, source.lines)
    words = Counter(_USED.findall(c_text.without_strings(code)))
    errors = [s.name for s in listed if "Error" in s.bases]
    return Facts(
        "swift",
        doc=c_text.file_doc(source.lines) or _abstract(code, listed),
        symbols=listed,
        imports=_imports(code, words),
        routes=common.unique(_routes(code), 60),
        calls=common.called_paths(code),
        commands=common.unique(_commands(code, found)),
        env=common.unique(sorted({a or b for a, b in _ENV.findall(code)})),
        raises=common.unique([*errors, *_THROWN.findall(code)]),
        tables=common.unique([*_tables(code), *common.sql_tables(code)]),
        constants=common.unique(_constants(found)),
        events=common.events(code),
        shapes=common.unique([*_records(found), *_enums(found)], 12),
        cases=common.unique(a or b or c.strip("`") for a, b, c in _TEST.findall(code)),
        members=common.members(code),
        words=tuple(sorted(words.items())),
        notes=_notes(found, code),
    )


def _symbols(found: Captures, lines: list[str]) -> tuple[Symbol, ...]:
    """What other files of the module see: all but the private; an extension defines no type."""
    hidden = {_key(item) for item in found if "at" in item and _HIDDEN.search(_before(item))}
    kinds = {item.text("class"): _KIND.search(_before(item)) for item in found if "class" in item}
    bases = {
        _key(item)[1]: _bases(item) for item in found if "class" in item or "interface" in item
    }
    listed = symbols(
        found,
        lambda _: True,
        lambda line, _: prose.first_sentence(prose.comment_above(lines, line)),
    )
    return tuple(
        symbol._replace(
            kind="enum"
            if (kind := kinds.get(symbol.name)) and kind[1] == b"enum" and not symbol.owner
            else symbol.kind,
            public=(symbol.owner, symbol.name) not in hidden,
            bases=() if symbol.owner else bases.get(symbol.name, ()),
        )
        for symbol in listed
    )


def _key(item: Captured) -> tuple[str, str]:
    return item.text("owner"), next((item.text(kind) for kind in KINDS if kind in item), "")


def _before(item: Captured) -> bytes:
    """The modifiers and the keyword in front of a definition's name."""
    whole = item["at"]
    name = next((item[kind] for kind in (*KINDS, "extended") if kind in item), whole)
    return whole.data[whole.start : name.start]


def _bases(item: Captured) -> tuple[str, ...]:
    name = item.get("class") or item["interface"]
    head = name.data[name.end : name.end + 300].decode("utf-8", "replace").split("{")[0]
    listed = re.sub(r"\Aw?<[^{]*?>(?=\s*[:{])", "", head).partition(":")[2]
    return tuple(_BASE.findall(re.split(r"\bwhere\b", re.sub(r"<[^<>]*>|@\w+", "", listed))[0]))[:4]


def _imports(code: str, words: Counter[str]) -> tuple[Import, ...]:
    rows: dict[str, dict[str, int]] = {}
    for module, name in _IMPORT.findall(code):
        rows.setdefault(module, {})[name or "*"] = max(words[name], 1) if name else 1
    return tuple(Import(module, tuple(sorted(row.items()))) for module, row in sorted(rows.items()))


def _commands(code: str, found: Captures) -> Iterator[str]:
    """ArgumentParser: the name a command gives itself, else its type's."""
    for item in found:
        if "class" in item and _COMMAND & set(_bases(item)):
            start = code.find(item.text("class"))
            named = _COMMAND_NAME.search(code, start, start + 600) if start >= 0 else None
            yield named[1] if named else _HUMP.sub("-", item.text("class")).lower()


def _abstract(code: str, listed: tuple[Symbol, ...]) -> str:
    """What a command says it is for, where its type has no documentation."""
    if not any(_COMMAND & set(symbol.bases) and not symbol.doc for symbol in listed):
        return ""
    found = _ABSTRACT.search(code)
    return prose.clean(found[1]) if found else ""


def _routes(code: str) -> Iterator[str]:
    """Vapor and Hummingbird; groups give their prefix."""
    if "Vapor" not in code and "Hummingbird" not in code:
        return
    prefixes: dict[str, str] = {}
    for name, parent, path, outer, inner, bound in _GROUP.findall(code):
        prefixes[name or bound] = prefixes.get(parent or outer, "") + _joined(path or inner)
    for target, verb, method, path in _ROUTE.findall(code):
        if target in prefixes or target.rpartition(".")[2] in ("app", "routes", "router", "group"):
            yield f"{method or verb.upper()} {prefixes.get(target, '')}{_joined(path)}"


def _joined(literals: str) -> str:
    return "".join(
        f"/{part.strip('/')}" for part in re.findall(r"\"([^\"]*)\"", literals) if part.strip("/")
    )


def _tables(code: str) -> Iterator[str]:
    for found in _TABLE.finditer(code):
        made = found["made"] or found["table"]
        yield f"{made} ddl" if made else f"{found['mapped']} r"


def _constants(found: Captures) -> Iterator[str]:
    for item in found:
        value = item.text("value")
        if value and _SIMPLE.fullmatch(value):
            yield f"{item.text('constant')}={value}"


def _records(found: Captures) -> Iterator[str]:
    """Stored properties by type, as they are declared; computed and static ones are left out."""
    rows: dict[str, list[str]] = {}
    for item in found:
        if "field" in item:
            whole = item["property"]
            before = whole.data[whole.start : item["field"].start]
            rest = whole.data[item["field"].end : whole.end]
            if b"static" not in before and not re.search(rb"\{\s*(?!didSet|willSet)", rest):
                rows.setdefault(item.text("of"), []).append(item.text("field"))
    yield from (f"{name}{{{','.join(fields[:24])}}}" for name, fields in rows.items())


def _enums(found: Captures) -> Iterator[str]:
    rows: dict[str, list[str]] = {}
    for item in found:
        if "case" in item:
            rows.setdefault(item.text("of"), []).append(item.text("case"))
    yield from (
        f"{name}:{'¦'.join(values[:14])}" for name, values in rows.items() if len(values) > 1
    )


def _notes(found: Captures, code: str) -> tuple[str, ...]:
    extended = common.unique((item.text("extended") for item in found if "extended" in item), 8)
    own = {item.text("class") for item in found if "class" in item}
    others = [name for name in extended if name not in own]
    notes = [f"extends {', '.join(others)}"] if others else []
    if flags := common.unique(_flags(code), 40):
        notes.append(f"flags {', '.join(flags)}")
    return tuple(notes)


def _flags(code: str) -> Iterator[str]:
    if "ArgumentParser" in code:
        for found in _FLAG.finditer(code):
            named = _LONG.search(found["inner"])
            name = (named[1] or named[2] or "") if named else ""
            yield f"--{name or _HUMP.sub('-', found['name']).lower()}"
