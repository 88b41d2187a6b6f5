"""Kotlin facts."""

import re
from collections.abc import Iterable, Iterator

from aoci_agent.aoci.facts import common, jvm, jvm_marks
from aoci_agent.aoci.facts.jvm import Declared
from aoci_agent.aoci.facts.kotlin_outline import blanked, outline
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts

_PACKAGE = re.compile(r"^package\s+([\w.`]+)", re.MULTILINE)
_IMPORT = re.compile(
    r"^[ \t]*import\s+([\w.`]+?)\.(\w+|`[^`]+`|\*)(?:\s+as\s+(\w+))?[ \t]*;?[ \t]*$", re.MULTILINE
)
_JVM_NAME = re.compile(r"@file:(?:\w+\.)*JvmName\(\s*\"(\w+)\"")
_PROPERTY = re.compile(r"\b(?:val|var)\s+(\w+)")
_RECORDS = (
    "Serializable",
    "Entity",
    "JsonClass",
    "Document",
    "ConfigurationProperties",
    "Embeddable",
)
_TESTS = frozenset(
    ("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "ParameterizedRobolectricTest")
)
_TITLE = re.compile(
    r"\b(?:it|test|should|describe|context|given|[Ww]hen|`when`|then|scenario|feature|expect)\(\s*\"([^\"\n]+)\""
    r"|^\s+\"([^\"\n]{4,})\"\s*(?:-\s*)?\{",
    re.MULTILINE,
)
_MARKED = re.compile(r"@[\w.:]+")
_EXPOSED = re.compile(
    r"\bobject\s+(\w+)\s*:\s*\w*Table(?:<\w+>)?\((?:name\s*=\s*)?(?:\"(\w+)\")?([^{]*\{)?"
)
_COLUMN = re.compile(r"\bval\s+\w+\s*(?::[^=\n]*)?=\s*\w+(?:<[^>]*>)?\(\s*\"(\w+)\"")
_CLIKT = re.compile(
    r"\bCliktCommand\([^)]*?\bname\s*=\s*\"([\w:-]+)\"|\bSubcommand\(\s*\"([\w:-]+)\""
)


def kotlin(source: Source) -> Facts:
    """Kotlin source files and scripts."""
    text, lines = source.text, source.lines
    code = blanked(text)
    items = outline(text, code)
    types = [item for item in items if item.kind in jvm.TYPES]
    head = jvm.head_of(code)
    counts = jvm.words(_IMPORT.sub("", head) + code[len(head) :], functions=True)
    taken = jvm.imports(_taken(head), code, counts)
    values = {
        item.name: value for item in items if item.kind == "constant" and (value := _value(item))
    }
    served, asked = jvm_marks.routes(items, text, {n: v for n, v in values.items() if v[0] == '"'})
    if "ktor" in text and "io.ktor.client" not in text:
        served += jvm_marks.nested_routes(text)
    shown = [item for item in items if _is_shown(item)]
    known = (item.name for item in items if item.kind in (*jvm.TYPES, "function", "method"))
    return Facts(
        "kotlin",
        doc=jvm.documented(types[0], lines) if served and types else "",
        symbols=jvm.symbols(shown, lines, _is_public, _bases),
        imports=taken,
        routes=common.unique(served, 60),
        calls=common.unique([*asked, *jvm_marks.called(text)], 60),
        commands=common.unique(
            [*jvm_marks.commands(items), *(a or b for a, b in _CLIKT.findall(text))]
        ),
        env=common.env_keys(text) if "getenv" in text else (),
        raises=common.unique(jvm.raises(text)),
        tables=common.unique([*jvm_marks.tables(types), *_exposed(text), *common.sql_tables(text)]),
        constants=common.unique(f"{name}={value}" for name, value in values.items()),
        events=common.unique(jvm_marks.events(items, text)),
        shapes=common.unique([*_shapes(types), *_columns(text)], 12),
        cases=common.unique(_cases(source.path, items, text), 40),
        members=common.members(text),
        words=jvm.foreign_words(counts, known, taken),
        notes=common.unique([*jvm_marks.schedules(text), *jvm_marks.settings_read(text)]),
        settings=tuple(_settings(code, text)),
    )


def _settings(code: str, text: str) -> Iterator[tuple[str, str]]:
    if package := _PACKAGE.search(code):
        yield "package", package[1].replace("`", "")
    if "JvmName" in text and (named := _JVM_NAME.search(text)):
        yield "jvm name", named[1]


def _taken(code: str) -> Iterator[tuple[str, str, str]]:
    for module, name, alias in _IMPORT.findall(code):
        bare = name.strip("`")
        yield module.replace("`", ""), bare, alias or bare


def _is_public(item: Declared) -> bool:
    return item.access not in ("private", "protected")


def _is_shown(item: Declared) -> bool:
    """Functions, types, what stands at the top level, and constants."""
    if item.kind == "constant":
        return item.inside is None or "const" in item.bare_head
    return item.kind in (*jvm.TYPES, "function", "method") and item.name not in jvm.DUTIES


def _bases(item: Declared) -> tuple[str, ...]:
    """The supertypes after the colon that follows the constructor."""
    head = jvm.flat(item.tail, "<(").partition("{")[0].split("\n\n")[0]
    above = re.search(r"\A[^:=]*:(.*)", head, re.DOTALL)
    return tuple(re.findall(r"\b[A-Z]\w*", above[1]))[:4] if above else ()


def _value(item: Declared) -> str:
    found = re.match(r"\s*(?::\s*\w+\s*)?=\s*([^\n;]+?)\s*(?:;|//|\n|\Z)", item.tail)
    constant = "const" in item.bare_head or item.name.isupper()
    return found[1] if found and constant and jvm.SIMPLE.fullmatch(found[1]) else ""


def _shapes(types: Iterable[Declared]) -> Iterator[str]:
    """Data classes with their properties, enums with their values."""
    for item in types:
        if item.kind == "enum":
            values = _values(item)
            if len(values) > 1:
                yield f"{item.name}:{'¦'.join(values[:14])}"
        elif "data" in item.bare_head or item.marks.keys() & set(_RECORDS):
            names = _PROPERTY.findall(jvm.flat(item.parameters(), "{("))
            if names:
                yield f"{item.name}{{{','.join(names[:24])}}}"


def _values(item: Declared) -> list[str]:
    """The entries of an enum: what stands between commas before the first semicolon."""
    whole = str(item.data[item.after : item.end])
    body = blanked(whole).partition("{")[2].rpartition("}")[0]
    listed = _MARKED.sub(" ", jvm.flat(body, "<({")).partition(";")[0]
    parts = [part.split() for part in listed.split(",")]
    return [words[0].strip("`") for words in parts if words and words[0].strip("`").isidentifier()]


def _exposed(text: str) -> Iterator[str]:
    if "exposed" in text:
        yield from (f"{name or kind} ddl" for kind, name, _ in _EXPOSED.findall(text))


def _columns(text: str) -> Iterator[str]:
    """Exposed tables with their columns."""
    if "exposed" not in text:
        return
    for found in _EXPOSED.finditer(text):
        body = text[found.end() :].split("\n}", 1)[0]
        if columns := _COLUMN.findall(body):
            yield f"table {found[2] or found[1]}{{{','.join(columns[:24])}}}"


def _cases(path: str, items: Iterable[Declared], text: str) -> Iterator[str]:
    """Titles of tests: names of `@Test` functions, and those given to a test framework."""
    for item in items:
        if item.marks.keys() & _TESTS:
            bare = re.sub(r"\Atest_?(?=[A-Z\d])", "", item.name)
            yield item.name if " " in item.name else bare[:1].lower() + bare[1:]
    if "Spec" in text or "kotest" in text or "spek" in path.lower():
        yield from (a or b for a, b in _TITLE.findall(text))
