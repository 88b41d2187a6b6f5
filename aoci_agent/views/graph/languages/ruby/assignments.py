"""Ruby assignments: local variables, fields, constants."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import flow
from aoci_agent.views.graph.languages.common.walk import Walk
from aoci_agent.views.graph.languages.ruby import definitions
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node


def assignment(walk: Walk, node: "Node", _use: str) -> int:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and left.type == "constant" and right is not None:
        return definitions.constant_given(walk, node, left, right)
    value = walk.visit(right)
    if left is not None:
        target(walk, left, value, node.end_byte)
    return value


def target(walk: Walk, node: "Node", value: int, at: int) -> None:
    """What is assigned to."""
    if node.type == "identifier":
        flow.assigned(walk, node, value, at)
    elif node.type in ("instance_variable", "class_variable"):
        _assigned_field(walk, node, value)
    elif node.type == "call":
        receiver, verb = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        held = walk.visit(receiver)
        if verb is not None:
            term = walk.term(".", held, f"{walk.text_of(verb)}=()")
            walk.draft.use(walk.place(verb), "write", term)
    elif node.type in ("left_assignment_list", "destructured_left_assignment"):
        for child in node.named_children:
            target(walk, child, UNKNOWN, at)
    else:
        walk.visit(node, "write")


def _assigned_field(walk: Walk, node: "Node", value: int) -> None:
    """`@name = value`: the first one defines it, each adds to what it holds."""
    field(walk, node, "write")
    scope = walk.around("class")
    if scope is None:
        return
    slot = f"{scope.slot}.{walk.text_of(node)}"
    if all(entry.slot != slot for entry in walk.draft.entries[-200:]) and slot not in walk.known:
        name = walk.text_of(node)
        qualified = f"{scope.qualified}.{name.lstrip('@')}"
        walk.define(slot, node, "field", node.parent or node, qualified=qualified)
        walk.known.add(slot)
    walk.draft.entries.append(Entry(slot, "field", value))


def operator_assignment(walk: Walk, node: "Node", _use: str) -> int:
    """`a ||= b` may be the first that is assigned; others change what is there."""
    value = walk.visit(node.child_by_field_name("right"))
    left = node.child_by_field_name("left")
    if left is not None and any(child.type == "||=" for child in node.children):
        if left.type in ("instance_variable", "class_variable"):
            _assigned_field(walk, left, value)
            return value
        if left.type == "identifier":
            target(walk, left, value, node.end_byte)
            return value
    walk.visit(left, "write")
    return UNKNOWN


def field(walk: Walk, node: "Node", use: str) -> int:
    """`@name`, seen from methods of the instance."""
    scope = walk.around("class")
    if scope is None:
        return UNKNOWN
    term = walk.term(".", walk.term("self", scope.slot), walk.text_of(node))
    return walk.draft.use(walk.place(node), use, term)


def for_(walk: Walk, node: "Node", _use: str) -> int:
    value = walk.visit(node.child_by_field_name("value"))
    pattern = node.child_by_field_name("pattern")
    with walk.draft.blocked(loop=True):
        if pattern is not None:
            target(walk, pattern, walk.term("each", value), pattern.end_byte)
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def rescue(walk: Walk, node: "Node", _use: str) -> int:
    listed, named = node.child_by_field_name("exceptions"), node.child_by_field_name("variable")
    kinds = walk.all_of(listed.named_children) if listed is not None else []
    with walk.draft.blocked():
        if named is not None and named.named_children:
            held = walk.is_a(walk.any_of(kinds))
            target(walk, named.named_children[0], held, named.end_byte)
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN
