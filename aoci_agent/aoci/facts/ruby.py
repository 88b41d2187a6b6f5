"""Ruby facts: classes under their namespaces, methods, and what Rails, Sinatra and Rake programs declare."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aoci_agent.aoci.facts import common, prose, ruby_frameworks as frameworks
from aoci_agent.aoci.facts.language import Captured, Captures, Source, matches
from aoci_agent.aoci.facts.model import Facts, Import, Symbol
from aoci_agent.aoci.facts.nesting import nested

QUERY = """
[(class name: (_) @class superclass: (superclass (_) @bases)?) (module name: (_) @module)] @at
[(method name: (_) @method) (singleton_method name: (_) @method)] @at
(assignment left: (constant) @constant right: (_) @value) @at
"""

_FEW = 5  # words; so short a comment above a list of requirements is a headline
_HOLDERS = frozenset(("class", "module"))
_COMMENT = re.compile(
    r"^[ \t]*#[^\n]*|(?<=[\s)\]}])#(?!\{)\s[^\n\"']*$|^=begin.*?^=end[^\n]*|^__END__\n.*",
    re.DOTALL | re.MULTILINE,
)
_MAGIC = re.compile(
    r"^\s*#!?\s*(?:frozen_string_literal|encoding|typed|rubocop|warn_indent|shareable_constant|-\*-|/usr/bin|!)"
)
_STRING = re.compile(r"\"[^\"\\\n#]*(?:\\.[^\"\\\n#]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'")
_CONSTANT = re.compile(r"(?<![\w:.@$])(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*")
_REQUIRED = re.compile(
    r"^[ \t]*(require|require_relative|load|autoload :?\w+,)[ (]*[\"']([\w./-]+)[\"']", re.MULTILINE
)
_HIDDEN = re.compile(r"^([ \t]*)(?:private|protected)[ \t]*$", re.MULTILINE)
_RAISED = re.compile(r"\braise[ (]+(?:::)?((?:\w+::)*[A-Z]\w*)")
_VAGUE = frozenset(
    ("StandardError", "ArgumentError", "RuntimeError", "NotImplementedError", "TypeError")
)
_ATTRIBUTES = re.compile(
    r"^[ \t]*attr_(?:reader|accessor|writer)[ (]+((?::\w+[,\s]*)+)", re.MULTILINE
)
_STRUCT = re.compile(r"(?:Struct\.new|Data\.define)[ (]+(?:\"\w+\",\s*)?((?::\w+[,\s]*)+)")
_SIMPLE = re.compile(
    r"-?\d[\d_.]*(?:\s*\*\s*\d+|\.(?:seconds?|minutes?|hours?|days?|weeks?|megabytes?|kilobytes?))?|\"[^\"\n#]{1,40}\"(?:\.freeze)?|'[^'\n]{1,40}'(?:\.freeze)?|:\w+|true|false"
)
_OPENED = re.compile(r"^[ \t]*(?:module|class)\s+[A-Z][\w:]*", re.MULTILINE)
_WORD = re.compile(r"\w+")
_MEMBER = re.compile(r"[.&]\.?([a-z_]\w{2,}[?!]?)")


@dataclass
class _Read:
    """What a walk over the definitions collects."""

    symbols: list[Symbol] = field(default_factory=list[Symbol])
    spaces: dict[str, None] = field(default_factory=dict[str, None])
    constants: list[str] = field(default_factory=list[str])
    shapes: list[str] = field(default_factory=list[str])


def ruby(source: Source) -> Facts:
    """Ruby source files."""
    found = matches(source, "tree_sitter_ruby", "language", QUERY)
    text = source.text
    lines = source.lines
    code = _COMMENT.sub("", text)
    read = _read(found, lines, text)
    spaces = " ".join(space or "." for space in read.spaces)
    tables, shapes = frameworks.tables(code, read.symbols)
    return Facts(
        "ruby",
        doc=frameworks.schema(code) or _doc(lines, read.symbols),
        symbols=tuple(read.symbols),
        imports=_imports(code),
        routes=common.unique(frameworks.routes(code), 80),
        commands=common.unique(frameworks.commands(code)),
        env=common.unique(sorted({*common.env_keys(code), *frameworks.env(code)})),
        raises=common.unique(_raised(code)),
        tables=common.unique([*common.sql_tables(text), *tables], 60),
        constants=common.unique(read.constants),
        events=common.unique(frameworks.events(code)),
        shapes=common.unique([*shapes, *read.shapes, *_attributes(code, read.symbols)], 60),
        cases=common.unique(frameworks.cases(text, read.symbols), 12),
        members=tuple(sorted(set(_MEMBER.findall(code)))),
        words=_words(code),
        notes=common.unique(frameworks.notes(code), 8),
        settings=(("namespace", spaces),) if spaces not in ("", ".") else (),
    )


def _read(found: Captures, lines: list[str], text: str) -> _Read:
    """Modules that hold nothing but definitions are namespaces, and so are classes opened for that."""
    placed = list(nested(found, _HOLDERS))
    holding = {id(around[-1]) for item, around in placed if around and "method" in item}
    leading = {id(around[-1]) for item, around in placed if around and _HOLDERS & item.keys()}
    hidden = _hidden(text)
    read = _Read()
    for item, around in placed:
        if "constant" in item:
            _constant(item, around, holding, read)
            continue
        names = [name for outer in around for name in _name(outer).split("::")]
        line = item["at"].line
        told = _sentence(lines, line)
        if "method" in item:
            name = item.text("method")
            open_ = not _is_within(hidden, line) and not re.match(
                r"\s*(?:private|protected)\b", lines[line]
            )
            shown = (
                open_ and not name.startswith("_") and name != "initialize" and name.isidentifier()
            )
            kind = "method" if names else "function"
            read.symbols.append(
                Symbol(name, kind, line + 1, shown, names[-1] if names else "", told)
            )
        elif id(item) in holding or id(item) not in leading or "bases" in item:
            _definition(item, around, holding, read, told)
    return read


def _definition(
    item: Captured, around: Sequence[Captured], holding: set[int], read: _Read, told: str
) -> None:
    *inner, name = _name(item).split("::")
    owner = next(
        (
            _name(outer).rsplit("::", 1)[-1]
            for outer in reversed(around)
            if "class" in outer and id(outer) in holding
        ),
        "",
    )
    if not owner:
        names = [part for outer in around for part in _name(outer).split("::")]
        read.spaces["::".join((*names, *inner))] = None
    base = item.text("bases").rsplit("::", 1)[-1]
    bases = (base,) if re.fullmatch(r"\w+", base) else ()
    kind = "class" if "class" in item else "module"
    read.symbols.append(Symbol(name, kind, item["at"].line + 1, True, owner, told, bases))


def _constant(item: Captured, around: Sequence[Captured], holding: set[int], read: _Read) -> None:
    name, value = item.text("constant"), item.text("value")
    fields = _STRUCT.match(value)
    if fields:
        read.shapes.append(f"{name}{{{','.join(_WORD.findall(fields[1])[:24])}}}")
    elif _SIMPLE.fullmatch(value):
        read.constants.append(f"{name}={value.removesuffix('.freeze')}")
    if not any("class" in outer for outer in around):
        read.spaces["::".join(_name(outer) for outer in around)] = None
        kind = "class" if fields else "constant"
        read.symbols.append(Symbol(name, kind, item["at"].line + 1))


def _name(item: Captured) -> str:
    return item.text("class") or item.text("module")


def _sentence(lines: list[str], line: int) -> str:
    said = prose.comment_above(lines, line, "#")
    return (
        prose.first_sentence("\n".join(x for x in said.split("\n") if not _MAGIC.match(f"#{x}")))
        if said
        else ""
    )


def _doc(lines: list[str], listed: Sequence[Symbol]) -> str:
    """The first comment, unless it stands directly above something and is told there."""
    taken: list[str] = []
    for number, line in enumerate(lines[:80]):
        if line.startswith("#"):
            taken += [] if _MAGIC.match(line) else [line]
        elif line.strip() or taken:
            told = any(symbol.line == number + 1 and symbol.doc for symbol in listed)
            headline = line.startswith("require") and len(" ".join(taken).split()) < _FEW
            return "" if told or headline else prose.clean("\n".join(prose.unmark(taken)))
    return prose.clean("\n".join(prose.unmark(taken)))


def _hidden(text: str) -> list[tuple[int, int]]:
    """Line ranges after a bare `private`, up to the end of its class."""
    ranges: list[tuple[int, int]] = []
    for found in _HIDDEN.finditer(text):
        outer = max(len(found[1].expandtabs()) - 1, 0)
        end = re.compile(
            rf"^[ \t]{{0,{outer}}}\S|^{re.escape(found[1])}public\s*$", re.MULTILINE
        ).search(text, found.end())
        start = text.count("\n", 0, found.start())
        ranges.append((start, text.count("\n", 0, end.start()) if end else 1 << 30))
    return ranges


def _is_within(ranges: list[tuple[int, int]], line: int) -> bool:
    place = bisect_right(ranges, (line, 1 << 31)) - 1
    return place >= 0 and ranges[place][0] <= line < ranges[place][1]


def _imports(code: str) -> tuple[Import, ...]:
    modules: set[str] = set()
    for how, path in _REQUIRED.findall(code):
        plain = path.removesuffix(".rb")
        modules.add(f"./{plain}" if how == "require_relative" else plain)
    return tuple(Import(module, (("*", 1),)) for module in sorted(modules))


def _words(code: str) -> tuple[tuple[str, int], ...]:
    """Constants in use, as qualified as they are written; and those that names stand for."""
    counts = Counter(
        word.removeprefix("::")
        for word in _CONSTANT.findall(_OPENED.sub("", _STRING.sub(_without_prose, code)))
    )
    counts.update(frameworks.meant(code))
    return tuple(sorted(counts.items()))


def _without_prose(found: re.Match[str]) -> str:
    """A string of one word may name a class, words in a row do not."""
    return "" if " " in found[0] else found[0]


def _raised(code: str) -> list[str]:
    names = [name.rsplit("::", 1)[-1] for name in _RAISED.findall(code)]
    return [name for name in names if name not in _VAGUE]


def _attributes(code: str, listed: Sequence[Symbol]) -> Iterator[str]:
    """Attributes of a file's only class; with several it is not told whose they are."""
    classes = [symbol.name for symbol in listed if symbol.kind == "class"]
    names = [name for line in _ATTRIBUTES.findall(code) for name in _WORD.findall(line)]
    if len(classes) == 1 and names:
        yield f"{classes[0]}{{{','.join(dict.fromkeys(names[:24]))}}}"
