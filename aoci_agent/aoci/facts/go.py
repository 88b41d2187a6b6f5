"""Go facts."""

import re
from collections.abc import Mapping

from aoci_agent.aoci.facts import common, flows, prose, signals, steps
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
(source_file (type_declaration (type_alias name: (type_identifier) @type)))
(source_file (const_declaration (const_spec name: (identifier) @constant
  type: (type_identifier)? @of value: (expression_list)? @value)))
(source_file (var_declaration (var_spec name: (identifier) @variable)))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @variable))))
(import_spec name: (_)? @alias path: (_) @import)
"""

_ROUTER = re.compile(r"@Router\s+(\S+)\s+\[(\w+)\]")
_BASE_PATH = re.compile(r"^//\s*@BasePath\s+(/\S+)", re.MULTILINE)
_SUMMARY = re.compile(r"@Summary\s+(.+)")
_GROUP = re.compile(r"(\w+)\s*:?=\s*([\w.()]+?)\.Group\(\s*\"([^\"]*)\"")
_ROUTES = re.compile(
    r"\.(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete|HandleFunc|Handle)"
    r"\(\s*\"([^\"]*)\"\s*,"
)
_ROUTE = re.compile(rf"([\w.]+){_ROUTES.pattern}")
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
_ANSWERS = re.compile(
    r"^func \([^)\n]*\) ([A-Z]\w*)\(\) [\w.\[\]*]+ \{\n\s*return ([^\n{}]{1,60})\n\}", re.MULTILINE
)
_COMMENT = re.compile(r"/(?:\*.*?\*/|/(?<![:\"'`]//)[^\n]*)", re.DOTALL)
_PLAIN = re.compile(
    r"//[^\n]*|/\*.*?\*/|`[^`]*`|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\[^\n]{1,9}?)'", re.DOTALL
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_BOUND = re.compile(r"(?<![\w, \t])[\w, \t]++:=|^[ \t]+var[ \t]+\w+", re.MULTILINE)
_PARAMETERS = re.compile(r"\bfunc\b[^(\n]{0,200}+(\([^{]{0,2000}+)\{", re.DOTALL)
_PARAMETER = re.compile(r"[(,]\s*([a-z_]\w*)(?=\s+[\w*\[.(]|\s*,)")
# Members of something, keys and labels, fields as they are declared, methods, the package clause.
_NOT_OWN = re.compile(
    r"(?<=[\w)\]}])\s*+\.\s*+[A-Za-z_]\w*+|^[ \t]*+[A-Za-z_]\w*+[ \t]*+:(?!=)|^[ \t]++[A-Za-z_]\w*+(?:, \w++)*+[ \t]++(?=[\w*\[(])"
    r"|^package\s+\w+|(?<=^func )\([^)\n]*\) \w+(?=\()",
    re.MULTILINE,
)
_CALLED = re.compile(
    r"^\s*(?:var\s+)?([A-Z]\w+)\s*=\s*(?:\w+\.)?(?!New\b|Errorf\b)\w+\(\"([\w.:/*-]{3,60})\"",
    re.MULTILINE,
)
_SIMPLE = re.compile(
    r"-?\d[\d_.]*(?:\s*\*\s*[\w.]+)?|\"[^\"\n]{1,40}\"|[\w.]+\s*\*\s*\d+|true|false"
)


def go(source: Source) -> Facts:
    """Go source files."""
    found = matches(source, "tree_sitter_go", "language", QUERY)
    text = source.text
    lines = source.lines
    code = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    listed = _symbols(found, lines)
    bare = _PLAIN.sub(_blank, text)
    imports = _imports(found, bare)
    words = _own_words(
        bare,
        {
            captured.text("alias") or _name_of(captured.text("import").strip('"`'))
            for captured in found
            if "import" in captured
        },
    )
    comment = _package_comment(text, lines)
    doc = prose.clean(comment)
    topics = (f"{verb.lower()} {name.strip(chr(34))}" for verb, name in _TOPIC.findall(text))
    return Facts(
        "go",
        doc=doc,
        more=prose.further(comment, doc),
        symbols=listed,
        imports=imports,
        routes=common.unique(_routes(text, code), 60),
        calls=common.called_paths(text),
        commands=common.unique(_COBRA.findall(text)),
        env=common.env_keys(text),
        raises=common.unique(m[1] or m[2] for m in _ERROR.finditer(text)),
        tables=common.sql_tables(text),
        constants=common.unique(
            [
                *_constants(found),
                *(f'{n}="{v}"' for n, v in _CALLED.findall(code)),
                *signals.limits(code),
            ]
        ),
        events=common.unique(topics),
        flows=_flows(source, code, found, listed, imports),
        shapes=common.unique([*_enums(found), *_records(found)], 24),
        members=common.members(text),
        words=tuple(sorted((word, n) for word, n in words.items() if len(word) > 2)),
        notes=common.unique(_notes(code), 16),
        settings=(("base path", base[1]),) if (base := _BASE_PATH.search(text)) else (),
    )


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n") if found[0][0] == "/" else '""'


def _receiver(found: re.Match[str]) -> str:
    """The type of a receiver is one of the package's own."""
    return found[0].rpartition(" ")[0] if found[0][0] == "(" else " "


