"""Rust patterns: the names they bind, and what is known of each."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common.walk import Walk
from aoci_agent.views.graph.languages.rust.notes import RustNotes
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

_HOLDERS = {"Some": "some", "Ok": "some", "Err": "1"}


def bind(walk: Walk, node: "Node | None", value: int) -> None:
    """Bind every name of a pattern that a value is matched with."""
    if node is None:
        return
    reader = _READERS.get(node.type)
    if reader is not None:
        reader(walk, node, value)
    else:
        walk.visit(node)


def _name(walk: Walk, node: "Node", value: int) -> None:
    if walk.text_of(node)[:1].isupper():
        walk.visit(node)
    else:
        end = walk.notes(RustNotes).pattern_end
        walk.bind(node, value, node.end_byte if end < 0 else end)


def _inner(walk: Walk, node: "Node", value: int) -> None:
    for child in node.named_children:
        if child.type not in ("mutable_specifier", "lifetime"):
            bind(walk, child, value)


def _tuple(walk: Walk, node: "Node", value: int) -> None:
    for number, child in enumerate(node.named_children):
        bind(walk, child, walk.term("part", value, str(number)))


def _nothing(_walk: Walk, _node: "Node", _value: int) -> None:
    """`..`"""


def _slice(walk: Walk, node: "Node", value: int) -> None:
    for child in node.named_children:
        bind(walk, child, walk.term("each", value))


def _tuple_struct(walk: Walk, node: "Node", value: int) -> None:
    kind = node.child_by_field_name("type")
    if kind is None:
        return
    term = walk.visit(kind)
    held = _HOLDERS.get(walk.text_of(kind).rpartition("::")[2])
    inside = [child for child in node.named_children if child != kind]
    for number, child in enumerate(inside):
        if held == "some":
            bind(walk, child, walk.term("each", value))
        elif held:
            bind(walk, child, walk.term("part", value, held))
        else:
            bind(walk, child, walk.term(".", term, str(number)))


def _struct(walk: Walk, node: "Node", _value: int) -> None:
    kind = node.child_by_field_name("type")
    term = walk.visit(kind, "type")
    for child in node.named_children:
        if child.type != "field_pattern":
            continue
        named, inner = child.child_by_field_name("name"), child.child_by_field_name("pattern")
        if named is None:
            continue
        value = walk.member(term, named, "read")
        if inner is not None:
            bind(walk, inner, value)
        else:
            walk.bind(named, value, node.end_byte)


_READERS: Mapping[str, "Callable[[Walk, Node, int], None]"] = {
    "identifier": _name,
    "mut_pattern": _inner,
    "ref_pattern": _inner,
    "reference_pattern": _inner,
    "or_pattern": _inner,
    "parenthesized_pattern": _inner,
    "captured_pattern": _inner,
    "tuple_pattern": _tuple,
    "slice_pattern": _slice,
    "tuple_struct_pattern": _tuple_struct,
    "struct_pattern": _struct,
    "remaining_field_pattern": _nothing,
}


def condition(walk: Walk, node: "Node", _use: str) -> int:
    """`let pattern = value` as a condition."""
    value = walk.visit(node.child_by_field_name("value"))
    bind(walk, node.child_by_field_name("pattern"), value)
    return UNKNOWN
