"""Kotlin by its outline: there is no grammar, so only types, functions of files and own members are told."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aoci_agent.aoci.facts.kotlin_outline import blanked
from aoci_agent.views.graph.draft import Place
from aoci_agent.views.graph.languages import outlined
from aoci_agent.views.graph.languages.common import reading
from aoci_agent.views.graph.languages.common.names import Names
from aoci_agent.views.graph.model import UNKNOWN, Entry, FileFacts
from aoci_agent.views.graph.scopes import Binding
from aoci_agent.views.syntax.outline import CALLABLES, TYPES, Definition, outline_of
from aoci_agent.views.syntax.text import Text

_PACKAGE = re.compile(r"^[ \t]*package[ \t]+([\w.`]+)", re.MULTILINE)
_IMPORT = re.compile(
    r"^[ \t]*import[ \t]+([\w.`]+?)(?:(\.\*)|[ \t]+as[ \t]+(\w+))?[ \t]*;?[ \t]*$", re.MULTILINE
)
_WORD = re.compile(r"(?<![\w@$`])(\w+)")
_TYPE_VARIABLES = re.compile(r"<([^()]*?)>")


class _Reader(NamedTuple):
    text: Text
    code: str
    draft: Names
    known: frozenset[int]  # places of names of definitions
    bases: frozenset[str] = frozenset()  # of the type around
    head: int = 0  # where its body begins


def kotlin(path: str, data: bytes) -> FileFacts:
    """A Kotlin source file or script."""
    text = reading.text_of(path, data)
    outline = outline_of(path, data)
    package = _PACKAGE.search(text.text)
    space = package[1].replace("`", "") if package else "."
    code = blanked(text.text)
    draft = Names("jvm", space, text.count, "seen")
    places = frozenset(_offset(text, item.line, item.column) for item in outline.definitions)
    reader = _Reader(text, code, draft, places)
    stars: list[str] = []
    with draft.scoped("block"):
        end = _imports(reader, stars)
        _read(reader, list(outline.definitions), "", end, len(code))
    return draft.facts(outline.problem)._replace(stars=tuple(dict.fromkeys(stars)))


def _offset(text: Text, line: int, column: int) -> int:
    return text.starts[line - 1] + column


def _imports(reader: _Reader, stars: list[str]) -> int:
    """Bind what is imported; gives where the imports end."""
    end = 0
    for found in _IMPORT.finditer(reader.code):
        end = found.end()
        parts = found[1].replace("`", "").split(".")
        if found[2]:
            stars.append(".".join(parts))
            continue
        count = next((n for n, name in enumerate(parts) if name[:1].isupper()), len(parts) - 1)
        name = parts[count]
        module, last = ".".join(parts[:count]), parts[-1]
        draft = reader.draft
        value = draft.raw.add("import", module, name)
        for inner in parts[count + 1 :]:
            value = draft.raw.add(".", value, inner)
        line, column = reader.text.place(found.start(1) + len(found[1]) - len(last))
        draft.use(Place(line, column, len(last), 0), "import", value)
        holder = draft.raw.nodes[value]
        called = draft.raw.add(*holder[:-1], f"{last}()")
        for shown, term in ((found[3] or last, value), (f"{found[3] or last}()", called)):
            draft.bind(Binding(shown, "import", term, 0, draft.block, alias=True))
    return max(end, 0)


def _read(reader: _Reader, items: Sequence[Definition], owner: str, start: int, end: int) -> None:
    """A stretch of text with the definitions in it."""
    at = start
    for item in items:
        if item.owner != owner:
            continue
        begin = _offset(reader.text, item.start, 0)
        if begin < at and item.kind not in ("field", "constant", "variable"):
            begin = at
        last = min(_end(reader.text, item.end), end)
        if begin >= at:
            _names(reader, at, begin)
        _definition(reader, item, items, max(begin, at), last)
        at = max(at, last)
    _names(reader, at, end)


def _end(text: Text, line: int) -> int:
    return text.starts[line] if line < len(text.starts) else len(text.text)


def _definition(
    reader: _Reader, item: Definition, items: Sequence[Definition], start: int, end: int
) -> None:
    draft = reader.draft
    callable_ = item.kind in CALLABLES
    name = f"{item.name}()" if callable_ else item.name
    slot = draft.slot(name)
    member = draft.scope.kind == "class"
    draft.defined.append(outlined.defined(item, slot))
    if item.kind in TYPES:
        bases = tuple(_type(reader, base, start) for base in item.bases)
        known = tuple(term for term in bases if term != UNKNOWN)
        draft.entries.append(
            Entry(slot, "class" if item.kind == "type" else item.kind, bases=known)
        )
        with (
            draft.part(slot, item.qualified, (item.start, item.end), "class"),
            draft.scoped("class", slot, item.qualified) as scope,
        ):
            draft.receivers[scope] = draft.raw.add("self", slot)
            if known:
                draft.open.add(scope)
            _variables(reader, item)
            body = reader.code.find("{", _offset(reader.text, item.line, item.column), end)
            inner = reader._replace(bases=_bare(item.bases), head=body if body >= 0 else end)
            _read(inner, items, item.qualified, start, end)
        return
    value = draft.raw.add("is", _type(reader, item.type, start)) if item.type else UNKNOWN
    kind = ("method" if member else "function") if callable_ else "field" if member else "variable"
    parameters = tuple((name, UNKNOWN) for name, _ in item.parameters)
    receiver = (("this", UNKNOWN),) if kind == "method" else ()
    draft.entries.append(
        Entry(slot, kind, value, parameters=(*receiver, *parameters), declared=bool(item.type))
    )
    if not callable_ and member:
        getter = f"{draft.scope.slot}.get{item.name[:1].upper()}{item.name[1:]}()"
        draft.entries.append(Entry(getter, "import", draft.raw.add("own", slot)))
    if callable_:
        with (
            draft.part(slot, item.qualified, (item.start, item.end), "function"),
            draft.scoped("function", slot, item.qualified),
        ):
            _variables(reader, item)
            _names(reader, start, end)
    else:
        _names(reader, start, end)


def _bare(bases: Sequence[str]) -> frozenset[str]:
    return frozenset(re.split(r"\W", base.rpartition(".")[2])[0] for base in bases)


def _variables(reader: _Reader, item: Definition) -> None:
    """Type parameters and parameters hide names of the file."""
    found = _TYPE_VARIABLES.search(item.signature.partition("(")[0])
    names = (
        [part.strip().split(":")[0].split(" ")[-1].strip() for part in found[1].split(",")]
        if found
        else []
    )
    for name in (*names, *(name for name, _ in item.parameters)):
        hidden = Binding(name, "parameter", UNKNOWN, 0, reader.draft.block, alias=True)
        reader.draft.bind(hidden)


def _type(reader: _Reader, written: str, at: int) -> int:
    found = re.match(r"[\w.]+", written)
    name = found[0] if found else ""
    first, *rest = name.split(".")
    if not first[:1].isupper():
        return UNKNOWN
    term = reader.draft.read_type(first, at)
    for part in rest:
        term = reader.draft.raw.add(".", term, part)
    return term


def _names(reader: _Reader, start: int, end: int) -> None:
    """Names used in a stretch: types, functions of files, members of the type around."""
    draft, code = reader.draft, reader.code
    for at, name, before, after in _words(code, start, end):
        if at in reader.known or name in ("import", "package"):
            continue
        line, column = reader.text.place(at)
        place = Place(line, column, len(name), at)
        if before == ".":
            if code[max(at - 5, 0) : at] == "this.":
                draft.use(place, "read", draft.read(f"{name}()" if after == "(" else name, at))
        elif name[:1].isupper():
            use = "base" if at < reader.head and name in reader.bases else "type"
            draft.use(place, use, draft.read_type(name, at))
        elif after in ("(", "{") and name not in _KEYWORDS:
            draft.use(place, "call", draft.read(f"{name}()", at))


_KEYWORDS = frozenset((
    "if", "while", "for", "when", "catch", "fun", "constructor", "init", "super", "this", "throw", "return", "get", "set",
    "else", "try", "do", "finally", "object", "companion", "class", "interface", "where", "in", "is", "as",
))  # fmt: skip


def _words(code: str, start: int, end: int) -> Iterator[tuple[int, str, str, str]]:
    """Each word with its place and the signs around it."""
    for found in _WORD.finditer(code, start, end):
        before = code[max(found.start() - 1, 0) : found.start()]
        after = code[found.end() : found.end() + 2].lstrip(" ")[:1]
        if not found[1][0].isdigit():
            yield found.start(), found[1], before, after