def _own_words(bare: str, packages: set[str]) -> Mapping[str, int]:
    """Words that may be names of the package: not `x.word`, no keys of literals, no local names."""
    bound = packages.union(_WORD.findall(" ".join(_BOUND.findall(bare))))
    for parameters in _PARAMETERS.findall(bare):
        bound.update(_PARAMETER.findall(parameters))
    words = count_words(_NOT_OWN.sub(_receiver, bare))
    return {word: n for word, n in words.items() if word not in bound or word[0].isupper()}


def _notes(code: str) -> list[str]:
    """When it runs, what its methods without arguments answer, and what every language may say."""
    times = [f"runs at {a or b}" for a, b in _CRON.findall(code)]
    pairs = ((name, value.strip('"')) for name, value in _ANSWERS.findall(code))
    answers = [
        f"{name}={value}"
        for name, value in pairs
        if re.fullmatch(r"[\w./:-]+", value)
        and f"runs at {value}" not in times
        and not re.fullmatch(r"\w{1,2}\.\w+", value)
    ]
    told = [f"answers {', '.join(answers[:8])}"] if answers else []
    return [*times, *told, *(s for s in signals.signals(code) if not s.startswith("runs at"))]


def _flows(
    source: Source,
    code: str,
    found: Captures,
    listed: tuple[Symbol, ...],
    imports: tuple[Import, ...],
) -> tuple[str, ...]:
    if source.path.endswith("_test.go"):
        return ()
    own = frozenset(s.name for s in listed if s.kind in ("function", "method"))
    outside = frozenset(_name_of(item.module) for item in imports)
    dull = frozenset(_name_of(i.module) for i in imports if "." not in i.module.split("/")[0])
    names = steps.Names(own, frozenset(), outside, dull)
    return flows.flows(code, flows.spans_of(found), names, source.text)


def _name_of(module: str) -> str:
    return re.sub(r"^go-|\.v\d+$|-go$", "", re.sub(r"/v\d+$", "", module).rsplit("/", 1)[-1])


def _symbols(found: Captures, lines: list[str]) -> tuple[Symbol, ...]:
    """An exported method is public on any type: interfaces are met by unexported ones."""
    listed = symbols(found, _is_public, lambda line, _: _sentence(lines, line))
    return tuple(
        symbol._replace(public=_is_public(symbol.name)) if symbol.owner else symbol
        for symbol in listed
    )


def _is_public(name: str) -> bool:
    return name[:1].isupper()


def _package_comment(text: str, lines: list[str]) -> str:
    """The comment directly above `package`."""
    found = re.search(r"^package\s+\w+", text, re.MULTILINE)
    line = text.count("\n", 0, found.start()) if found else 0
    return prose.comment_above(lines, line)


def _sentence(lines: list[str], line: int) -> str:
    """First sentence of the comment above; a swag summary says more than the repeated name."""
    comment = prose.comment_above(lines, line)
    summary = _SUMMARY.search(comment)
    said = summary[1].strip() if summary else prose.first_sentence(comment)
    return said if " " in said or not said.isascii() else ""


def _routes(text: str, code: str) -> list[str]:
    """From the annotations in comments where there are some, else from the calls of routers."""
    annotated = [f"{verb.upper()} {path}" for path, verb in _ROUTER.findall(text)]
    if annotated:
        return annotated
    prefixes: dict[str, str] = {}
    for name, parent, path in _GROUP.findall(code) if ".Group(" in code else ():
        prefixes[name] = f"{prefixes.get(parent, '')}/{path.strip('/')}".rstrip("/")
    routes: list[str] = []
    for target, verb, path in _ROUTE.findall(code) if _ROUTES.search(code) else ():
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
        package = alias or _name_of(path)
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
    """Constants that belong together, by their type or their beginning: `Role*:Admin¦User`."""
    groups: dict[str, list[str]] = {}
    current = ""
    for captured in found:
        if "constant" not in captured:
            continue
        named, name = captured.text("of"), captured.text("constant")
        if named or "value" in captured:
            counted = captured.text("value").startswith("iota")
            current = named or (f"\0{name}" if counted else "")
        if current:
            groups.setdefault(current, []).append(name)
    return [_enum(names) for names in groups.values() if len(names) > 1]


def _enum(names: list[str]) -> str:
    """Members after what they all begin with, a whole word of it."""
    shared = names[0]
    while shared and not all(
        n.startswith(shared) and n[len(shared) :][:1].isupper() for n in names
    ):
        shared = shared[:-1]
    if len(shared) < 3:
        return f"{names[0]}…:{'¦'.join(names[:24])}"
    return f"{shared}*:{'¦'.join(name[len(shared) :] for name in names[:24])}"
