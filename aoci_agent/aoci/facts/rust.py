"""Rust facts."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

from aoci_agent.aoci.facts import common, prose, rust_commands, rust_paths
from aoci_agent.aoci.facts.language import KINDS, Captured, Captures, Source, matches, symbols
from aoci_agent.aoci.facts.model import Facts, Import, Symbol
from aoci_agent.aoci.wordset import wordset

QUERY = """
(source_file (function_item (visibility_modifier)? @vis name: (identifier) @function) @at)
(source_file (struct_item (visibility_modifier)? @vis name: (type_identifier) @class
  body: (field_declaration_list)? @fields) @at)
(source_file (union_item (visibility_modifier)? @vis name: (type_identifier) @class) @at)
(source_file (enum_item (visibility_modifier)? @vis name: (type_identifier) @enum
  body: (enum_variant_list) @variants) @at)
(source_file (trait_item (visibility_modifier)? @vis name: (type_identifier) @interface
  bounds: (trait_bounds)? @bases) @at)
(source_file (type_item (visibility_modifier)? @vis name: (type_identifier) @type) @at)
(source_file (const_item (visibility_modifier)? @vis name: (identifier) @constant value: (_)? @value) @at)
(source_file (static_item (visibility_modifier)? @vis name: (identifier) @variable) @at)
(source_file (macro_definition name: (identifier) @function) @at @macro)
(source_file (trait_item name: (type_identifier) @owner body: (declaration_list [
  (function_signature_item name: (identifier) @method) (function_item name: (identifier) @method)] @at)) @trait)
(source_file (impl_item !trait type: [(type_identifier) @owner (generic_type type: (type_identifier) @owner)]
  body: (declaration_list (function_item (visibility_modifier)? @vis name: (identifier) @method) @at)))
(source_file (impl_item trait: [(type_identifier) @met (scoped_type_identifier name: (_) @met)
  (generic_type type: (type_identifier) @met)]
  type: [(type_identifier) @by (generic_type type: (type_identifier) @by)]))
