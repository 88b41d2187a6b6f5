"""Java facts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from aoci_agent.aoci.facts import common, jvm, jvm_marks, prose
from aoci_agent.aoci.facts.jvm import Declared
from aoci_agent.aoci.facts.language import Source, matches
from aoci_agent.aoci.facts.model import Facts

QUERY = """
(class_declaration name: (identifier) @class) @at
(interface_declaration name: (identifier) @interface) @at
(annotation_type_declaration name: (identifier) @interface) @at
(enum_declaration name: (identifier) @enum) @at
(record_declaration name: (identifier) @type) @at
(method_declaration name: (identifier) @method) @at
(constructor_declaration name: (identifier) @body) @at
(static_initializer (block) @body) @at
(enum_constant name: (identifier) @member) @at
[(field_declaration declarator: (variable_declarator name: (identifier) @constant value: (_)? @value))
 (constant_declaration declarator: (variable_declarator name: (identifier) @constant value: (_)? @value))] @at
"""
_KINDS = ("class", "interface", "enum", "type", "method", "body", "member", "constant")
_PACKAGE = re.compile(r"^[ \t]*(?:@[^;\n]*\s)?package\s+([\w.]+)\s*;", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import\s+(?:static\s+)?([\w.]+?)\.(\w+|\*)\s*;", re.MULTILINE)
_SUPER = re.compile(r"\b(?:extends|implements)\b([^{]*)")
_BASE = re.compile(r"\b(?!extends\b|implements\b|permits\b)[A-Z]\w*")
_ACCESSOR = re.compile(r"(?:get|set|is|has)[A-Z]\w*|builder|build|toBuilder")
_LOMBOK = frozenset(("Data", "Value", "Getter", "Entity", "Embeddable", "Document", "MappedSuperclass",
                     "ConfigurationProperties", "TableName", "Builder"))  # fmt: skip
_TESTS = frozenset(("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "Property"))
_COLUMN = re.compile(r"\bname\s*=\s*\"(\w+)\"|\(\s*\"(\w+)\"")


def java(source: Source) -> Facts:
    """Java source files."""
    text, lines = source.text, source.lines
    items = jvm.declared(matches(source, "tree_sitter_java", "language", QUERY), source, _KINDS)
    types = [item for item in items if item.kind in jvm.TYPES]
    fields = [item for item in items if item.kind == "constant"]
    beans = {item: names for item in types if (names := _record(item, items))}
    code = jvm.without_comments(text)
    counts = jvm.words(code, functions=False)
    listed = _IMPORT.findall(jvm.head_of(code))
    taken = jvm.imports(((m, n, n) for m, n in listed), code, counts, unused=False)
    package = _PACKAGE.search(code)
    served, asked = jvm_marks.routes(
        items, text, {f.name: f.value for f in fields if f.value[:1] == '"'}
    )
    shown = [item for item in items if _is_shown(item, beans)]
    return Facts(
        "java",
        doc=_doc(source, types, lines, routed=bool(served)),
        symbols=jvm.symbols(shown, lines, _is_public, _bases),
        imports=taken,
        routes=common.unique(served, 60),
        calls=common.unique([*asked, *jvm_marks.called(text)], 60),
        commands=common.unique(jvm_marks.commands(items)),
        env=common.env_keys(text) if "getenv" in text else (),
        raises=common.unique(jvm.raises(text)),
        tables=common.unique([*jvm_marks.tables(types), *common.sql_tables(text)]),
        constants=common.unique(_constants(fields)),
        events=common.unique(jvm_marks.events(items, text)),
        shapes=common.unique([*_shapes(beans), *_enums(types, items)], 12),
        cases=common.unique(_cases(items), 40),
        members=common.members(text),
        words=jvm.foreign_words(counts, (item.name for item in types), taken),
        notes=common.unique(
            [*_module(source), *jvm_marks.schedules(text), *jvm_marks.settings_read(text)]
        ),
        settings=(("package", package[1]),) if package else (),
    )


def _doc(source: Source, types: Sequence[Declared], lines: list[str], *, routed: bool) -> str:
    """A package's own documentation; of a file with routes, what its class says."""
    if PurePosixPath(source.path).name in ("package-info.java", "module-info.java"):
        found = re.search(r"^(?:@|package\b|(?:open )?module\b)", source.text, re.MULTILINE)
        at = source.text.count("\n", 0, found.start()) if found else 0
        comment = prose.comment_above(lines, at)
        return "" if "icense" in comment[:600] else prose.clean(jvm.plain(comment))
    return jvm.documented(types[0], lines) if routed and types else ""


