"""What in another tool's index no longer holds: compared with the files, name by name.

Only what can be told for certain counts: prose, translated words and names of outside packages are
not judged, and a name that stands anywhere in the file is not absent.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.foreign.model import Foreign
from aoci_agent.aoci.model import Entry
from aoci_agent.aoci.tags import size_of
from aoci_agent.aoci.wordset import wordset

Kind = Literal["missing", "repeated", "ambiguous", "api", "relation", "token", "size", "uncovered"]
_KINDS: Mapping[str, Kind] = {
    "file missing": "missing",
    "repeated": "repeated",
    "name is ambiguous": "ambiguous",
}
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
# What only code is spelt like: two humps, an underscore inside, a call, a constant.
_NAME = re.compile(
    r"(?<![\w$./-])(?:[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[a-z0-9]+(?:_[a-z0-9]+)+"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w$])",
    re.ASCII,  # other scripts stand close to names
)
_ROUTE = re.compile(r"(?:[A-Z]+ )?(?P<path>/[\w/:{}<>*.-]+)\Z")
_LITERAL = re.compile(r"[\w.-]+")
_THRESHOLD = re.compile(r"\b[TSML](?:[-= ]?[a-z]+)?\s*[<>≤≥]=?\s*\d")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$.]*\Z")
# Spelt like a name, and none: products and formats.
_PRODUCTS = wordset(
    "JavaScript TypeScript GitHub GitLab MySQL PostgreSQL MongoDB GraphQL WebSocket OpenAI OpenRouter"
    " iPhone macOS YouTube LaTeX DeepSeek ChatGPT OAuth SQLite NodeJS"
)


class StaleRow(NamedTuple):
    """One thing that does not hold. `items` are the names it is about, in the order written."""

    kind: Kind
    path: str
    items: tuple[str, ...] = ()


def stale_report(
    foreign: Foreign, world: Mapping[str, Facts], texts: Mapping[str, str]
) -> tuple[StaleRow, ...]:
    """Rows by path. `world` are the facts of indexed files, `texts` their content where known.

    A file without facts is only looked for; a file without text is judged by its facts alone.
    """
    rows = [StaleRow(_KINDS[item.reason], item.path) for item in foreign.unmapped]
    names, sizes = _Names(foreign.files, world), _Sizes(foreign)
    for entry in foreign.index.entries:
        facts = world.get(entry.path)
        if facts is not None:
            rows += _of_entry(entry, facts, texts, names)
            if sizes.is_wrong(entry.tag.size, size_of(facts.lines)):
                change = f"{entry.tag.size}→{size_of(facts.lines)}"
                rows.append(StaleRow("size", entry.path, (change,)))
    covered = foreign.index.by_path.keys() | foreign.named
    rows += [StaleRow("uncovered", path) for path in world if path not in covered]
    return tuple(sorted(rows, key=lambda row: (row.path, row.kind, row.items)))


class _Sizes:
    """When a size letter is wrong: where the index says what the letters mean, as soon as it differs."""

    def __init__(self, foreign: Foreign) -> None:
        used = [entry.tag.size for entry in foreign.index.entries if entry.tag.size]
        is_rare = used.count("T") * 50 < len(used)  # then T is a trait without a size behind it
        self._order = "TSML" if not is_rare else "SML"
        told = " ".join(line.text for line in foreign.index.header)
        self._least = 1 if _THRESHOLD.search(told) else 2  # neighbours could be anywhere

    def is_wrong(self, told: str, counted: str) -> bool:
        """Whether the letter cannot stand for a file of that size."""
        if not told or told not in self._order:
            return False
        counted = counted if counted in self._order else self._order[0]
        return abs(self._order.index(told) - self._order.index(counted)) >= self._least


class _Names:
    """Everything R may mean: endings of paths, with and without extension, and symbols."""

    def __init__(self, files: frozenset[str], world: Mapping[str, Facts]) -> None:
        self.endings: dict[str, str] = {}
        for path in sorted(files):
            for ending in _endings(path):
                self.endings.setdefault(ending.lower(), path)
        self.symbols = {symbol.name for facts in world.values() for symbol in facts.symbols}
        routes = (route for facts in world.values() for route in facts.routes + facts.calls)
        self.routes = {part for route in routes for part in _LITERAL.findall(route)}

    def path(self, item: str) -> str | None:
        """A file or directory the item names."""
        return self.endings.get(item.strip("/").removeprefix("./").lower())


def _endings(path: str) -> Iterator[str]:
    """Endings of the path and of its directories, the file's also without its extension."""
    parts = path.split("/")
    for end in range(len(parts), 0, -1):
        for start in range(end):
            whole = "/".join(parts[start:end])
            yield whole
            stem, dot, _ = whole.rpartition(".")
            if end == len(parts) and dot and stem:
                yield stem
        if end < len(parts) - 3:
            return


