"""TypeScript, TSX and JavaScript facts."""

import re
from collections.abc import Mapping

from aoci_agent.aoci.facts import common, flows, objects, prose, screens, signals, steps
from aoci_agent.aoci.facts.bindings import assigned_exports, imports_of
from aoci_agent.aoci.facts.language import (
    Captures,
    Source,
    count_words,
    matches,
    symbols,
    texts_of,
)
from aoci_agent.aoci.facts.model import Facts, Symbol
from aoci_agent.aoci.facts.webroutes import Server
from aoci_agent.aoci.wordset import wordset

_PARSER = "tree_sitter_typescript"
_FUNCTION = "[(arrow_function) (function_expression)]"


# An object that is a file's face: its functions count as methods, a store's values as its state.
_MEMBERS = f"""(object [(method_definition name: (property_identifier) @method) @at
  (pair key: (property_identifier) @method value: {_FUNCTION}) @at
  (pair key: (property_identifier) @state
    value: [(null) (array) (object) (string) (true) (false) (number) (new_expression)])])"""
_MAKER = f"(arrow_function body: (parenthesized_expression {_MEMBERS}))"
_HOLDER = f"""(variable_declarator name: (identifier) @owner value: [{_MEMBERS}
  (call_expression arguments: (arguments . [{_MEMBERS} {_MAKER}
    (call_expression arguments: (arguments . {_MAKER}))]))])"""


def _top(*patterns: str) -> str:
    """Each definition at the top of a file, exported or not."""
    return "".join(
        f"(program ({pattern}) @at)\n(program (export_statement ({pattern}) @exported) @at)\n"
        for pattern in patterns
    )


