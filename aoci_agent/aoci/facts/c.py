"""C and C++ facts; a header says by its content which of the two it is."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from aoci_agent.aoci.facts import c_text, common, prose
from aoci_agent.aoci.facts.language import KINDS, Captured, Captures, Source, matches, symbols
from aoci_agent.aoci.facts.model import Facts, Import, Symbol

_NAMED = """(function_declarator declarator: (identifier) @function)"""
_POINTERS = f"""[{_NAMED} (pointer_declarator declarator: {_NAMED})
  (pointer_declarator declarator: (pointer_declarator declarator: {_NAMED}))]"""
_C = f"""
(function_definition declarator: {_POINTERS}) @at
(declaration declarator: {_POINTERS}) @at @declared
(struct_specifier name: (type_identifier) @class body: (field_declaration_list) @fields) @at
(union_specifier name: (type_identifier) @class body: (field_declaration_list) @fields) @at
(enum_specifier name: (type_identifier) @enum body: (enumerator_list) @values) @at
(type_definition type: (struct_specifier body: (field_declaration_list) @fields)
  declarator: (type_identifier) @class) @at
(type_definition type: (enum_specifier body: (enumerator_list) @values) declarator: (type_identifier) @enum) @at
(type_definition type: [(type_identifier) (primitive_type) (sized_type_specifier)
  (struct_specifier !body) (union_specifier) (enum_specifier !body)]
  declarator: [(type_identifier) @type (pointer_declarator declarator: (type_identifier) @type)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator
    declarator: (type_identifier) @type)))]) @at
(enumerator name: (identifier) @constant)
(preproc_def name: (identifier) @constant value: (_) @value) @at @macro
(preproc_function_def name: (identifier) @function) @at @macro
(declaration (storage_class_specifier) @extern declarator: [(identifier) @variable
  (pointer_declarator declarator: (identifier) @variable)
  (array_declarator declarator: (identifier) @variable)] (#eq? @extern "extern")) @at @declared
(translation_unit (declaration declarator: [(identifier) @variable
  (init_declarator declarator: (identifier) @variable)
  (init_declarator declarator: (array_declarator declarator: (identifier) @variable))]) @at)
"""
_REFERRED = (
    """(reference_declarator (function_declarator declarator: (field_identifier) @method))"""
)
_MEMBER = f"""[(function_declarator declarator: (field_identifier) @method) {_REFERRED}
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @method))]"""
_OWNED = """(function_declarator declarator: (qualified_identifier
  scope: [(namespace_identifier) @scope (template_type name: (type_identifier) @scope)]
  name: [(identifier) (destructor_name) (operator_name)] @body))"""
_KLASS = """name: [(type_identifier) @owner (template_type name: (type_identifier) @owner)]"""
_CPP = f"""
(class_specifier name: [(type_identifier) @class (template_type name: (type_identifier) @class)]
  (base_class_clause)? @bases body: (field_declaration_list) @inside) @at
(struct_specifier name: (type_identifier) @class (base_class_clause) @bases body: (field_declaration_list) @fields) @at
(class_specifier {_KLASS} body: (field_declaration_list [(field_declaration declarator: {_MEMBER})
  (function_definition declarator: {_MEMBER})] @at))
(struct_specifier {_KLASS} body: (field_declaration_list [(field_declaration declarator: {_MEMBER})
  (function_definition declarator: {_MEMBER})] @at @open))
(class_specifier {_KLASS} body: (field_declaration_list (access_specifier) @section))
(struct_specifier {_KLASS} body: (field_declaration_list (access_specifier) @section))
(function_definition declarator: [{_OWNED} (pointer_declarator declarator: {_OWNED})
  (reference_declarator {_OWNED})])
(function_definition declarator: (reference_declarator {_NAMED})) @at
(namespace_definition !name body: (declaration_list) @hidden)
(alias_declaration name: (type_identifier) @type) @at
(translation_unit (declaration (type_qualifier)
  declarator: (init_declarator declarator: (identifier) @constant value: (_) @value)) @at)
(namespace_definition body: (declaration_list (declaration (type_qualifier)
  declarator: (init_declarator declarator: (identifier) @constant value: (_) @value)) @at))
