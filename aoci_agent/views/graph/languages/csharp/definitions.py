"""C# definitions, and what `using` brings in."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, types
from aoci_agent.views.graph.languages.common.callables import Parameter
from aoci_agent.views.graph.languages.common.types import Shape
from aoci_agent.views.graph.languages.common.walk import Walk
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node


def using(walk: Walk, node: "Node", _use: str) -> int:
    """`using A.B;`, `using static A.B.C;`, `using X = A.B.C;`"""
    alias = node.child_by_field_name("name")
    named = next((c for c in reversed(node.named_children) if c != alias), None)
    if named is None:
        return UNKNOWN
    module = "".join(walk.text_of(named).split())
    space, _, last = module.rpartition(".")
    if alias is not None:
        walk.alias(walk.text_of(alias), _within(walk, space, last))
    elif any(child.type == "static" for child in node.children):
        walk.draft.behind.append(_within(walk, space, last))
    else:
        walk.stars += [f"{walk.draft.space}.{module}", module]
    return UNKNOWN


def _within(walk: Walk, space: str, name: str) -> int:
    term = walk.term("import", space, name)
    return term if space else walk.draft.read(name, 0)


def namespace(walk: Walk, node: "Node", _use: str) -> int:
    walk.inside(node.child_by_field_name("body"))
    return UNKNOWN


def static(walk: Walk, node: "Node") -> bool:
    return _is(walk, node, "static")


def _is(walk: Walk, node: "Node", word: str) -> bool:
    return any(c.type == "modifier" and walk.text_of(c) == word for c in node.named_children)


def _parameter(walk: Walk, node: "Node") -> Parameter | None:
    found = callables.plain(walk, node)
    if found is None or node.type != "parameter":
        return None
    if _is(walk, node, "this"):
        return found._replace(mark="this")
    optional = any(child.type == "=" for child in node.children)
    return found._replace(mark="?" if optional else "")


_listed = callables.one_by_one(_parameter)


def parameters(walk: Walk, node: "Node") -> list[Parameter]:
    """A parameter of any number of arguments stands in the list without a node of its own."""
    found = [*_listed(walk, node)]
    named = node.child_by_field_name("name")
    if named is not None:
        kind = walk.visit(node.child_by_field_name("type"), "type")
        found.append(Parameter(named, kind, "*"))
    return found


def property_(walk: Walk, node: "Node", _use: str) -> int:
    """A property, and what its accessors do."""
    named = node.child_by_field_name("name")
    value = walk.is_a(walk.visit(node.child_by_field_name("type"), "type"))
    if named is None:
        return UNKNOWN
    slot, qualified = (
        walk.draft.slot(walk.text_of(named)),
        walk.draft.qualified(walk.text_of(named)),
    )
    walk.draft.entries.append(Entry(slot, "property", value, declared=True))
    body = node.child_by_field_name("accessors") or node.child_by_field_name("value")
    walk.define(slot, named, "field", node, body)
    with (
        walk.draft.part(slot, qualified, lines_of(node), "function"),
        walk.draft.scoped("function", slot, qualified),
    ):
        walk.visit(body)
        if body != node.child_by_field_name("value"):
            walk.visit(node.child_by_field_name("value"))
    return UNKNOWN


def variables(walk: Walk, node: "Node", _use: str) -> int:
    kind = node.child_by_field_name("type")
    declared = walk.visit(kind, "type")
    whole = (
        node.parent
        if node.parent is not None and node.parent.type.startswith(("field", "event"))
        else node
    )
    for item in node.named_children:
        if item.type != "variable_declarator":
            continue
        named = item.child_by_field_name("name")
        outer, walk.expected = walk.expected, walk.is_a(declared)
        rest = [walk.visit(c) for c in item.named_children if c != named]
        walk.expected = outer
        value = walk.is_a(declared) if declared != UNKNOWN else rest[-1] if rest else UNKNOWN
        if named is not None and named.type == "identifier":
            walk.variable(named, whole, value, declared=declared != UNKNOWN)
    return UNKNOWN


def enum_member(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    walk.visit(node.child_by_field_name("value"))
    if named is not None:
        walk.keep(named, node, "constant", walk.me())
    return UNKNOWN


def delegate(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    if named is not None:
        slot = walk.draft.slot(walk.text_of(named))
        walk.draft.entries.append(Entry(slot, "type"))
        walk.visit(node.child_by_field_name("type"), "type")
        walk.define(slot, named, "type", node)
    return UNKNOWN


def _open(walk: Walk, node: "Node") -> bool:
    return _is(walk, node, "partial")


def class_(kind: str) -> "types.Rule":
    return types.type_(
        Shape(kind, ("base_list",), "parameter_list", variables="type_parameter_list", opened=_open)
    )
