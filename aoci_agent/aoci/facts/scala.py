"""Scala facts."""

import re
from collections.abc import Iterable, Iterator

from aoci_agent.aoci.facts import common, jvm, jvm_marks
from aoci_agent.aoci.facts.jvm import Declared
from aoci_agent.aoci.facts.language import Source, matches
from aoci_agent.aoci.facts.model import Facts, Import

QUERY = """
(class_definition name: (_) @class) @at
(object_definition name: (_) @class) @at
(trait_definition name: (_) @interface) @at
(enum_definition name: (_) @enum) @at
(type_definition name: (type_identifier) @type) @at
(package_object name: (_) @scope) @at
(extension_definition) @scope @at
(function_definition name: (_) @method) @at
(function_declaration name: (_) @method) @at
(given_definition name: (_) @method) @at
(template_body (val_definition pattern: (identifier) @constant value: (_) @value) @at)
(compilation_unit (val_definition pattern: (identifier) @constant value: (_) @value) @at)
[(simple_enum_case name: (_) @member) (full_enum_case name: (_) @member)] @at
"""
_KINDS = ("class", "interface", "enum", "type", "scope", "method", "constant", "member")
_PACKAGE = re.compile(r"^[ \t]*package\s+(?!object\b)([\w.`]+)", re.MULTILINE)
_OBJECT = re.compile(r"^[ \t]*+(?:\w++[ \t]++){0,4}package\s+object\s+([\w`]+)", re.MULTILINE)
_IMPORT = re.compile(r"^([ \t]*)import\s+([^\n{;]*(?:\{[^}]*\}[^\n{;]*)*)", re.MULTILINE)
_ONE = re.compile(r"\s*([\w.`]+?)(?:\.(\{[^}]*\}|\*|_|given))?(?:\s+(?:as|=>)\s+(\w+))?\s*(?:,|\Z)")
_TITLE = re.compile(
    r"\b(?:test|it|they|describe|feature|scenario|property)\s*\(\s*\"([^\"\n]+)\""
    r"|(?:should|must|can)\s+\"([^\"\n]+)\"\s+in\b|\"([^\"\n]+)\"\s+(?:in|>>)\s*[{(]"
)
_SUBJECT = re.compile(r"\"([^\"\n]+)\"\s+(?:should|must|when)\b")
_HTTP4S = re.compile(
    r"\bcase\s+(?:\w+\s*@\s*)?(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s*->\s*(Root[^=\n]*?)(?:\s*:\?.*?)?(?:\s+as\s+\w+)?\s*=>"
)
_PART = re.compile(r"\"([^\"]*)\"|\(\s*(\w+)\s*\)|(?<=/)\s*([a-z_]\w*)")
_TAPIR = re.compile(
    r"\bendpoint\b(?:\s*\.\s*(?!in\b|get\b|post\b|put\b|patch\b|delete\b)\w+(?:\([^()]*\))?)*\s*\.\s*(get|post|put|patch|delete)\b\s*\.in\(([^)]*)\)",
    re.DOTALL,
)
_SCALATRA = re.compile(r"^\s+(get|post|put|patch|delete)\(\s*\"(/[^\"]*)\"\s*\)", re.MULTILINE)
_ENV = re.compile(r"\bsys\.env(?:\.get|\.getOrElse|\.contains)?\(\s*\"([A-Z][A-Z0-9_]{2,})\"")
_SLICK = re.compile(r"\bTable\[[^\]]*\]\]?\(\s*\w+\s*,\s*(?:Some\(\"\w+\"\)\s*,\s*)?\"(\w+)\"")
_COMMAND = re.compile(
    r"\b(?:cmd|Subcommand|Opts\.subcommand|Command)\(\s*(?:name\s*=\s*)?\"([\w:-]+)\""
)
_DEPENDENCY = re.compile(
    r"\"[\w.-]+\"\s*%%?%?\s*\"([\w.-]+)\"\s*%|\b(?:ivy|mvn)\"[\w.-]+::?:?([\w.-]+)"
)


def scala(source: Source) -> Facts:
    """Scala sources and mill builds."""
    text, lines = source.text, source.lines
    items = jvm.declared(matches(source, "tree_sitter_scala", "language", QUERY), source, _KINDS)
    for item in items:
        if item.kind == "method" and item.inside is None:
            item.kind = "function"
    types = [item for item in items if item.kind in jvm.TYPES]
    code = jvm.without_comments(text)
    counts = jvm.words(_IMPORT.sub("", code), functions=True)
    taken = _imports(code, counts)
    shown = [item for item in items if _is_shown(item)]
    served = list(_routes(items, text))
    known = (item.name for item in items if item.kind in (*jvm.TYPES, "function", "method"))
    return Facts(
        "scala",
        doc=jvm.documented(types[0], lines) if served and types else "",
        symbols=jvm.symbols(shown, lines, _is_public, _bases),
        imports=taken,
        routes=common.unique(served, 60),
        calls=jvm_marks.called(text),
        commands=common.unique(
            _COMMAND.findall(text) if "scopt" in text or "decline" in text else ()
        ),
        env=common.unique([*_ENV.findall(text), *common.env_keys(text)]) if "env" in text else (),
        raises=common.unique(jvm.raises(text)),
        tables=common.unique(
            [*(f"{name} ddl" for name in _SLICK.findall(text)), *common.sql_tables(text)]
        ),
        constants=common.unique(_constants(items)),
        events=common.unique(jvm_marks.events(items, text)),
        shapes=common.unique(_shapes(types, items), 12),
        cases=common.unique(_cases(text), 40),
        members=common.members(text),
        words=jvm.foreign_words(counts, known, taken),
        notes=common.unique([*_build(source), *jvm_marks.settings_read(text)]),
        settings=tuple(_settings(code)),
    )


