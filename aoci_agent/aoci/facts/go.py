"""Go facts."""

import re

from aoci_agent.aoci.facts import common, prose
from aoci_agent.aoci.facts.language import Captures, Source, count_words, matches, symbols
from aoci_agent.aoci.facts.model import Facts, Import, Symbol

QUERY = """
(source_file (function_declaration name: (identifier) @function) @at)
(source_file (method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @owner
  (pointer_type [(type_identifier) @owner (generic_type type: (type_identifier) @owner)])
  (generic_type type: (type_identifier) @owner)])) name: (field_identifier) @method) @at)
(source_file (type_declaration (type_spec name: (type_identifier) @class type: (struct_type) @struct)) @at)
(source_file (type_declaration (type_spec name: (type_identifier) @interface
  type: (interface_type) @face)) @at)
(source_file (type_declaration (type_spec name: (type_identifier) @type
  type: [(type_identifier) (qualified_type) (map_type) (slice_type) (function_type) (pointer_type)])) @at)
(source_file (const_declaration (const_spec name: (identifier) @constant
  type: (type_identifier)? @of value: (expression_list)? @value)))
(source_file (var_declaration (var_spec name: (identifier) @variable)))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @variable))))
(import_spec name: (_)? @alias path: (_) @import)
"""

_ROUTER = re.compile(r"@Router\s+(\S+)\s+\[(\w+)\]")
_SUMMARY = re.compile(r"@Summary\s+(.+)")
_GROUP = re.compile(r"(\w+)\s*:?=\s*([\w.()]+?)\.Group\(\s*\"([^\"]*)\"")
_ROUTE = re.compile(
    r"([\w.]+)\.(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete|HandleFunc|Handle)"
    r"\(\s*\"([^\"]*)\"\s*,"
)
_COBRA = re.compile(r"cobra\.Command\s*\{.{0,200}?Use:\s*\"([\w-]+)", re.DOTALL)
_ERROR = re.compile(
    r"\b(Err[A-Z]\w+)\s*=\s*(?:errors\.New|fmt\.Errorf|\w+\.New)|\b([A-Z]\w*Error)\{"
)
_FIELD = re.compile(
    r"^\s+(?:\*?(?:\w+\.)?(?P<embedded>[A-Z]\w*)|(?P<name>[A-Za-z_]\w*)(?:\s*,\s*\w+)*\s+[\w*\[\]][^`\n]*)"
    r"(?P<tag>`[^`\n]*`)?\s*(?://[^\n]*)?$",
    re.MULTILINE,
)
_COLUMN = re.compile(r"gorm:\"[^\"]*column:(\w+)")
_TOPIC = re.compile(r"\.(Publish|Subscribe)\(\s*(?:\w+\s*,\s*)?(?:topic\.)?([A-Z]\w+|\"[\w.-]+\")")
_CRON = re.compile(
    r"\.(?:AddFunc|AddJob|Schedule)\(\s*\"([^\"]+)\"|func \([^)]*\) Period\(\) string \{\s*return \"([^\"]+)\""
)
_SIMPLE = re.compile(
    r"-?\d[\d_.]*(?:\s*\*\s*[\w.]+)?|\"[^\"\n]{1,40}\"|[\w.]+\s*\*\s*\d+|true|false"
)


def go(source: Source) -> Facts:
    """Go source files."""
    found = matches(source, "tree_sitter_go", "language", QUERY)
    text = source.text
    lines = source.lines
    words = count_words(text)
    topics = (f"{verb.lower()} {name.strip(chr(34))}" for verb, name in _TOPIC.findall(text))
    return Facts(
        "go",
        doc=_package_doc(text, lines),
        symbols=_symbols(found, lines),
        imports=_imports(found, text),
        routes=common.unique(_routes(text), 60),
        calls=common.called_paths(text),
        commands=common.unique(_COBRA.findall(text)),
        env=common.env_keys(text),
        raises=common.unique(m[1] or m[2] for m in _ERROR.finditer(text)),
        tables=common.sql_tables(text),
        constants=common.unique(_constants(found)),
        events=common.unique(topics),
        shapes=common.unique([*_records(found), *_enums(found)], 12),
        members=common.members(text),
        words=tuple(sorted((word, n) for word, n in words.items() if len(word) > 2)),
        notes=common.unique(f"runs at {a or b}" for a, b in _CRON.findall(text)),
    )