"""
_BASE = re.compile(r"\b(?!public\b|private\b|protected\b|virtual\b)[A-Za-z_][\w:]*")
_STATIC = re.compile(rb"\bstatic\b")
_SIMPLE = re.compile(
    r"\(?-?(?:0x[\da-fA-F]+|\d[\d.']*)[uUlLfF]*(?:\s*(?:\*|<<)\s*\d+[uUlL]*)*\)?|\"[^\"\n]{1,40}\"|true|false"
)
_HEADERS = frozenset((".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".inc"))


def c(source: Source) -> Facts:
    """C sources and headers; a header with C++ in it is read as such."""
    code = c_text.without_comments(source.text)
    if PurePosixPath(source.path).suffix == ".h" and c_text.is_cpp(code):
        return _facts(source, code, "cpp", _C + _CPP)
    return _facts(source, code, "c", _C)


def cpp(source: Source) -> Facts:
    """C++ sources and headers."""
    return _facts(source, c_text.without_comments(source.text), "cpp", _C + _CPP)


def _facts(source: Source, code: str, language: str, query: str) -> Facts:
    found = _matches(source, f"tree_sitter_{language}", query)
    listed = _symbols(found, source)
    words = Counter(c_text.WORD.findall(c_text.without_strings(code)))
    return Facts(
        language,
        doc=c_text.file_doc(source.lines),
        symbols=listed,
        imports=_imports(code),
        routes=common.unique(c_text.routes(code), 60),
        commands=common.unique(c_text.commands(code)),
        env=common.env_keys(code) if "getenv" in code else (),
        raises=common.unique(c_text.thrown(code)),
        tables=common.sql_tables(code),
        constants=common.unique(_constants(found)),
        shapes=common.unique([*_records(found), *_enums(found)], 12),
        cases=common.unique(c_text.tests(code), 200),
        members=tuple(sorted(set(c_text.MEMBER.findall(code)))),
        words=tuple(sorted((word, n) for word, n in words.items() if word not in c_text.KEYWORDS)),
        notes=_notes(found, code, source.text),
    )


def _matches(source: Source, grammar: str, query: str) -> Captures:
    """The captures; where parsing fails, without the conditions that cut a definition in two."""
    bare = c_text.undecorated(source.text, classes=grammar.endswith("cpp"))
    for text in (bare, c_text.unconditional(bare)):
        damage: list[str] = []
        tried = replace(source, text=text, data=text.encode(), damage=damage)
        found = matches(tried, grammar, "language", query)
        if not damage:
            return found
    return matches(source, grammar, "language", query)


def _symbols(found: Captures, source: Source) -> tuple[Symbol, ...]:
    """What a header declares is public; of a source, what is not static and not a mere prototype."""
    header = PurePosixPath(source.path).suffix in _HEADERS
    private = _private(found, header=header)
    lines = source.lines
    classes = {item.text("class") for item in found if "class" in item}
    kept = [
        item
        for item in found
        if (header or "declared" not in item) and not _is_aside(item, classes)
    ]
    bases = {
        item.text("class"): tuple(_BASE.findall(item.text("bases")))[:4]
        for item in found
        if "bases" in item
    }
    listed = symbols(kept, lambda _: True, lambda line, _: _doc(lines, line))
    return tuple(
        symbol._replace(
            public=(symbol.owner, symbol.name) not in private,
            bases=bases.get(symbol.name, ()) if symbol.kind == "class" else (),
        )
        for symbol in listed
    )


def _key(item: Captured) -> tuple[str, str]:
    return item.text("owner"), next((item.text(kind) for kind in KINDS if kind in item), "")


def _is_aside(item: Captured, classes: set[str]) -> bool:
    """Constructors, and macros used like a definition: `TEST(a, b) {`."""
    name = item.text("function")
    return bool(name) and "macro" not in item and (name in classes or name.isupper())


def _private(found: Captures, *, header: bool) -> set[tuple[str, str]]:
    """Static and unnamed-namespace names, members outside a public section; a source's own types."""
    sections: dict[str, list[tuple[int, str]]] = {}
    for item in found:
        if "section" in item:
            place = (item["section"].start, item.text("section"))
            sections.setdefault(item.text("owner"), []).append(place)
    hidden = [item["hidden"] for item in found if "hidden" in item]
    private: set[tuple[str, str]] = set()
    for item in found:
        kind = next((kind for kind in KINDS if kind in item), "")
        if not kind:
            continue
        piece = item[kind]
        if kind == "method":
            said = [s for at, s in sections.get(item.text("owner"), ()) if at < piece.start]
            unseen = (said[-1] if said else "public" if "open" in item else "private") != "public"
        elif kind in ("function", "variable"):
            unseen = _is_static(item, piece.start) or ("macro" in item and not header)
        else:
            unseen = not header
        if unseen or any(space.start <= piece.start < space.end for space in hidden):
            private.add(_key(item))
    return private


def _is_static(item: Captured, name: int) -> bool:
    """Whether a function's or variable's own words before its name keep it to its file."""
    whole = item.get("at")
    before = whole.data[whole.start : min(name, whole.start + 500)] if whole is not None else b""
    return _STATIC.search(before) is not None or item.text("function") == "main"


def _doc(lines: list[str], line: int) -> str:
    """First sentence of the comment above a definition, or above its template line."""
    while line > 0 and lines[line - 1].lstrip().startswith("template"):
        line -= 1
    above = prose.comment_above(lines, line)
    return "" if c_text.LICENCE.search(above) else prose.first_sentence(above)


def _imports(code: str) -> tuple[Import, ...]:
    """Includes as written; level 1 is one between angle brackets."""
    listed = dict.fromkeys(c_text.includes(code))
    return tuple(Import(path, (("*", 1),), int(system)) for path, system in sorted(listed))


def _constants(found: Captures) -> Iterator[str]:
    for item in found:
        value = item.text("value").strip()
        if "constant" in item and value and _SIMPLE.fullmatch(value):
            yield f"{item.text('constant')}={value}"


def _records(found: Captures) -> Iterator[str]:
    for item in found:
        if "fields" in item:
            fields = list(c_text.fields(item.text("fields")))
            if fields:
                yield f"{item.text('class')}{{{','.join(fields[:24])}}}"


def _enums(found: Captures) -> Iterator[str]:
    for item in found:
        values = c_text.enumerators(item.text("values")) if "values" in item else []
        if len(values) > 1:
            yield f"{item.text('enum')}:{'¦'.join(values[:14])}"


def _notes(found: Captures, code: str, text: str) -> tuple[str, ...]:
    """Members defined outside of their class, options of the command line, parts of the file."""
    bodies: dict[str, list[str]] = {}
    for item in found:
        if "body" in item and not re.match(r"~|operator\b", item.text("body")):
            bodies.setdefault(item.text("scope"), []).append(item.text("body"))
    notes = [
        f"implements {owner}: {', '.join(common.unique(names, 8))}"
        for owner, names in bodies.items()
    ]
    if options := common.unique(c_text.options(code), 40):
        notes.append(f"flags {', '.join(options)}")
    if titles := common.unique(c_text.parts(text), 8):
        notes.append(f"parts {', '.join(titles)}")
    return tuple(notes[:5])
