"""What the languages share: source text, tree-sitter queries, and symbols read out of their captures."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from aoci_agent.aoci.facts.model import Symbol
from aoci_agent.aoci.facts.parsing import grammar, parse

if TYPE_CHECKING:
    from tree_sitter import Node, Query


@dataclass(frozen=True)
class Source:
    """One file's text, decoded for analysis only."""

    path: str
    text: str
    data: bytes = field(repr=False, default=b"")
    damage: list[str] = field(
        default_factory=list[str], repr=False
    )  # what parsers complained about

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


@dataclass(frozen=True, slots=True)
class Piece:
    """A captured part of a source."""

    data: bytes = field(repr=False)
    start: int
    end: int
    line: int  # from 0

    @property
    def text(self) -> str:
        return self.data[self.start : self.end].decode("utf-8", "replace")


class Captured(dict[str, Piece]):
    """One match of a query: the pieces by the names the query gives them."""

    def text(self, name: str) -> str:
        """The text of a piece, "" where there is none."""
        piece = self.get(name)
        return piece.text if piece is not None else ""


Captures = list[Captured]


@cache
def query_of(module: str, function: str, text: str) -> "Query":
    """A compiled query of a grammar."""
    from tree_sitter import Query

    return Query(grammar(module, function), text)


def matches(source: Source, module: str, function: str, query: str) -> Captures:
    """Every match of the query, in source order. Raises TooSlow where that would take too long."""
    from tree_sitter import QueryCursor

    data = source.data
    tree = parse(data, module, function)
    if tree.root_node.has_error:
        _note_damage(source, tree.root_node)
    # The binding's own progress callback for queries crashes the interpreter (0.26.1), hence a limit.
    cursor = QueryCursor(query_of(module, function, query), match_limit=4096)
    return [
        Captured((name, _piece(data, nodes[0])) for name, nodes in found.items())
        for _, found in cursor.matches(tree.root_node)
    ]


def _note_damage(source: Source, root: "Node") -> None:
    """Say how much the parser passed over, where that is most of the file."""
    lost = sum(child.end_byte - child.start_byte for child in root.children if child.is_error)
    if root.is_error or lost * 2 > root.end_byte - root.start_byte:
        source.damage.append("could not be parsed for the most part")


def _piece(data: bytes, node: "Node") -> Piece:
    return Piece(data, node.start_byte, node.end_byte, node.start_point[0])


def texts_of(found: Captures, name: str) -> list[str]:
    """The texts of one capture, in source order."""
    return [captured.text(name) for captured in found if name in captured]


_BASE = re.compile(r"\b(?!extends\b|implements\b)[A-Za-z_][\w.]*")
KINDS = ("class", "interface", "type", "enum", "function", "method", "constant", "variable")


def symbols(
    found: Captures, is_public: Callable[[str], bool], doc: Callable[[int, str], str]
) -> tuple[Symbol, ...]:
    """Symbols from captures named after their kind, with `@owner`, `@bases` and `@doc` beside.

    `doc(line, captured)` returns the first sentence for a definition at that line (from 0).
    """
    seen: dict[tuple[str, str], Symbol] = {}
    for captured in found:
        kind = next((kind for kind in KINDS if kind in captured), "")
        if not kind:
            continue
        piece = captured[kind]
        name = captured.text(kind)
        owner = captured.text("owner")
        line = captured.get("at", piece).line
        bases = tuple(_BASE.findall(captured.text("bases")))[:4]
        sentence = doc(line, captured.text("doc"))
        known = seen.get((owner, name))
        if known is None or (not known.doc and sentence):
            hidden = captured.text("access") in ("private", "protected")
            public = not hidden and is_public(name) and (not owner or is_public(owner))
            seen[owner, name] = Symbol(name, kind, piece.line + 1, public, owner, sentence, bases)
    return tuple(sorted(seen.values(), key=lambda item: (item.line, item.owner, item.name)))


_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def count_words(text: str) -> Mapping[str, int]:
    """How often each identifier-like word occurs."""
    return Counter(_WORD.findall(text))
