"""Python facts."""

import re
import sys
from collections.abc import Mapping, Sequence

from aoci_agent.aoci.facts import common, flows, prose, signals, steps
from aoci_agent.aoci.facts.language import (
    Captures,
    Source,
    count_words,
    matches,
    symbols,
    texts_of,
)
from aoci_agent.aoci.facts.model import Facts, Import, Symbol

_CLASS = """(class_definition name: (identifier) @class superclasses: (argument_list)? @bases
  body: (block . (expression_statement (string) @doc)?))"""
_FUNCTION = """(function_definition name: (identifier) @function
  body: (block . (expression_statement (string) @doc)?)) @at"""
_METHOD = """(class_definition name: (identifier) @owner body: (block [
  (function_definition name: (identifier) @method) @at
  (decorated_definition definition: (function_definition name: (identifier) @method) @at)]))"""

QUERY = f"""
(module . (comment)* . (expression_statement (string) @module_doc))
(module [{_CLASS} (decorated_definition definition: {_CLASS})])
(module [{_FUNCTION} (decorated_definition definition: {_FUNCTION})])
(module [{_METHOD} (decorated_definition definition: {_METHOD})])
(module (if_statement [(block [{_CLASS} {_FUNCTION}]) (_ (block [{_CLASS} {_FUNCTION}]))]))
(module (try_statement [(block [{_CLASS} {_FUNCTION}]) (_ (block [{_CLASS} {_FUNCTION}]))]))
(module (expression_statement (assignment left: (identifier) @constant right: (_) @value)))
[(import_statement) (import_from_statement)] @import
(raise_statement (call function: (_) @raised))
(decorated_definition (decorator) @decorator definition: (function_definition name: (identifier) @decorated))
(call function: [(identifier) (attribute)] @called
  arguments: (argument_list . (string) @route) (#any-of? @called "path" "re_path" "url"))
(call function: (attribute attribute: (identifier) @add) (#any-of? @add "add_parser" "add_argument")
  arguments: (argument_list . (string) @flag))
"""

_FROM = re.compile(r"from\s++(\.*+)\s*+((?:(?!import\b)[\w.]++)?)\s*+import\b\s*+(.*)", re.DOTALL)
_ROUTE = re.compile(
    r"@[\w.]+\.(?P<verb>get|post|put|patch|delete|head|options|route|websocket|api_route)"
    r"\(\s*(?:rule\s*=|path\s*=)?\s*[rf]?[\"'](?P<path>[^\"']*)[\"'](?P<rest>.*)",
    re.DOTALL,
)
_COMMAND = re.compile(
    r"@[\w.]*\.?(?:command|group)\b(?:\(\s*(?:name\s*=\s*)?(?:[\"']([\w:-]+)[\"'])?)?"
)
_SIMPLE = re.compile(r"[-+]?\d[\d_.eE*+ ]*|[rbf]?\"[^\"\n]{1,40}\"|[rbf]?'[^'\n]{1,40}'|True|False")
_NAME = re.compile(r"[\"'](\w+)[\"']")
_PREFIX = re.compile(
    r"\b(?:APIRouter|Blueprint)\([^()]*?\b(?:url_)?prefix\s*=\s*[\"'](/[^\"']*)[\"']"
)
_COMMENT = re.compile(r"#(?<![\w\"']#)[^\n]*")
_DOCSTRING = re.compile(r":\n(\s*)[rRuU]?(\"\"\"|''').*?\2", re.DOTALL)
_MAPPED = re.compile(r"__tablename__\s*=\s*[\"'](\w+)[\"']|\bdb_table\s*=\s*[\"'](\w+)[\"']")
_CHOICES = re.compile(
    r"^class (\w+)\([^)\n]*(?:Enum|Choices|Flag)[^)\n]*\):\n((?:[ \t]+[^\n]*\n|\n)+)", re.MULTILINE
)
_CHOICE = re.compile(r"^[ \t]+([A-Z][A-Z\d_]*)\s*=\s*(?:[\"']([^\"'\n]{1,30})[\"'])?", re.MULTILINE)
_RECORD = re.compile(
    r"^(?:@(?:\w+\.)?(?:dataclass|define|attr\.s)[^\n]*\n)?class (\w+)\(?([^)\n]*)\)?:\n((?:[ \t]+[^\n]*\n|\n)+)",
    re.MULTILINE,
)
_RECORD_FIELD = re.compile(
    r"^    ([a-z_]\w*)\s*(?::[^=\n]|=\s*(?:models\.\w+|Column|mapped_column|relationship|db\.Column)\()",
    re.MULTILINE,
)