def _symbols(found: Captures, lines: list[str]) -> tuple[Symbol, ...]:
    """An exported method is public on any type: interfaces are met by unexported ones."""
    listed = symbols(found, _is_public, lambda line, _: _sentence(lines, line))
    return tuple(
        symbol._replace(public=_is_public(symbol.name)) if symbol.owner else symbol
        for symbol in listed
    )


def _is_public(name: str) -> bool:
    return name[:1].isupper()


def _package_doc(text: str, lines: list[str]) -> str:
    """The comment directly above `package`."""
    found = re.search(r"^package\s+\w+", text, re.MULTILINE)
    line = text.count("\n", 0, found.start()) if found else 0
    return prose.clean(prose.comment_above(lines, line))


def _sentence(lines: list[str], line: int) -> str:
    """First sentence of the comment above; a swag summary says more than the repeated name."""
    comment = prose.comment_above(lines, line)
    summary = _SUMMARY.search(comment)
    said = summary[1].strip() if summary else prose.first_sentence(comment)
    return said if " " in said or not said.isascii() else ""


def _routes(text: str) -> list[str]:
    annotated = [f"{verb.upper()} {path}" for path, verb in _ROUTER.findall(text)]
    if annotated:
        return annotated
    prefixes: dict[str, str] = {}
    for name, parent, path in _GROUP.findall(text):
        prefixes[name] = f"{prefixes.get(parent, '')}/{path.strip('/')}".rstrip("/")
    routes: list[str] = []
    for target, verb, path in _ROUTE.findall(text):
        if not path.startswith("/") and (path or target not in prefixes):
            continue
        shown = "ANY" if verb in ("Any", "Handle", "HandleFunc") else verb.upper()
        routes.append(f"{shown} {prefixes.get(target, '')}{path}")
    return routes


def _imports(found: Captures, text: str) -> tuple[Import, ...]:
    imports: dict[str, dict[str, int]] = {}
    chains = common.chains(text)
    for captured in found:
        if "import" not in captured:
            continue
        path = captured.text("import").strip('"`')
        alias = captured.text("alias")
        names = imports.setdefault(path, {"*": 1})
        if alias in ("_", "."):
            continue
        package = re.sub(r"/v\d+$", "", path).rsplit("/", 1)[-1]
        package = alias or re.sub(r"^go-|\.v\d+$|-go$", "", package)
        for member, uses in chains.get(package, {}).items():
            if member[0].isupper():
                names[member] = names.get(member, 0) + uses
    return tuple(
        Import(path, tuple(sorted(names.items())[:80])) for path, names in sorted(imports.items())
    )


def _constants(found: Captures) -> list[str]:
    pairs = [
        (captured.text("constant"), captured.text("value"))
        for captured in found
        if "constant" in captured
    ]
    return [f"{name}={value}" for name, value in pairs if value and _SIMPLE.fullmatch(value)]


def _records(found: Captures) -> list[str]:
    """Structs with their fields: stored columns where they are named, else field names."""
    shapes: list[str] = []
    for captured in found:
        if "struct" not in captured:
            continue
        body = captured.text("struct")
        fields = [_field(match) for match in _FIELD.finditer(body)]
        if fields:
            shapes.append(f"{captured.text('class')}{{{','.join(fields[:24])}}}")
    return shapes


def _field(found: re.Match[str]) -> str:
    column = _COLUMN.search(found["tag"] or "")
    return column[1] if column else found["embedded"] or found["name"]


def _enums(found: Captures) -> list[str]:
    """Constants of one named type; untyped followers of an iota belong to the type before."""
    groups: dict[str, list[str]] = {}
    current = ""
    for captured in found:
        if "constant" not in captured:
            continue
        named = captured.text("of")
        if named or "value" in captured:
            current = named
        if current:
            groups.setdefault(current, []).append(captured.text("constant").removeprefix(current))
    return [f"{name}:{'¦'.join(values[:14])}" for name, values in groups.items() if len(values) > 1]