"""

_COMMENT = re.compile(
    r"\bb?r(#*)\".*?\"\1|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\.[^'\n]{0,8})'|//[^\n]*|/\*.*?\*/",
    re.DOTALL,
)
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_ATTRIBUTE = re.compile(r"[ \t]*#\[")
_FIELD = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:r#)?(\w+)\s*:(?!:)", re.MULTILINE)
_INNER = re.compile(r"\{[^{}]*\}|\([^()]*\)|<[^<>]*>|#\[[^\]]*\]|//[^\n]*|/\*.*?\*/", re.DOTALL)
_VARIANT = re.compile(r"(?:^|,)\s*(\w+)(?=\s*(?:=[^,]*)?(?:,|\Z))")
# Traits most types derive or carry without anyone looking them up.
_USUAL = wordset(
    "Debug Display Clone Copy Default From Into TryFrom PartialEq Eq PartialOrd Ord Hash Drop Send Sync"
    " Deref DerefMut AsRef Borrow Index IndexMut Unpin Sized ToString Add Sub Mul Div Neg"
)
_ROUTE_ATTRIBUTE = re.compile(
    r"#\[(?:\w+::)*(get|post|put|patch|delete|head|options)\(\s*\"([^\"]+)\""
)
_ROUTE_CALL = re.compile(r"\.(route|nest|service|scope)\(\s*\"(/[^\"]*)\"\s*,")
_ROUTE_END = re.compile(r";|#\[|\n\}")
_VERB = re.compile(r"\b(get|post|put|patch|delete|head|options|any)(?:_service)?\(")
_TEST = re.compile(
    r"#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b[^\n]{0,300}?\]\s*+(?:#\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*+\]\s*+)*+"
    r"(?:pub\s+)?(?:async\s+)?fn\s+(\w+)|^[ \t]*+\w*?test!\s*[({]\s*(?:fn\s+)?(\w+)",
    re.MULTILINE,
)
_ENV = re.compile(
    r"(?:\bvar(?:_os)?|\b(?:option_)?env!)\s*\(\s*\"([A-Z][A-Z0-9_]{2,})\"|\benv\s*=\s*\"([A-Z][A-Z0-9_]{2,})\""
)
_ERROR = re.compile(r"\b(?:Err|bail!|ensure!)\(\s*(?:\w+::)*?(\w*Error(?:Kind)?(?:::[A-Z]\w+)?)\b")
_ERROR_TYPE = re.compile(
    r"#\[derive\([^)]*\bError\b[^)]*\)\]\s*+(?:#\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*+\]\s*+)*+(?:pub(?:\([^)]*\))?\s+)?(?:enum|struct)\s+(\w+)"
)
_TABLE = re.compile(
    r"\btable!\s*\{\s*(?:[\w.]+\.)?(?P<made>\w+)\s*[({]|#\[(?:diesel|sea_orm|sqlx)\([^\]\n]*table_name\s*=\s*\"?(?P<mapped>\w+)"
)
_SIMPLE = re.compile(
    r"-?\d[\d_.]*(?:[ui]\d+|usize|f\d+)?(?:\s*[*<]{1,2}\s*[\d_]+)*|b?\"[^\"\n]{1,40}\"|true|false"
)
_MEMBER = re.compile(r"(?:\.|::)([a-z_]\w{2,})(?:::<[^()]*?>)?\(")
_FEATURE = re.compile(r"\bfeature\s*=\s*\"([\w-]+)\"")
_EXPORTED = re.compile(
    r"#\[(?:unsafe\()?(?:no_mangle|export_name)|#\[(wasm_bindgen|pyfunction|pyclass|napi)\b"
)


def rust(source: Source) -> Facts:
    """Rust source files."""
    text = source.text
    code = _COMMENT.sub(_bare, text)
    found = matches(source, "tree_sitter_rust", "language", QUERY)
    inner = rust_paths.inline_modules(code)
    modules = rust_paths.declared_modules(code)
    uses = rust_paths.uses(code, inner)
    body = rust_paths.without_uses(code)
    words = Counter(_WORD.findall(body))
    listed = _symbols(found, source.lines)
    starred = any(use.name == use.bound == "*" and use.module != "self" for use in uses)
    public = [use for use in uses if use.public]
    return Facts(
        "rust",
        doc=_file_doc(source.lines) or prose.clean(rust_commands.about(text)),
        symbols=listed,
        imports=(*rust_paths.imports(body, uses, inner, words), *_children(modules)),
        exports=common.unique((use.bound for use in public if use.bound not in "*_"), 200),
        routes=common.unique(_routes(text), 60),
        calls=common.called_paths(text),
        commands=common.unique(rust_commands.commands(text)),
        env=common.unique(
            sorted({a or b for a, b in _ENV.findall(text) if not (a or b).startswith("CARGO_")})
        ),
        raises=common.unique(
            name for name in [*_ERROR_TYPE.findall(text), *_ERROR.findall(text)] if name != "Error"
        ),
        tables=common.unique([*_tables(text), *common.sql_tables(text)]),
        constants=common.unique(_constants(found)),
        events=common.events(text),
        shapes=common.unique([*_records(found), *_enums(found)], 12),
        cases=common.unique(a or b for a, b in _TEST.findall(text)),
        members=tuple(sorted(set(_MEMBER.findall(code)))),
        words=tuple(sorted(words.items())) if starred else (),
        notes=_notes(text, [] if any(s.public for s in listed) else modules),
        settings=_settings(found, modules, public),
    )


def _bare(found: re.Match[str]) -> str:
    """Nothing for a comment; a string stays only where it may be a name."""
    piece = found[0]
    if piece.startswith("/"):
        return ""
    return piece if len(piece) < 40 and not re.search(r"[\s{}]", piece) else '""'


def _symbols(found: Captures, lines: list[str]) -> tuple[Symbol, ...]:
    """What has a visibility of its own is public, and the methods of a trait are as the trait is."""
    shown = {_key(item) for item in found if "vis" in item or "macro" in item}
    traits = {item.text("interface") for item in found if "interface" in item and "vis" in item}
    met: dict[str, list[str]] = {}
    for item in found:
        if "met" in item and item.text("met") not in _USUAL:
            met.setdefault(item.text("by"), []).append(item.text("met"))
    listed = symbols(found, lambda _: True, lambda line, _: _doc_above(lines, line))
    return tuple(
        symbol._replace(
            public=(symbol.owner, symbol.name) in shown or symbol.owner in traits,
            bases=symbol.bases or common.unique(met.get(symbol.name, ()), 4)
            if not symbol.owner
            else (),
        )
        for symbol in listed
    )


def _key(item: Captured) -> tuple[str, str]:
    return item.text("owner"), next((item.text(kind) for kind in KINDS if kind in item), "")


def _file_doc(lines: list[str]) -> str:
    """The `//!` lines, else a `/*! */` block."""
    inner = [line.strip() for line in lines[:400] if line.startswith("//!")]
    if inner:
        return prose.clean(
            "\n".join(prose.unmark([line.replace("//!", "//", 1) for line in inner]))
        )
    block = re.match(r"\s*/\*!(.*?)\*/", "\n".join(lines[:80]), re.DOTALL)
    return prose.clean("\n".join(prose.unmark(block[1].split("\n")))) if block else ""


def _doc_above(lines: list[str], line: int) -> str:
    """First sentence of the comment above a definition and its attributes."""
    above = line - 1
    while above >= 0 and lines[above].strip().endswith(("]", ",", "(", ")")):
        start = above
        while start > above - 12 and start > 0 and not _ATTRIBUTE.match(lines[start]):
            start -= 1
        if not _ATTRIBUTE.match(lines[start]):
            break
        above = start - 1
    return prose.first_sentence(prose.comment_above(lines, above + 1))


def _records(found: Captures) -> Iterator[str]:
    for item in found:
        if "fields" in item:
            fields = _FIELD.findall(item.text("fields").lstrip("{"))
            if fields:
                yield f"{item.text('class')}{{{','.join(fields[:24])}}}"


def _enums(found: Captures) -> Iterator[str]:
    for item in found:
        if "variants" in item:
            body = item.text("variants")[1:-1]
            for _ in range(3):
                body = _INNER.sub("", body)
            variants = _VARIANT.findall(body)
            if variants:
                yield f"{item.text('enum')}:{'¦'.join(variants[:14])}"


def _constants(found: Captures) -> Iterator[str]:
    for item in found:
        value = item.text("value")
        if value and _SIMPLE.fullmatch(value):
            yield f"{item.text('constant')}={value}"


def _routes(text: str) -> Iterator[str]:
    """Attributes of actix and rocket, and router calls of axum and actix with their verbs."""
    for verb, path in _ROUTE_ATTRIBUTE.findall(text):
        yield f"{verb.upper()} {path}"
    calls = list(_ROUTE_CALL.finditer(text))
    for call, following in zip_longest(calls, calls[1:]):
        if call[1] != "route":
            continue
        end = min(following.start() if following else len(text), call.end() + 400)
        verbs = _VERB.findall(_ROUTE_END.split(text[call.end() : end])[0])
        for verb in verbs or ["any"]:
            yield f"{verb.upper()} {call[2]}"


def _tables(text: str) -> Iterator[str]:
    for found in _TABLE.finditer(text):
        yield f"{found['made']} ddl" if found["made"] else f"{found['mapped']} r"


def _notes(text: str, modules: list[tuple[str, str]]) -> tuple[str, ...]:
    features = common.unique(_FEATURE.findall(text), 8)
    notes = [f"features {', '.join(features)}"] if features else []
    notes += (
        [f"flags {', '.join(flags)}"]
        if (flags := common.unique(rust_commands.flags(text), 40))
        else []
    )
    if exported := _EXPORTED.search(text):
        notes.append(f"exported through {exported[1] or 'the C interface'}")
    if modules:
        notes.append(f"modules {', '.join(common.unique((name for name, _ in modules), 12))}")
    return tuple(notes)


def _children(modules: list[tuple[str, str]]) -> tuple[Import, ...]:
    """A module refers to its inner modules by declaring them."""
    names = sorted({(name, 1) for name, _ in modules})
    return (Import("self", tuple(names), 2),) if names else ()


def _settings(
    found: Captures, modules: list[tuple[str, str]], public: list[rust_paths.Use]
) -> tuple[tuple[str, str], ...]:
    """The module tree and what is passed on: a change of them may change what any path means."""
    tree = [(f"mod {name}", file) for name, file in modules]
    passed = [(f"use {use.bound}", f"{use.module}::{use.name}") for use in public]
    macros = [(f"macro {item.text('function')}", "") for item in found if "macro" in item]
    return (*sorted({*tree, *macros}), *sorted(set(passed)))