def python(source: Source) -> Facts:
    """Modules and stubs."""
    found = matches(source, "tree_sitter_python", "language", QUERY)
    text = source.text
    bare = _COMMENT.sub("", _DOCSTRING.sub(_emptied, text))
    imports = _imports(found, bare, count_words(text))
    values = dict(zip(texts_of(found, "constant"), texts_of(found, "value"), strict=True))
    constants = [item for item in values.items() if item[0].isupper() or item[0] == "__version__"]
    listed = symbols(_without_variables(found), _is_public, _docstring)
    literal = next(iter(texts_of(found, "module_doc")), "")
    mapped = (
        [f"{a or b} ddl" for a, b in _MAPPED.findall(bare)]
        if "__tablename__" in bare or "db_table" in bare
        else []
    )
    return Facts(
        "python",
        doc=(doc := _module_doc(found, source)),
        more=prose.further(_string(literal), doc) if literal else (),
        symbols=listed,
        imports=imports,
        exports=_exports(source.path, values, imports),
        routes=common.unique(_routes(found, text), 60),
        calls=common.called_paths(text),
        commands=common.unique(_commands(found)),
        env=common.env_keys(text),
        raises=common.unique(_raised(found)),
        tables=common.unique([*common.sql_tables(text), *mapped]),
        constants=common.unique(
            [*(f"{n}={v}" for n, v in constants if _SIMPLE.fullmatch(v)), *signals.limits(bare)]
        ),
        events=common.events(text),
        flows=_flows(source, bare, found, listed, imports),
        shapes=common.unique([*_choices(bare), *_records(bare)], 24),
        members=common.members(text),
        notes=common.unique(signals.signals(bare), 12),
    )


def _emptied(found: re.Match[str]) -> str:
    return ":" + "\n" * found[0].count("\n") + found[1].rpartition("\n")[2] + "..."


def _flows(
    source: Source,
    code: str,
    found: Captures,
    listed: tuple[Symbol, ...],
    imports: Sequence[Import],
) -> tuple[str, ...]:
    name = source.path.rpartition("/")[2]
    if name.startswith("test_") or name == "conftest.py":
        return ()
    own = frozenset(s.name for s in listed if s.kind in ("function", "method"))
    bound = {(n if n != "*" else i.module.split(".")[0]): i for i in imports for n, _ in i.names}
    dull = {
        n
        for n, i in bound.items()
        if not i.level and i.module.split(".")[0] in sys.stdlib_module_names
    }
    types = frozenset(s.owner for s in listed if s.owner)
    names = steps.Names(own, frozenset(bound) - dull, frozenset(), frozenset(dull), types)
    return flows.flows(code, flows.spans_of(found), names, source.text)


def _choices(code: str) -> list[str]:
    """Enumerations with their members, and values where they say something else."""
    told: list[str] = []
    told_of = any(word in code for word in ("Enum", "Choices", "Flag"))
    for name, body in _CHOICES.findall(code) if told_of else ():
        values = [
            n if not v or v.lower() == n.lower() else f"{n}={v}" for n, v in _CHOICE.findall(body)
        ]
        told += [f"{name}:{'¦'.join(values[:24])}"] if values else []
    return told


def _records(code: str) -> list[str]:
    """Classes that carry data, with their fields: dataclasses, schemas, database models."""
    told: list[str] = []
    for name, bases, body in _RECORD.findall(code):
        fields = _RECORD_FIELD.findall(body)
        if len(fields) > 1 and not re.search(r"Enum|Choices|Flag|Test", bases):
            told.append(f"{name}{{{','.join(dict.fromkeys(fields[:24]))}}}")
    return told


