"""TypeScript, TSX and JavaScript facts."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from aoci_agent.aoci.facts import common, prose
from aoci_agent.aoci.facts.language import (
    Captures,
    Source,
    count_words,
    matches,
    symbols,
    texts_of,
)
from aoci_agent.aoci.facts.model import Facts, Import, Symbol

_PARSER = "tree_sitter_typescript"
_FUNCTION = "[(arrow_function) (function_expression)]"


def _top(*patterns: str) -> str:
    """Each definition at the top of a file, exported or not."""
    return "".join(
        f"(program ({pattern}) @at)\n(program (export_statement ({pattern}) @exported) @at)\n"
        for pattern in patterns
    )


_SHARED = (
    _top(
        "function_declaration name: (identifier) @function",
        "generator_function_declaration name: (identifier) @function",
        f"lexical_declaration (variable_declarator name: (identifier) @function value: {_FUNCTION})",
        "lexical_declaration (variable_declarator name: (identifier) @constant value: (_) @value)",
    )
    + """
(program (export_statement value: (identifier) @default))
(program (export_statement value: [(call_expression) (arrow_function) (object) (function_expression)] @nameless))
(program (export_statement (export_clause (export_specifier name: (_) @named alias: (_)? @renamed))) @reexport)
(program (export_statement source: (string) @from) @import)
(program (import_statement source: (string) @from) @import)
(call_expression function: (import) arguments: (arguments . (string) @from)) @import
(call_expression function: (identifier) @require (#eq? @require "require")
  arguments: (arguments . (string) @from)) @import
(throw_statement (new_expression constructor: (_) @raised))
"""
)
_CLASSES = (
    _top("class_declaration name: (NAME) @class (class_heritage)? @bases")
    + """
(program [(class_declaration name: (NAME) @owner body: (class_body (method_definition
    ACCESS name: (property_identifier) @method)))
  (export_statement (class_declaration name: (NAME) @owner body: (class_body (method_definition
    ACCESS name: (property_identifier) @method))))])
"""
)
_TYPES = _top(
    "interface_declaration name: (type_identifier) @interface body: (_) @shape",
    "type_alias_declaration name: (type_identifier) @type value: (_) @shape",
    "enum_declaration name: (identifier) @enum body: (_) @shape",
    "abstract_class_declaration name: (type_identifier) @class (class_heritage)? @bases",
)
_TYPED_CLASSES = _CLASSES.replace("NAME", "type_identifier")
TYPED = _SHARED + _TYPES + _TYPED_CLASSES.replace("ACCESS", "(accessibility_modifier)? @access")
UNTYPED = _SHARED + _CLASSES.replace("NAME", "identifier").replace("ACCESS", "")

_CLAUSE = re.compile(r"\b(?:import|export)\s+(?:type\s+)?(?P<clause>.*?)\s*\bfrom\b", re.DOTALL)
_ROUTE = re.compile(
    r"\b(?:app|router|server|api|fastify|route[sr]?|r)\.(get|post|put|patch|delete|all|ws)"
    r"\(\s*[\"'`](/[^\"'`]*)[\"'`]"
)
_HTTP = re.compile(
    r"export\s+(?:async\s+)?(?:function|const)\s+(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b"
)
_CLIENT = re.compile(r"path:\s*`([^`]+)`,\s*method:\s*\"(\w+)\"")
_PROGRAM = re.compile(
    r"[\"'](?:commander|yargs|cac|sade|clipanion|caporal|gluegun|@oclif/core)[\"']"
)
_CASE = re.compile(
    r"^[ \t]*(?:test|it|describe)(?:\.\w+)?\(\s*([\"'`])((?:\\.|(?!\1)[^\\\n]){3,60}?)\1",
    re.MULTILINE,
)
_COMMAND = re.compile(r"\.command\(\s*[\"'`]([\w:-]+)")
_SIMPLE = re.compile(r"-?\d[\d_.]*(?:\s*\*\s*[\d_]+)*|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'|true|false")
_SHAPE_FIELD = re.compile(
    r"^\s*(?:readonly\s+)?[\"']?([A-Za-z_$][\w$-]*)[\"']?\??\s*[:(=,]", re.MULTILINE
)
_ENUM_FIELD = re.compile(r"[{,]\s*(?:/[/*][^\n]*\n\s*)*[\"']?([A-Za-z_$][\w$]*)[\"']?(?=\s*[=,}])")
_TABLE = re.compile(r"\b(?:pg|mysql|sqlite)Table\(\s*[\"'](\w+)[\"']")
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
_WRAPPED = re.compile(r"[\w.]+\(\s*([A-Za-z_$][\w$]*)\s*[,)]")
_VARIABLE = re.compile(r"\$\{[^}]*\}")
_UNION = re.compile(r"\s*\|?\s*(?:[\"'][^\"'|]*[\"']\s*\|?\s*)+")
_LITERAL = re.compile(r"[\"']([^\"']+)[\"']")
_COLUMN = re.compile(r"^\s+(\w+)\s*:\s*\w+\(\s*(?:[\"'](\w+)[\"'])?", re.MULTILINE)
_SEEN = re.compile(
    r">\s*([^<>{}()=;\n]{2,48}?)\s*</"
    r"|\b(?:title|label|placeholder|tooltip|alt|header|headerName|helperText|okText)\s*[=:]\s*[{]?[\"']([^\"'\n]{2,40})[\"']"
    r"|\bt\(\s*[\"']([\w.-]{3,48})[\"']"
)
_QUERY_KEY = re.compile(r"queryKey:\s*\[\s*[\"']([\w/.-]+)")
_STORAGE = re.compile(r"(?:local|session)Storage\.(?:get|set)Item\(\s*[\"']([\w.:-]+)")


def javascript(source: Source) -> Facts:
    """JavaScript and JSX."""
    return _script(source, "javascript", UNTYPED, ("tree_sitter_javascript", "language"))


def typescript(source: Source) -> Facts:
    """TypeScript."""
    return _script(source, "typescript", TYPED, (_PARSER, "language_typescript"))


def tsx(source: Source) -> Facts:
    """TypeScript with JSX."""
    return _script(source, "tsx", TYPED, (_PARSER, "language_tsx"))


def _script(source: Source, name: str, query: str, grammar: tuple[str, str]) -> Facts:
    found = matches(source, *grammar, query)
    text = source.text
    lines = source.lines
    code = _COMMENT.sub("", text)
    exported = _exported(found)
    tables = (f"{table} ddl" for table in _TABLE.findall(text))
    return Facts(
        name,
        doc=prose.clean(prose.leading_comment(lines)),
        symbols=_symbols(found, lines, exported),
        imports=_imports(found, count_words(text), text),
        exports=common.unique(exported, 200),
        routes=common.unique(_routes(code, source.path), 60),
        calls=common.unique(_client_calls(code) or common.called_paths(code), 60),
        commands=common.unique(_COMMAND.findall(code)) if _PROGRAM.search(text) else (),
        env=common.env_keys(code),
        raises=common.unique(_raised(found)),
        tables=common.unique([*common.sql_tables(text), *tables]),
        constants=common.unique(_constants(found)),
        events=common.events(code),
        shapes=common.unique([*_stored(text), *_shapes(found)], 24),
        texts=_texts(code, name),
        cases=common.unique((m[2].replace("\\", "") for m in _CASE.finditer(text)), 12),
        members=common.members(text),
        notes=common.unique([*_nameless(found), *_notes(text)], 6),
    )


def _sentence(lines: list[str], line: int) -> str:
    return prose.first_sentence(prose.comment_above(lines, line))


def _exported(found: Captures) -> list[str]:
    names: list[str] = []
    for captured in found:
        if "exported" in captured:
            names += [captured.text(kind) for kind in captured if kind in _NAMED]
        elif "nameless" in captured:
            wrapped = _WRAPPED.match(captured.text("nameless"))
            names += [wrapped[1]] if wrapped else []
        elif "default" in captured:
            names.append(captured.text("default"))
        elif "named" in captured:
            names.append(captured.text("renamed") or captured.text("named"))
    return [name for name in names if name != "default"]


_NAMED = frozenset(("function", "constant", "class", "interface", "type", "enum"))


def _symbols(found: Captures, lines: list[str], exported: list[str]) -> tuple[Symbol, ...]:
    """Exported names are public, and their methods unless marked otherwise; inner constants go."""
    public = set(exported)
    listed = symbols(found, lambda _: True, lambda line, _: _sentence(lines, line))
    kept: list[Symbol] = []
    for symbol in listed:
        own = symbol.name.startswith(("_", "#")) or symbol.name == "constructor"
        shown = symbol.owner in public and not own if symbol.owner else symbol.name in public
        if shown or symbol.owner or symbol.kind != "constant":
            kept.append(symbol._replace(public=symbol.public and shown))
    return tuple(kept)


def _imports(found: Captures, words: Mapping[str, int], text: str) -> tuple[Import, ...]:
    imports: dict[str, dict[str, int]] = {}
    chains = common.chains(text)
    for captured in found:
        if "import" not in captured:
            continue
        module = captured.text("from").strip("'\"`")
        names = imports.setdefault(module, {})
        clause = _CLAUSE.search(captured.text("import"))
        for name, alias in _bindings(clause["clause"]) if clause else ():
            if name != "*" or alias == "*":
                names[name] = max(words.get(alias, 1) - 1, 1)
                continue
            names["*"] = 1
            for member, uses in chains.get(alias, {}).items():
                names[member] = names.get(member, 0) + uses
        if not names:
            names["*"] = 1
    return tuple(
        Import(module, tuple(sorted(names.items())[:80]))
        for module, names in sorted(imports.items())
    )


def _bindings(clause: str) -> list[tuple[str, str]]:
    """`A, {B as C, type D}` -> default A, B used as C, D."""
    pairs: list[tuple[str, str]] = []
    braces = re.search(r"\{(.*?)\}", clause, re.DOTALL)
    outer = clause.replace(braces[0], "") if braces else clause
    for part in re.sub(
        r"//[^\n]*|/\*.*?\*/", "", braces[1] if braces else "", flags=re.DOTALL
    ).split(","):
        words = part.replace("type ", " ").split()
        if words:
            pairs.append((words[0], words[-1]))
    for part in outer.split(","):
        words = part.split()
        if words and words[0] == "*":
            pairs.append(("*", words[-1]))
        elif words:
            pairs.append(("default", words[0]))
    return pairs


def _routes(text: str, path: str) -> list[str]:
    routes = [f"{verb.upper()} {route}" for verb, route in _ROUTE.findall(text)]
    pure = PurePosixPath(path)
    if pure.stem == "route" and "app" in pure.parts:
        parts = pure.parts[pure.parts.index("app") + 1 : -1]
        url = "/" + "/".join(part for part in parts if not part.startswith(("(", "@")))
        routes += [f"{verb} {url}" for verb in _HTTP.findall(text)]
    return routes


def _client_calls(text: str) -> list[str]:
    """Requests of generated API clients: method and path."""
    return [f"{verb} {_VARIABLE.sub('{*}', path)}" for path, verb in _CLIENT.findall(text)]


def _raised(found: Captures) -> list[str]:
    names = texts_of(found, "raised")
    return [name for name in names if name != "Error" and re.fullmatch(r"[\w.]+", name)]


def _constants(found: Captures) -> list[str]:
    pairs = [
        (captured.text("constant"), captured.text("value"))
        for captured in found
        if "constant" in captured and "value" in captured
    ]
    return [
        f"{name}={value}" for name, value in pairs if name.isupper() and _SIMPLE.fullmatch(value)
    ]


def _shapes(found: Captures) -> list[str]:
    """Interfaces, object types and enums with their members; unions of literals with their values."""
    shapes: list[str] = []
    for captured in found:
        if "shape" not in captured:
            continue
        name = next(
            captured.text(kind) for kind in ("interface", "type", "enum") if kind in captured
        )
        body = captured.text("shape")
        if "enum" in captured:
            values = _ENUM_FIELD.findall(body)
            shapes += [f"{name}:{'¦'.join(values[:14])}"] if values else []
        elif _UNION.fullmatch(body):
            values = _LITERAL.findall(body)
            shapes.append(f"{name}:{'¦'.join(values[:14])}")
        elif body.startswith("{"):
            fields = _SHAPE_FIELD.findall(body.strip("{}").replace(";", "\n"))
            shapes += [f"{name}{{{','.join(dict.fromkeys(fields[:24]))}}}"] if fields else []
    return shapes


def _texts(text: str, language: str) -> tuple[str, ...]:
    """Words on the screen: JSX text, labels and titles, message keys."""
    if language == "typescript" or "<" not in text:
        return ()
    found = [match[1] or match[2] or match[3] for match in _SEEN.finditer(text)]
    clean = (" ".join(item.split()) for item in found)
    return common.unique((item for item in clean if re.search(r"[^\W\d_]{2}", item)), 12)


def _stored(text: str) -> list[str]:
    """Drizzle tables with their columns."""
    shapes: list[str] = []
    for found in _TABLE.finditer(text):
        body = text[found.end() : found.end() + 8000]
        end = re.search(r"^\}?\)", body, re.MULTILINE)
        columns = _COLUMN.findall(body[: end.start()] if end else body)
        names = dict.fromkeys(stored or written for written, stored in columns)
        shapes.append(f"table {found[1]}{{{','.join(list(names)[:40])}}}")
    return shapes


def _nameless(found: Captures) -> list[str]:
    """What a default export without a name begins with."""
    values = texts_of(found, "nameless")
    return [f"default export {prose.cut(' '.join(value.split()), 60)}" for value in values]


def _notes(text: str) -> list[str]:
    keys = list(dict.fromkeys(_QUERY_KEY.findall(text)))
    stored = list(dict.fromkeys(_STORAGE.findall(text)))
    notes = [f"query keys {', '.join(keys[:6])}"] if keys else []
    return notes + ([f"browser storage {', '.join(stored[:6])}"] if stored else [])