def _settings(code: str) -> Iterator[tuple[str, str]]:
    """The package, and with several clauses the outer ones: their members need no import."""
    package = ""
    for clause in _PACKAGE.findall(code):
        if package:
            yield "within", package
        package = f"{package}.{clause}".strip(".").replace("`", "")
    if found := _OBJECT.search(code):
        package = f"{package}.{found[1]}".strip(".").replace("`", "")
    if package:
        yield "package", package


def _imports(code: str, counts: "dict[str, int]") -> tuple[Import, ...]:
    """An import in a body may start at a value: level 1 keeps it from counting as a package."""
    local: list[tuple[str, str, str]] = []
    top: list[tuple[str, str, str]] = []
    for indent, statement in _IMPORT.findall(code):
        if statement.startswith("$"):
            continue  # a script's own dependency
        for path, chosen, alias in _ONE.findall(statement.replace("_root_.", "")):
            (local if indent else top).extend(
                _names(path.replace("`", "").strip("."), chosen, alias)
            )
    inner = (item._replace(level=1) for item in jvm.imports(local, code, counts))
    return (*jvm.imports(top, code, counts), *inner)


def _names(path: str, chosen: str, alias: str) -> Iterator[tuple[str, str, str]]:
    if not chosen:
        module, _, name = path.rpartition(".")
        if module:
            yield module, name, alias or name
        return
    for part in chosen.strip("{}").split(","):
        words = re.split(r"\s*=>\s*|\s+as\s+", part.strip())
        name = words[0].removeprefix("given ").strip("` ")
        if (name and words[-1] != "_") or name in ("_", "*"):
            everything = name in ("_", "*", "given")
            yield path, "*" if everything else name, words[-1].strip("` ")


def _is_public(item: Declared) -> bool:
    return item.access not in ("private", "protected")


def _is_shown(item: Declared) -> bool:
    if item.kind == "constant":
        return item.inside is None or item.name[:1].isupper()
    return item.kind in (*jvm.TYPES, "function", "method") and item.name not in jvm.DUTIES


def _bases(item: Declared) -> tuple[str, ...]:
    head = jvm.flat(item.tail, "[(").partition("{")[0]
    found = re.search(r"\bextends\b(.*?)(?:\bderives\b|\n\s*\n|:\s*\n|\Z)", head, re.DOTALL)
    names = re.findall(r"\b[A-Z]\w*", found[1].split("\n\n")[0]) if found else []
    return tuple(names)[:4]


def _constants(items: Iterable[Declared]) -> Iterator[str]:
    for item in items:
        if item.kind == "constant" and item.name[:1].isupper() and jvm.SIMPLE.fullmatch(item.value):
            yield f"{item.name}={item.value}"


def _shapes(types: Iterable[Declared], items: Iterable[Declared]) -> Iterator[str]:
    """Case classes with their fields; values of enums."""
    for item in types:
        if item.kind == "enum":
            values = [
                other.name for other in items if other.inside is item and other.kind == "member"
            ]
            if len(values) > 1:
                yield f"{item.name}:{'¦'.join(values[:14])}"
        elif re.search(r"\bcase\s+class\b", item.bare_head):
            names = re.findall(r"(\w+)\s*:", jvm.flat(item.parameters(), "[({"))
            if names:
                yield f"{item.name}{{{','.join(names[:24])}}}"


def _routes(items: Iterable[Declared], text: str) -> Iterator[str]:
    yield from jvm_marks.routes(items, "", {})[0]
    if "Root" in text:
        yield from (f"{verb} {_path(path)}" for verb, path in _HTTP4S.findall(text))
    if "tapir" in text:
        yield from (f"{verb.upper()} {_path(path)}" for verb, path in _TAPIR.findall(text))
    if "scalatra" in text:
        yield from (f"{verb.upper()} {path}" for verb, path in _SCALATRA.findall(text))
    if ("akka.http" in text or "pekko.http" in text) and "path" in text:
        yield from jvm_marks.nested_routes(text)


def _path(pattern: str) -> str:
    """`Root / "users" / IntVar(id)` -> /users/{id}."""
    parts = [text or f"{{{a or b}}}" for text, a, b in _PART.findall(pattern)]
    return "/" + "/".join(part.strip("/") for part in parts)


def _cases(text: str) -> Iterator[str]:
    """Titles of tests; a subject where its behaviours have no names."""
    if not any(word in text for word in ("Spec", "Suite", "Test", "test(")):
        return
    found = [m[m.lastindex or 0] for m in _TITLE.finditer(text)]
    yield from found or _SUBJECT.findall(text)


def _build(source: Source) -> Iterator[str]:
    if source.path.endswith((".sc", ".mill")):
        needed = [a or b for a, b in _DEPENDENCY.findall(source.text)]
        modules = re.findall(
            r"\blazy\s+val\s+`?([\w-]+)`?\s*=\s*\(?\s*(?:project|crossProject)", source.text
        )
        yield f"modules {', '.join(common.unique(modules, 14))}" if modules else ""
        yield f"uses {', '.join(common.unique(needed, 14))}" if needed else ""