def _exports(path: str, values: Mapping[str, str], imports: Sequence[Import]) -> tuple[str, ...]:
    """`__all__`; of a package without one, what it takes from its own modules."""
    if "__all__" in values or not path.endswith("__init__.py"):
        return tuple(_NAME.findall(values.get("__all__", "")))
    names = (name for item in imports if item.level == 1 and item.module for name, _ in item.names)
    return common.unique((name for name in names if name[0] not in "_*"), 200)


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _string(literal: str) -> str:
    return re.sub(r"\A[rRbBuUfF]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')\Z", "", literal)


def _docstring(_line: int, captured: str) -> str:
    return prose.first_sentence(_string(captured)) if captured else ""


def _module_doc(found: Captures, source: Source) -> str:
    for literal in texts_of(found, "module_doc"):
        return prose.clean(_string(literal))
    return prose.clean(prose.leading_comment(source.lines, ("#",)))


def _without_variables(found: Captures) -> Captures:
    """Drop dunder names and private variables: they say nothing about a module's face."""
    return [item for item in found if not item.text("constant").startswith("_")]


def _imports(found: Captures, text: str, words: Mapping[str, int]) -> tuple[Import, ...]:
    imports: dict[tuple[str, int], dict[str, int]] = {}
    chains = common.chains(text)
    for captured in found:
        if "import" not in captured:
            continue
        statement = re.sub(r"#[^\n]*|\\\n", "", captured.text("import"))
        relative = _FROM.match(statement)
        if relative:
            names = imports.setdefault((relative[2], len(relative[1])), {})
            for name, alias in _bindings(relative[3].strip("() \n")):
                names[name] = max(words.get(alias, 1) - 1, 1) if name != "*" else 1
            continue
        for module, alias in _bindings(statement.removeprefix("import")):
            names = imports.setdefault((module, 0), {})
            names["*"] = 1
            for member, uses in chains.get(alias, {}).items():
                names[member] = names.get(member, 0) + uses
    return tuple(
        Import(module, tuple(sorted(names.items())[:200]), level)
        for (module, level), names in sorted(imports.items())
    )


def _bindings(text: str) -> list[tuple[str, str]]:
    """`a as b, c` -> [("a", "b"), ("c", "c")]."""
    pairs: list[tuple[str, str]] = []
    for part in text.split(","):
        words = part.split()
        if words:
            pairs.append((words[0], words[-1] if len(words) == 3 else words[0]))
    return pairs


def _decorators(found: Captures) -> list[tuple[str, str]]:
    return list(zip(texts_of(found, "decorator"), texts_of(found, "decorated"), strict=True))


def _routes(found: Captures, text: str) -> list[str]:
    before = _PREFIX.search(text) if "APIRouter(" in text or "Blueprint(" in text else None
    prefix = before[1].rstrip("/") if before else ""
    routes: list[str] = []
    for decorator, _ in _decorators(found):
        if match := _ROUTE.match(decorator):
            verb = match["verb"].upper()
            methods = re.findall(r"[\"']([A-Z]+)[\"']", match["rest"]) if "OUTE" in verb else [verb]
            path = prefix + match["path"] or "/"
            routes += [f"{method} {path}" for method in (methods or ["ANY"])]
    named = [_string(literal).lstrip("/") for literal in texts_of(found, "route")]
    return routes + [f"ANY /{path}" for path in named]


def _commands(found: Captures) -> list[str]:
    names: list[str] = []
    for decorator, function in _decorators(found):
        if match := _COMMAND.match(decorator):
            names.append(
                match[1] or re.sub(r"_(?:command|cmd|group)$", "", function).replace("_", "-")
            )
    for captured in found:
        if "flag" in captured and captured.text("add") == "add_parser":
            names.append(_string(captured.text("flag")))
    return names


def _raised(found: Captures) -> list[str]:
    names = texts_of(found, "raised")
    return [name.rsplit(".", 1)[-1] for name in names if re.search(r"[A-Z]\w*$", name)]