def _of_entry(
    entry: Entry, facts: Facts, texts: Mapping[str, str], names: _Names
) -> Iterator[StaleRow]:
    own = _words(facts, texts.get(entry.path))
    if absent := tuple(item for item in entry.api if _is_absent(item, own, names)):
        yield StaleRow("api", entry.path, absent)
    if lost := tuple(item for item in entry.relations if _is_lost(item, own, facts, names)):
        yield StaleRow("relation", entry.path, lost)
    if texts.get(entry.path) is None:
        return  # facts alone do not hold every name of a file
    cited = [path for item in entry.relations if (path := names.path(item)) is not None]
    near = own.union(*(_WORD.findall(texts.get(path, "")) for path in cited))
    told = dict.fromkeys(_NAME.findall(f"{entry.function} {entry.synopsis}"))
    lower = {word.lower() for word in near}
    if unknown := tuple(name for name in told if not _is_known(name, lower, names)):
        yield StaleRow("token", entry.path, unknown)


def _words(facts: Facts, text: str | None) -> set[str]:
    """Every word of a file, from its text and its facts."""
    listed = (
        *(facts.exports + facts.routes + facts.calls + facts.commands + facts.env + facts.events),
        *(facts.tables + facts.constants + facts.shapes + facts.notes),
    )
    words = set(_WORD.findall(" ".join(listed)))
    words.update(part for name in listed for part in _LITERAL.findall(name))
    words.update(word for symbol in facts.symbols for word in (symbol.name, symbol.owner))
    if text is not None:
        words.update(_WORD.findall(text))
        words.update(part for part in re.findall(r"[\w-]+(?:\.[\w-]+)*", text))
    return words


def _is_absent(item: str, own: set[str], names: _Names) -> bool:
    """Whether an offered name is nowhere in the file; free text is not judged.

    A route counts as there when any file serves or calls one that ends like it: its front is often
    set where the router is mounted, and handlers list routes that a router file declares.
    """
    route = _ROUTE.fullmatch(item.strip())
    if route is not None:
        literal = [p for p in route["path"].split("/") if p and _LITERAL.fullmatch(p)]
        return bool(literal) and literal[-1] not in own and literal[-1] not in names.routes
    name = item.removesuffix("()")
    if not _IDENTIFIER.fullmatch(name) or not (_NAME.fullmatch(name) or item.endswith("()")):
        return False
    return not all(part in own for part in name.split("."))


def _is_lost(item: str, own: set[str], facts: Facts, names: _Names) -> bool:
    """Whether a reference names neither a file nor anything the source speaks of."""
    if item.startswith("@") or " " in item or not item.isascii():
        return False
    if names.path(item) is not None or item in own or item in names.symbols:
        return False
    if any(item in module.module for module in facts.imports):
        return False
    is_path = "/" in item or re.search(r"\.\w{1,5}\Z", item) is not None
    return is_path or _NAME.fullmatch(item) is not None


def _is_known(name: str, near: set[str], names: _Names) -> bool:
    """Whether a name stands in the files at hand, however capitalised, or is one of this repository."""
    if name.lower() in near or name in _PRODUCTS or name in names.symbols:
        return True
    return names.path(name) is not None
