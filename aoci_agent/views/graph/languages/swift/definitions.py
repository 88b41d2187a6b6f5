"""Swift types, extensions, functions, properties."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, types
from aoci_agent.views.graph.languages.common.callables import Form, Head, Parameter, made
from aoci_agent.views.graph.languages.common.walk import Walk, child_of
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.spread import EXTENDED

if TYPE_CHECKING:
    from tree_sitter import Node


_KINDS = {"protocol_declaration": "interface", "enum": "enum"}


def type_(walk: Walk, node: "Node", _use: str) -> int:
    """class, struct, enum, actor, protocol; an extension gives members to a type."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        walk.inside(node)
        return UNKNOWN
    word = next((c.type for c in node.children if not c.is_named and c.type.isalpha()), "class")
    if word == "extension":
        return _extension(walk, node, named, body)
    kind = _KINDS.get(node.type) or _KINDS.get(word, "class")
    slot, qualified = (
        walk.draft.slot(walk.text_of(named)),
        walk.draft.qualified(walk.text_of(named)),
    )
    outer, walk.own_type = walk.own_type, walk.term("type", slot)
    with walk.draft.part(slot, qualified, lines_of(node), "class"), walk.draft.scoped("block"):
        listed = types.type_variables(walk, node, "type_parameters", slot)
        bases = _bases(walk, node)
        walk.draft.entries.append(Entry(slot, kind, bases=bases, parameters=listed))
        with walk.type_scope(slot, qualified, walk.term("self", slot), open_=True):
            walk.repeated = _repeated(walk, body)
            walk.inside(body)
    walk.own_type = outer
    walk.define(slot, named, kind, node, body)
    return UNKNOWN


def _repeated(walk: Walk, body: "Node | None") -> frozenset[str]:
    return types.repeated_in(walk, body) if body is not None else frozenset()


def _bases(walk: Walk, node: "Node") -> tuple[int, ...]:
    found = [child for child in node.named_children if child.type == "inheritance_specifier"]
    terms = [walk.visit(c.child_by_field_name("inherits_from"), "base") for c in found]
    return tuple(term for term in terms if term != UNKNOWN)


def _extension(walk: Walk, node: "Node", named: "Node", body: "Node | None") -> int:
    name = ".".join(walk.text_of(c) for c in named.named_children if c.type == "type_identifier")
    name = name or walk.text_of(named)
    slot, outer = walk.draft.slot(name), walk.own_type
    with walk.draft.part(f"{slot}{EXTENDED}", name, lines_of(node), "class"):
        walk.own_type = walk.visit(named, "type")
        bases = _bases(walk, node)
        walk.draft.entries.append(Entry(slot + EXTENDED, "extension", walk.own_type, bases))
        walk.offers.append(slot + EXTENDED)
        with walk.type_scope(
            slot, walk.draft.qualified(name), walk.is_a(walk.own_type), open_=True
        ):
            walk.repeated = _repeated(walk, body)
            walk.inside(body)
    walk.own_type = outer
    return UNKNOWN


def function(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    if node.type == "init_declaration":
        named = next((child for child in node.children if child.type == "init"), None)
    if named is None:
        return UNKNOWN
    static = any(
        "static" in walk.text_of(c) or "class" in walk.text_of(c)
        for c in node.named_children
        if c.type == "modifiers"
    )
    said = ",".join(walk.text_of(c) for c in node.named_children if c.type == "parameter")
    result = _after_arrow(node)
    head = Head(named, node, result, node.child_by_field_name("body"), said=said)
    made(
        walk,
        node,
        Form(
            "function", listed=_parameters, static=callables.always if static else callables.never
        ),
        head,
    )
    return UNKNOWN


def _after_arrow(node: "Node") -> "Node | None":
    arrow = False
    for child in node.children:
        if arrow and child.is_named:
            return child
        arrow = arrow or child.type == "->"
    return None


def _parameters(walk: Walk, node: "Node") -> list[Parameter]:
    found: list[Parameter] = []
    for number, child in enumerate(node.children):
        if child.type != "parameter":
            continue
        names = [c for c in child.named_children if c.type == "simple_identifier"]
        kinds = [
            c
            for c in child.named_children
            if c.type not in ("simple_identifier", "parameter_modifiers")
        ]
        declared = walk.visit(kinds[-1], "type") if kinds else UNKNOWN
        after = node.children[number + 1] if number + 1 < len(node.children) else None
        mark = "?" if after is not None and after.type == "=" else ""
        mark = "*" if any(c.type == "..." for c in child.children) else mark
        if names:
            found.append(Parameter(names[-1], declared, mark))
    for default in node.children_by_field_name("default_value"):
        walk.visit(default)
    return found


def property_(walk: Walk, node: "Node", _use: str) -> int:
    """`let a: T = x, b = y`."""
    named: Node | None = None
    declared = value = UNKNOWN
    for number, child in enumerate(node.children):
        if child.type == "pattern":
            _given(walk, node, named, declared, value)
            named, declared, value = bound(child), UNKNOWN, UNKNOWN
        elif child.type == "type_annotation":
            declared = walk.visit(child, "type")
        elif child.is_named and node.field_name_for_child(number) == "value":
            value = walk.visit(child)
        elif child.type in (
            "computed_property",
            "protocol_property_requirements",
            "willset_didset_block",
        ):
            _computed(walk, child, named)
        elif child.type in ("modifiers", "attribute"):
            walk.inside(child)
    _given(walk, node, named, declared, value)
    return UNKNOWN


def bound(node: "Node") -> "Node | None":
    return node.child_by_field_name("bound_identifier") or child_of(node, "simple_identifier")


def _given(walk: Walk, whole: "Node", named: "Node | None", declared: int, value: int) -> None:
    if named is not None:
        held = walk.is_a(declared) if declared != UNKNOWN else value
        walk.variable(named, whole, held, declared=declared != UNKNOWN)


def _computed(walk: Walk, node: "Node", named: "Node | None") -> None:
    name = walk.text_of(named)
    slot, qualified = walk.draft.slot(name), walk.draft.qualified(name)
    with (
        walk.draft.part(slot, qualified, lines_of(node), "function"),
        walk.draft.scoped("function", slot, qualified),
    ):
        walk.inside(node)


def entry(walk: Walk, node: "Node", _use: str) -> int:
    for child in node.children_by_field_name("name"):
        if child.type == "simple_identifier":
            scope = walk.around("class")
            value = walk.term("own", scope.slot) if scope is not None else UNKNOWN
            walk.keep(child, node, "constant", walk.is_a(value))
    for child in node.named_children:
        if child.type == "enum_type_parameters":
            for kind in child.named_children:
                walk.visit(kind, "type")
    return UNKNOWN


def alias(walk: Walk, node: "Node", _use: str) -> int:
    named, *rest = node.children_by_field_name("name")
    value = walk.visit(rest[0], "type") if rest else UNKNOWN
    slot = walk.draft.slot(walk.text_of(named))
    walk.draft.entries.append(Entry(slot, "alias" if rest else "type", value))
    walk.define(slot, named, "type", node)
    return UNKNOWN
