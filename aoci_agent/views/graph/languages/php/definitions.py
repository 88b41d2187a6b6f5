"""PHP definitions."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, types
from aoci_agent.views.graph.languages.common.callables import Form, Parameter
from aoci_agent.views.graph.languages.common.types import Shape
from aoci_agent.views.graph.languages.common.walk import Walk, child_of
from aoci_agent.views.graph.languages.php import names
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node


def property_(walk: Walk, node: "Node", _use: str) -> int:
    declared = walk.visit(node.child_by_field_name("type"), "type")
    if declared == UNKNOWN:
        declared = names.above(walk, node).get("var", UNKNOWN)
    for item in node.named_children:
        named = item.child_by_field_name("name") if item.type == "property_element" else None
        if named is not None:
            held = walk.visit(item.child_by_field_name("default_value"))
            value = walk.is_a(declared) if declared != UNKNOWN else held
            walk.keep(named, node, "field", value)
    return UNKNOWN


def constants(walk: Walk, node: "Node", _use: str) -> int:
    for item in node.named_children:
        if item.type == "const_element":
            named, *rest = item.named_children
            value = walk.all_of(rest)
            walk.variable(named, node, value[-1] if value else UNKNOWN, kind="constant")
    return UNKNOWN


def case(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    if named is not None:
        walk.keep(named, node, "constant", walk.me())
    return UNKNOWN


def _parameters(walk: Walk, node: "Node") -> list[Parameter]:
    told = names.above(walk, node.parent) if node.parent is not None else {}
    found: list[Parameter] = []
    for child in node.named_children:
        named, kind = child.child_by_field_name("name"), child.child_by_field_name("type")
        if named is None:
            continue
        declared = walk.visit(kind, "type")
        if declared == UNKNOWN:
            declared = told.get(walk.text_of(named), UNKNOWN)
        default = child.child_by_field_name("default_value")
        value = walk.visit(default)
        mark = "*" if child.type == "variadic_parameter" else "?" if default is not None else ""
        found.append(Parameter(named, declared, mark, value, many=mark == "*"))
    return found


def _promoted(walk: Walk, node: "Node") -> None:
    """Parameters of a constructor that are properties, too."""
    listed = node.child_by_field_name("parameters")
    for child in listed.named_children if listed is not None else ():
        named = child.child_by_field_name("name")
        if child.type == "property_promotion_parameter" and named is not None:
            declared = walk.visit(child.child_by_field_name("type"), "type")
            walk.keep(named, child, "field", walk.is_a(declared))


def method(walk: Walk, node: "Node", use: str) -> int:
    if walk.text_of(node.child_by_field_name("name")) == "__construct":
        _promoted(walk, node)
    return callable_(walk, node, use)


def _returned(walk: Walk, node: "Node") -> int:
    return names.above(walk, node).get("return", UNKNOWN)


def _static(_walk: Walk, node: "Node") -> bool:
    return child_of(node, "static_modifier") is not None


def closure(walk: Walk, node: "Node", _use: str) -> int:
    holder, listed = walk.draft.scope, node.child_by_field_name("parameters")
    walk.visit(node.child_by_field_name("return_type"), "type")
    with walk.draft.scoped("function", holder.slot, holder.qualified):
        callables.bind_all(walk, _parameters(walk, listed) if listed is not None else ())
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def defined(walk: Walk, node: "Node", listed: "Node") -> None:
    """`define('NAME', value)`."""
    first = listed.named_children[0] if listed.named_children else None
    said = first.named_children[0] if first is not None and first.named_children else None
    inner = child_of(said, "string_content") if said is not None and said.type == "string" else None
    if inner is not None and walk.text_of(inner).isidentifier():
        slot = walk.text_of(inner)
        walk.draft.entries.append(Entry(slot, "constant"))
        walk.define(slot, inner, "constant", node)


_CLASS_BASES = ("base_clause", "class_interface_clause")


def class_(kind: str) -> "types.Rule":
    return types.type_(Shape(kind, _CLASS_BASES, mixed="use_declaration"))


callable_ = callables.callable_(
    Form(
        "function",
        result="return_type",
        listed=_parameters,
        static=_static,
        stated=_returned,
        inferred=True,
    )
)
