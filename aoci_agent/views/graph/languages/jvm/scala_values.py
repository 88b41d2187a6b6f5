"""Scala values and patterns: what they bind, and what is known of it."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables
from aoci_agent.views.graph.languages.common.callables import Parameter
from aoci_agent.views.graph.languages.common.walk import Walk
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

_listed = callables.one_by_one(callables.plain)


def parameters(walk: Walk, node: "Node") -> list[Parameter]:
    """Every list of a function that has several."""
    lists = node.parent.children_by_field_name("parameters") if node.parent is not None else [node]
    return [parameter for listed in lists for parameter in _listed(walk, listed)]


def value(walk: Walk, node: "Node", _use: str) -> int:
    """`val a: T = x`."""
    declared = walk.visit(node.child_by_field_name("type"), "type")
    held = walk.visit(node.child_by_field_name("value"))
    value = walk.is_a(declared) if declared != UNKNOWN else held
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    if pattern is not None and pattern.type == "identifier":
        walk.variable(pattern, node, value, declared=declared != UNKNOWN)
    elif pattern is not None:
        _pattern(walk, pattern, value)
    return UNKNOWN


def _pattern(walk: Walk, node: "Node", value: int) -> None:
    """Bind the names of a pattern."""
    reader = _PATTERNS.get(node.type)
    if reader is not None:
        reader(walk, node, value)
    elif node.type == "identifier" and not walk.text_of(node)[:1].isupper():
        walk.variable(node, node, value, declared=False)
    else:
        walk.visit(node)


def _typed(walk: Walk, node: "Node", _value: int) -> None:
    kind = walk.is_a(walk.visit(node.child_by_field_name("type"), "type"))
    inner = node.child_by_field_name("pattern")
    if inner is not None:
        _pattern(walk, inner, kind)


def _taken_apart(walk: Walk, node: "Node", value: int) -> None:
    for number, child in enumerate(node.named_children):
        _pattern(walk, child, walk.term("part", value, str(number)))


def _of_class(walk: Walk, node: "Node", _value: int) -> None:
    kind = node.child_by_field_name("type")
    walk.visit(kind, "type")
    for child in node.named_children:
        if child != kind:
            _pattern(walk, child, UNKNOWN)


def _any_of(walk: Walk, node: "Node", value: int) -> None:
    for child in node.named_children:
        _pattern(walk, child, value)


_PATTERNS: "Mapping[str, Callable[[Walk, Node, int], None]]" = {
    "typed_pattern": _typed,
    "tuple_pattern": _taken_apart,
    "case_class_pattern": _of_class,
    "alternative_pattern": _any_of,
    "capture_pattern": _any_of,
}


def match(walk: Walk, node: "Node", _use: str) -> int:
    value, body = walk.visit(node.child_by_field_name("value")), node.child_by_field_name("body")
    outer, walk.subject = walk.subject, value
    found = [walk.visit(child) for child in body.named_children] if body is not None else []
    walk.subject = outer
    return walk.any_of(found)


def case(walk: Walk, node: "Node", _use: str) -> int:
    with walk.draft.scoped("function", walk.draft.scope.slot, walk.draft.scope.qualified):
        pattern, body = node.child_by_field_name("pattern"), node.child_by_field_name("body")
        if pattern is not None:
            _pattern(walk, pattern, walk.subject)
        rest = [walk.visit(child) for child in node.named_children if child != pattern]
    return rest[-1] if rest and body is not None else UNKNOWN


def lambda_(walk: Walk, node: "Node", _use: str) -> int:
    item, walk.item = walk.item, UNKNOWN
    with walk.draft.scoped("function", walk.draft.scope.slot, walk.draft.scope.qualified):
        given = node.children_by_field_name("parameters")
        if len(given) == 1 and given[0].type == "identifier":
            walk.bind(given[0], item, 0, "parameter")
        elif given and given[0].type == "identifier":
            walk.bind(given[0], walk.is_a(walk.visit(given[1], "type")), 0, "parameter")
        elif given:
            callables.bind_all(walk, _listed(walk, given[0]))
        walk.all_of(child for child in node.named_children if child not in given)
    return UNKNOWN


def enumerator(walk: Walk, node: "Node", _use: str) -> int:
    """`i <- xs`, `j = x`."""
    first, *rest = node.named_children or [node]
    values = walk.all_of(rest)
    drawn = any(child.type == "<-" for child in node.children)
    value = values[0] if values else UNKNOWN
    if rest:
        _pattern(walk, first, walk.term("each", value) if drawn else value)
    else:
        walk.visit(first)
    return UNKNOWN


def scoped(walk: Walk, node: "Node", _use: str) -> int:
    """The value of a block is that of its last expression; its names are its own."""
    last = UNKNOWN
    with walk.draft.scoped("function", walk.draft.scope.slot, walk.draft.scope.qualified):
        for child in node.named_children:
            last = walk.visit(child)
    return last
