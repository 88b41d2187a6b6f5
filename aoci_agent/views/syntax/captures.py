"""Matches of a language's query -> items: what is named where, before it is known what is in what.

A query captures the name of each definition under its kind (`@class`, `@function`, any of
`outline.KINDS`), the whole of it as `@at`, and beside them, where there are such:
`@body`, `@bases` (text with several), `@of` (declared or returned type), `@parameters` (one or
more lists), `@owner` (what it belongs to, where that is not around it), `@global` (what it is in
does not matter). `@is.A.B` is a condition: it must read A or B. By themselves stand `@above`, a
comment or an attribute that belongs to what follows it when it is alone on its lines; `@base`, a
base of the type around it; `@outer` with `@wrapped`, a node that begins earlier than the definition
it holds.

Kinds besides `outline.KINDS`: `@member`, a function in an object, kept in what is no function;
`@scope`, no definition itself but the owner of what is in it; `@space`, a namespace that is not
part of qualified names; `@skip`, no definition at all. `@default.KIND` is the whole of a definition
without a name.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.views.syntax import heads, lists
from aoci_agent.views.syntax.lists import Parameters
from aoci_agent.views.syntax.outline import KINDS, TYPES
from aoci_agent.views.syntax.parsed import Grammar, Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

Captured = dict[str, "list[Node]"]

_RANKS = {"skip": 0, "scope": 1, "type": 2, "constant": 3, "field": 4, "variable": 5}
_NAMED = frozenset((*KINDS, "member", "scope", "space", "skip"))
_DEFAULT = "default."
_IS = "is."
_COMPOUND = re.compile(r"::|\s|\w.*>\Z", re.DOTALL)  # more than a name by itself
FAR = 300  # bytes of a line, or of blanks, that are looked at around something
_SIGNS = ":@`"  # around a name, and not part of it: symbols and instance variables of Ruby, quotes


class Syntax(NamedTuple):
    """How a language's definitions are read."""

    grammar: Grammar
    query: str
    parameters: Callable[[str], Parameters] = lists.named
    owner: Callable[[str], str] = heads.dotted  # a type as written -> a qualified name
    bases: Callable[[str], tuple[str, ...]] = heads.bases
    members: frozenset[str] = TYPES  # what a function in is a method
    qualified: bool = False  # whether names are written with `::` where they are defined
    bodiless: bool = True  # whether a callable without a body is only declared
    listed: bool = True  # whether a parameter list is a node of its own
    prepared: Callable[[str], str] | None = None  # applied to every text; lines and columns stay
    repairs: tuple[Callable[[str], str], ...] = ()  # tried on a damaged text, likewise


@dataclass(slots=True, eq=False)
class Item:
    """What one match names. Offsets in bytes, rows and columns from 0."""

    kind: str
    name: str
    start: int
    end: int
    row: int
    column: int  # of the name, in bytes
    rank: int
    captured: Captured
    at: "Node"
    named: "Node"
    owner: str = ""  # as captured
    bases: list[str] = field(default_factory=list[str])
    holder: "Item | None" = None
    qualified: str = ""


class Captures:
    """The items of one file by the place of their names, and what stands around them."""

    def __init__(self, parsed: Parsed, syntax: Syntax) -> None:
        self.parsed = parsed
        self.syntax = syntax
        self.items: dict[int, Item] = {}
        self.above: dict[int, int] = {}  # last row of a comment -> its first
        self.outer: dict[int, int] = {}  # where a wrapped node begins -> first row of what wraps it
        self.loose: list[tuple[int, str]] = []  # bases by place
        self._counted = (-1, 0, 0)  # where a line begins, and its characters up to a column
        for captured in parsed.matches(syntax.query):
            self._take(captured)

    def in_order(self) -> list[Item]:
        """The items, the outer before the inner."""
        return sorted(self.items.values(), key=_place)

    def characters(self, item: Item) -> int:
        """The column of an item's name in characters; items come in order, long lines are counted once."""
        begin = item.named.start_byte - item.named.start_point[1]
        if item.row != item.named.start_point[0]:
            return item.column
        line, counted, characters = self._counted
        if line != begin or counted > item.column:
            counted = characters = 0
        said = self.parsed.data[begin + counted : begin + item.column]
        characters += len(said.decode("utf-8", "replace"))
        self._counted = begin, item.column, characters
        return characters

    def _take(self, captured: Captured) -> None:
        # The binding's own predicates leak what they read (0.26.1), hence conditions by name.
        if not all(self._holds(key, nodes) for key, nodes in captured.items() if key[:3] == _IS):
            return
        if "above" in captured:
            self._take_comment(captured["above"][0])
        elif "base" in captured:
            node = captured["base"][0]
            self.loose.append((node.start_byte, self.parsed.text(node)))
        elif "outer" in captured:
            self.outer[captured["wrapped"][0].start_byte] = captured["outer"][0].start_point[0]
        else:
            self._take_item(captured)

    def _holds(self, key: str, nodes: "list[Node]") -> bool:
        return self.parsed.text(nodes[0]) in key.split(".")[1:]

    def _take_item(self, captured: Captured) -> None:
        key = next((key for key in captured if key in _NAMED or key.startswith(_DEFAULT)), "")
        if not key:
            return
        node = captured[key][0]
        item = self._item(key, node, captured)
        known = self.items.get(node.start_byte)
        if known is None or (item.rank, -len(captured)) < (known.rank, -len(known.captured)):
            self.items[node.start_byte] = item

    def _item(self, key: str, node: "Node", captured: Captured) -> Item:
        at = captured["at"][0] if "at" in captured else node
        row, column = node.start_point
        if key.startswith(_DEFAULT):
            kind, name = key.removeprefix(_DEFAULT), "default"
        else:
            kind, name = key, self.parsed.text(node)
        owner = (
            self.syntax.owner(self.parsed.text(captured["owner"][0])) if "owner" in captured else ""
        )
        if name[:1] in _SIGNS:
            bare = name.lstrip(_SIGNS)
            column, name = column + len(name) - len(bare), bare.rstrip("`")
        elif kind == "extension":
            name = self.syntax.owner(name) or heads.flat(name)
        elif self.syntax.qualified and _COMPOUND.search(name):
            before, bare, offset = heads.last_of(name)
            owner = self.syntax.owner(before) if before else owner
            row += name.count("\n", 0, offset)
            line = name.rfind("\n", 0, offset) + 1
            column, name = (0 if line else column) + len(name[line:offset].encode()), bare
        start, rank = at.start_byte, _RANKS.get(kind, 1)
        return Item(kind, name, start, at.end_byte, row, column, rank, captured, at, node, owner)

    def _take_comment(self, node: "Node") -> None:
        row, column = node.start_point
        start, end, data = node.start_byte, node.end_byte, self.parsed.data
        if start == 0 and data.startswith(b"#!"):
            return
        if column > FAR or (column and not data[start - column : start].isspace()):
            return
        after = b"" if data[end - 1 : end] == b"\n" else data[end : end + FAR].partition(b"\n")[0]
        if not after or after.isspace():
            last = last_row(node, data)
            self.above[last] = min(row, self.above.get(last, row))


def _place(item: Item) -> tuple[int, int, int]:
    return item.start, -item.end, item.named.start_byte


def last_row(node: "Node", data: bytes) -> int:
    """The last row with text of a node; some grammars take the line feeds after one into it."""
    row = node.end_point[0]
    end = node.end_byte
    if data[end - 1 : end].isspace():
        tail = data[max(node.start_byte, end - FAR) : end]
        row -= tail.count(b"\n", len(tail.rstrip()))
    return max(row, node.start_point[0])