_SHARED = (
    (
        _top(
            "function_declaration name: (identifier) @function",
            "generator_function_declaration name: (identifier) @function",
            f"lexical_declaration (variable_declarator name: (identifier) @function value: {_FUNCTION})",
            "lexical_declaration (variable_declarator name: (identifier) @constant value: (_) @value)",
        )
        + """
(program (expression_statement (assignment_expression
  left: (member_expression object: (_) @holder property: (property_identifier) @function)
  right: FUNCTION)) @at (#match? @holder "^(module[.])?exports$"))
(program [(lexical_declaration HOLDER) (export_statement (lexical_declaration HOLDER))])
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
    .replace("HOLDER", _HOLDER)
    .replace("FUNCTION", _FUNCTION)
)
_CLASSES = (
    _top("class_declaration name: (NAME) @class (class_heritage)? @bases")
    + """
(program [(class_declaration name: (NAME) @owner body: (class_body (method_definition
    ACCESS name: (property_identifier) @method) @at))
  (export_statement (class_declaration name: (NAME) @owner body: (class_body (method_definition
    ACCESS name: (property_identifier) @method) @at)))])
"""
)
_TYPES = (
    _top(
        "interface_declaration name: (type_identifier) @interface body: (_) @shape",
        "type_alias_declaration name: (type_identifier) @type value: (_) @shape",
        "enum_declaration name: (identifier) @enum body: (_) @shape",
        "abstract_class_declaration name: (type_identifier) @class (class_heritage)? @bases",
    )
    + """
(statement_block (interface_declaration name: (type_identifier) @nested body: (_) @shape))
(abstract_class_declaration name: (type_identifier) @owner body: (class_body
  [(method_definition (accessibility_modifier)? @access name: (property_identifier) @method)
   (abstract_method_signature (accessibility_modifier)? @access name: (property_identifier) @method)] @at))
(class_declaration name: (type_identifier) @owner body: (class_body (public_field_definition
  (accessibility_modifier)? @access name: (property_identifier) @method value: (arrow_function)) @at))
"""
)
_TYPED_CLASSES = _CLASSES.replace("NAME", "type_identifier")
TYPED = _SHARED + _TYPES + _TYPED_CLASSES.replace("ACCESS", "(accessibility_modifier)? @access")
UNTYPED = _SHARED + _CLASSES.replace("NAME", "identifier").replace("ACCESS", "")

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
_COMMENT = re.compile(r"/(?:\*.*?\*/|/(?<![:\"'`]//)[^\n]*)", re.DOTALL)
_WRAPPED = re.compile(r"[\w.]+\(\s*([A-Za-z_$][\w$]*)\s*[,)]")
_RUNTIME = re.compile(r"^export const runtime\s*=\s*[\"'](\w+)", re.MULTILINE)
_PREFIX = re.compile(r"\.setGlobalPrefix\(\s*[\"']([\w/-]+)")
_VARIABLE = re.compile(r"\$\{[^}]*\}")
_PROJECT = (".", "@/", "~/", "#", "src/")  # how imports of the project's own files begin
# Packages whose calls say nothing about what happens.
_DULL_MODULES = wordset(
    "path node:path util node:util react react-dom react-i18next next-intl next/navigation next/link lodash lodash-es"
    " dayjs moment uuid zod clsx express sonner antd date-fns classnames tailwind-merge events os url"
)


def javascript(source: Source) -> Facts:
    """JavaScript and JSX."""
    return _script(source, "javascript", UNTYPED, ("tree_sitter_javascript", "language"))


def typescript(source: Source) -> Facts:
    """TypeScript."""
    return _script(source, "typescript", TYPED, (_PARSER, "language_typescript"))


def tsx(source: Source) -> Facts:
    """TypeScript with JSX."""
    return _script(source, "tsx", TYPED, (_PARSER, "language_tsx"))


def _settings(default: str, code: str) -> tuple[tuple[str, str], ...]:
    """The name of the default export, and what a server puts before all its routes."""
    prefix = _PREFIX.search(code)
    base = (("base path", f"/{prefix[1].strip('/')}"),) if prefix else ()
    return ((("default", default),) if default else ()) + base


def _script(source: Source, name: str, query: str, grammar: tuple[str, str]) -> Facts:
    found = matches(source, *grammar, query)
    text = source.text
    lines = source.lines
    code = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    exported, whole = _exported(found, code)
    imports, bound = imports_of(found, count_words(text), text)
    listed = _symbols(found, lines, exported)
    cases = common.unique((m[2].replace("\\", "") for m in _CASE.finditer(text)), 12)
    server = Server(code, source.path)
    comment = prose.leading_comment(lines)
    doc = prose.clean(comment)
    return Facts(
        name,
        doc=doc,
        more=prose.further(comment, doc),
        symbols=listed,
        imports=imports,
        exports=common.unique(exported, 200),
        routes=common.unique(server.routes, 60),
        mounts=server.mounts(bound),
        calls=common.unique(_client_calls(code) or common.called_paths(code), 60),
        commands=_commands(code, text),
        env=common.env_keys(code),
        raises=common.unique(_raised(found)),
        tables=common.unique([*common.sql_tables(code), *objects.tables(code)]),
        constants=common.unique([*_constants(found), *signals.limits(code)]),
        events=common.events(code),
        flows=()
        if cases
        else flows.flows(
            code, [*flows.spans_of(found), *server.spans()], _names(listed, bound), text
        ),
        shapes=common.unique(_shapes(found, text, code), 24),
        texts=screens.texts(code, name),
        cases=cases,
        members=common.members(text),
        notes=common.unique(
            [
                *server.notes(bound),
                *objects.error_codes(code),
                *objects.exposed(code),
                *_state(found),
                *signals.signals(code),
                *_nameless(found),
                *screens.notes(code),
                *(f"runtime {name}" for name in _RUNTIME.findall(code)),
            ],
            16,
        ),
        settings=_settings(whole, code),
    )


def _shapes(found: Captures, text: str, code: str) -> list[str]:
    return [
        *objects.stored(text),
        *objects.changed_tables(code),
        *objects.shapes(found),
        *objects.validated(code),
        *objects.constant_objects(code),
    ]


def _commands(code: str, text: str) -> tuple[str, ...]:
    found = ".command(" in code and _PROGRAM.search(text)
    return common.unique(_COMMAND.findall(code)) if found else ()


def _sentence(lines: list[str], line: int) -> str:
    return prose.first_sentence(prose.comment_above(lines, line))


def _exported(found: Captures, code: str) -> tuple[list[str], str]:
    """Every exported name, and the one that stands for the whole file."""
    names: list[str] = []
    whole = ""
    for captured in found:
        if "exported" in captured:
            own = [captured.text(kind) for kind in captured if kind in _NAMED]
            names += own
            if captured.text("at").startswith("export default") and own:
                whole = own[0]
        elif "nameless" in captured:
            wrapped = _WRAPPED.match(captured.text("nameless"))
            names += [wrapped[1]] if wrapped else []
            whole = wrapped[1] if wrapped else whole
        elif "default" in captured:
            whole = captured.text("default")
            names.append(whole)
        elif "named" in captured:
            names.append(captured.text("renamed") or captured.text("named"))
    assigned, alone = assigned_exports(code)
    return [name for name in [*names, *assigned] if name != "default"], whole or alone


_NAMED = frozenset(("function", "constant", "class", "interface", "type", "enum"))


def _symbols(found: Captures, lines: list[str], exported: list[str]) -> tuple[Symbol, ...]:
    """Exported names are public, and their methods unless marked otherwise; inner constants go."""
    public = set(exported)
    listed = symbols(found, lambda _: True, lambda line, _: _sentence(lines, line))
    owners = {symbol.owner for symbol in listed if symbol.owner}
    kept: list[Symbol] = []
    for symbol in listed:
        own = symbol.name.startswith(("_", "#")) or symbol.name == "constructor"
        shown = symbol.owner in public and not own if symbol.owner else symbol.name in public
        if shown or symbol.owner or symbol.kind != "constant" or symbol.name in owners:
            kept.append(symbol._replace(public=symbol.public and shown))
    return tuple(kept)


def _names(listed: tuple[Symbol, ...], bound: Mapping[str, str]) -> steps.Names:
    return steps.Names(
        frozenset(s.name for s in listed if s.kind in ("function", "method")),
        frozenset(name for name, module in bound.items() if module.startswith(_PROJECT)),
        frozenset(name for name, module in bound.items() if not module.startswith(_PROJECT)),
        frozenset(name for name, module in bound.items() if module in _DULL_MODULES),
        frozenset(s.owner for s in listed if s.owner),
    )


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


def _state(found: Captures) -> list[str]:
    """What a store keeps: the values beside its functions."""
    stores: dict[str, list[str]] = {}
    for captured in found:
        if "state" in captured and re.match(r"use|\w*[sS]tore", captured.text("owner")):
            stores.setdefault(captured.text("owner"), []).append(captured.text("state"))
    return [f"state {', '.join(dict.fromkeys(keys[:24]))}" for keys in stores.values()]


def _nameless(found: Captures) -> list[str]:
    """What a default export without a name begins with."""
    values = texts_of(found, "nameless")
    return [
        f"default export {prose.cut(' '.join(value.split()), 60)}"
        for value in values
        if not _WRAPPED.match(value) and "..." not in value[:60]
    ]