def _module(source: Source) -> Iterable[str]:
    if PurePosixPath(source.path).name == "module-info.java":
        for word in ("exports", "requires"):
            names = re.findall(
                rf"^\s*{word}\s+(?:transitive\s+|static\s+)*([\w.]+)", source.text, re.MULTILINE
            )
            yield f"{word} {', '.join(names[:8])}" if names else ""


def _is_public(item: Declared) -> bool:
    """Top-level types serve their package at least; members count once they are public."""
    if item.inside is None:
        return True
    if item.inside.kind == "interface":
        return item.access != "private"
    return item.access == "public"


def _is_shown(item: Declared, beans: Mapping[Declared, tuple[str, ...]]) -> bool:
    if item.kind == "constant":
        return _is_constant(item) and item.name != "serialVersionUID"
    if item.kind == "method":
        accessor = (
            item.inside is not None and item.inside in beans and _ACCESSOR.fullmatch(item.name)
        )
        return item.name not in jvm.DUTIES and not accessor
    return item.kind in jvm.TYPES


def _is_constant(item: Declared) -> bool:
    if item.kind == "constant" and item.name.isupper():
        if item.inside is not None and item.inside.kind == "interface":
            return True
        return "static" in item.bare_head and "final" in item.bare_head
    return False


def _bases(item: Declared) -> tuple[str, ...]:
    head = jvm.flat(item.tail.partition("{")[0], "<(")
    return tuple(name for part in _SUPER.findall(head) for name in _BASE.findall(part))[:4]


def _constants(fields: Iterable[Declared]) -> list[str]:
    known = [f for f in fields if _is_constant(f) and f.value and jvm.SIMPLE.fullmatch(f.value)]
    known.sort(key=lambda item: item.access == "private")
    return [f"{item.name}={item.value}" for item in known]


def _record(item: Declared, items: Iterable[Declared]) -> tuple[str, ...]:
    """Field names of a type that carries data: a record, an entity, a bean of accessors only."""
    if item.kind == "type":
        parts = jvm.flat(item.parameters(), "<({").split(",")
        return tuple(words[-1] for part in parts if (words := re.findall(r"\w+", part)))[:24]
    inner = [other for other in items if other.inside is item]
    fields = [f for f in inner if f.kind == "constant" and "static" not in f.bare_head]
    methods = [m.name for m in inner if m.kind == "method"]
    active = [name for name in methods if not _ACCESSOR.fullmatch(name) and name not in jvm.DUTIES]
    plain = item.kind == "class" and len(methods) >= len(fields) > 1 and not active
    if plain or item.marks.keys() & _LOMBOK or (fields and not methods and item.kind == "class"):
        return tuple(_column(field) for field in fields)[:24]
    return ()


def _column(field: Declared) -> str:
    for mark in ("Column", "JoinColumn", "TableField", "Field"):
        if found := _COLUMN.search(field.marks.get(mark, "")):
            return found[1] or found[2]
    return field.name


def _shapes(beans: Mapping[Declared, tuple[str, ...]]) -> list[str]:
    return [f"{item.name}{{{','.join(names)}}}" for item, names in beans.items()]


def _enums(types: Iterable[Declared], items: Iterable[Declared]) -> list[str]:
    shapes: list[str] = []
    for item in types:
        if item.kind == "enum":
            values = [
                other.name for other in items if other.inside is item and other.kind == "member"
            ]
            shapes += [f"{item.name}:{'¦'.join(values[:14])}"] if len(values) > 1 else []
    return shapes


def _cases(items: Iterable[Declared]) -> Iterable[str]:
    """Titles of tests: their display name, else the method's name without `test`."""
    for item in items:
        if item.kind != "method":
            continue
        if item.marks.keys() & _TESTS or re.match(r"test[A-Z_]", item.name):
            said = re.search(r"\"([^\"]+)\"", item.marks.get("DisplayName", ""))
            bare = re.sub(r"\Atest_?(?=[A-Z\d])", "", item.name)
            yield said[1] if said else bare[:1].lower() + bare[1:]
