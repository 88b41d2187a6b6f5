"""Rust by table."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, types
from aoci_agent.views.graph.languages.common.callables import Form
from aoci_agent.views.graph.languages.common.types import Shape
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk
from aoci_agent.views.graph.languages.rust import items, macros, paths, patterns
from aoci_agent.views.graph.languages.rust.notes import RustNotes
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node


def _let(walk: Walk, node: "Node", _use: str) -> int:
    declared = walk.visit(node.child_by_field_name("type"), "type")
    value = walk.visit(node.child_by_field_name("value"))
    walk.visit(node.child_by_field_name("alternative"))
    notes = walk.notes(RustNotes)
    notes.pattern_end = node.end_byte
    pattern = node.child_by_field_name("pattern")
    patterns.bind(walk, pattern, walk.is_a(declared) if declared != UNKNOWN else value)
    notes.pattern_end = -1
    return UNKNOWN


def _call(walk: Walk, node: "Node", _use: str) -> int:
    function = node.child_by_field_name("function")
    base = walk.visit(function, "call")
    raw = walk.draft.raw.nodes[base]
    receiver = raw[1] if raw[0] == "." else UNKNOWN
    outer, walk.item = walk.item, UNKNOWN
    if isinstance(receiver, int) and function is not None:
        walk.item = walk.term("each", receiver)
    given = ex.arguments(walk, node.child_by_field_name("arguments"))
    walk.item = outer
    value = ex.called(walk, base, given)
    last = walk.text_of(function).rpartition("::")[2]
    if last in ("Some", "Ok") and given:
        return walk.term("lit", "Option", given[0])
    return value


def _closure(walk: Walk, node: "Node", _use: str) -> int:
    """A closure given to a method of a container is given what is in it."""
    item, walk.item = walk.item, UNKNOWN
    holder = walk.draft.scope
    with walk.draft.scoped("function", holder.slot, holder.qualified):
        listed = node.child_by_field_name("parameters")
        for child in listed.named_children if listed is not None else ():
            if child.type == "parameter":
                declared = walk.visit(child.child_by_field_name("type"), "type")
                patterns.bind(walk, child.child_by_field_name("pattern"), walk.is_a(declared))
            else:
                patterns.bind(walk, child, item)
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _for(walk: Walk, node: "Node", _use: str) -> int:
    value = walk.visit(node.child_by_field_name("value"))
    with walk.draft.scoped("block"):
        patterns.bind(walk, node.child_by_field_name("pattern"), walk.term("each", value))
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _match(walk: Walk, node: "Node", _use: str) -> int:
    value = walk.visit(node.child_by_field_name("value"))
    body = node.child_by_field_name("body")
    found: list[int] = []
    for arm in body.named_children if body is not None else ():
        with walk.draft.scoped("block"):
            pattern = arm.child_by_field_name("pattern")
            for child in pattern.named_children if pattern is not None else ():
                if pattern is not None and child == pattern.child_by_field_name("condition"):
                    walk.visit(child)
                else:
                    patterns.bind(walk, child, value)
            found.append(walk.visit(arm.child_by_field_name("value")))
    return walk.any_of(found)


def _if(walk: Walk, node: "Node", _use: str) -> int:
    with walk.draft.scoped("block"):
        walk.visit(node.child_by_field_name("condition"))
        first = walk.visit(node.child_by_field_name("consequence"))
    return walk.any_of([first, walk.visit(node.child_by_field_name("alternative"))])


def _block(walk: Walk, node: "Node", _use: str) -> int:
    """The value of a block is that of its last expression."""
    last = UNKNOWN
    with walk.draft.scoped("block"):
        for child in node.named_children:
            last = walk.visit(child)
    return last


def _struct_value(walk: Walk, node: "Node", _use: str) -> int:
    kind = walk.visit(node.child_by_field_name("name"), "call")
    body = node.child_by_field_name("body")
    for child in body.named_children if body is not None else ():
        named = child.child_by_field_name("field")
        if child.type == "shorthand_field_initializer":
            walk.visit(child.named_children[-1])
        elif named is not None:
            walk.member(kind, named, "write")
            walk.visit(child.child_by_field_name("value"))
        else:
            walk.visit(child)
    return walk.is_a(kind)


def _where(walk: Walk, node: "Node", _use: str) -> int:
    for child in node.named_children:
        walk.visit(child, "type")
    return UNKNOWN


def _lookthrough(walk: Walk, node: "Node", _use: str) -> int:
    """`x?`, `x[i]`: what is in it."""
    first, *rest = node.named_children
    value = walk.visit(first)
    walk.all_of(rest)
    return walk.term("each" if node.type == "try_expression" else "[]", value)


def _first_child(walk: Walk, node: "Node", use: str) -> int:
    for number, child in enumerate(node.named_children):
        if number:
            walk.visit(child, "type")
    return walk.visit(node.named_children[0], use) if node.named_children else UNKNOWN


_function = callables.callable_(
    Form(
        "function",
        result="return_type",
        listed=callables.one_by_one(items.parameter),
        static=items.static,
    )
)
IDIOM = Idiom(
    calls="()",
    receiver="self",
    rules={
        "use_declaration": paths.use_tree,
        "extern_crate_declaration": items.crate,
        "mod_item": items.module,
        "impl_item": items.impl,
        "struct_item": items.owning(types.type_(Shape("class"))),
        "union_item": items.owning(types.type_(Shape("class"))),
        "enum_item": items.owning(types.type_(Shape("enum"))),
        "trait_item": items.owning(types.type_(Shape("interface", ("bounds",)))),
        "enum_variant": items.variant,
        "field_declaration": items.field_declared,
        "ordered_field_declaration_list": items.ordered,
        "type_item": items.type_alias,
        "associated_type": items.type_alias,
        "function_item": _function,
        "function_signature_item": _function,
        "const_item": items.constant,
        "static_item": items.constant,
        "macro_definition": items.macro,
        "macro_invocation": macros.invocation,
        "attribute_item": ex.nothing,
        "inner_attribute_item": ex.nothing,
        "line_comment": ex.nothing,
        "block_comment": ex.nothing,
        "lifetime": ex.nothing,
        "let_declaration": _let,
        "let_condition": patterns.condition,
        "block": _block,
        "if_expression": _if,
        "while_expression": ex.block,
        "for_expression": _for,
        "match_expression": _match,
        "closure_expression": _closure,
        "return_expression": callables.given,
        "call_expression": _call,
        "generic_function": _first_child,
        "field_expression": ex.member("value", "field"),
        "scoped_identifier": paths.head,
        "identifier": paths.name,
        "shorthand_field_identifier": paths.name,
        "self": ex.me,
        "struct_expression": _struct_value,
        "assignment_expression": ex.assign(),
        "compound_assignment_expr": ex.assign(),
        "reference_expression": ex.same("value"),
        "unary_expression": ex.same(),
        "parenthesized_expression": ex.same(),
        "await_expression": ex.same(),
        "unsafe_block": ex.same(),
        "try_expression": _lookthrough,
        "index_expression": _lookthrough,
        "type_cast_expression": ex.cast(),
        "string_literal": ex.nothing,
        "type_identifier": paths.name,
        "scoped_type_identifier": paths.head,
        "generic_type": types.generic("type"),
        "generic_type_with_turbofish": types.generic("type"),
        "reference_type": types.inner_type,
        "pointer_type": types.inner_type,
        "dynamic_type": types.inner_type,
        "abstract_type": types.inner_type,
        "bounded_type": types.inner_type,
        "bracketed_type": types.inner_type,
        "qualified_type": types.inner_type,
        "higher_ranked_trait_bound": types.inner_type,
        "array_type": types.outer("Vec", "element"),
        "tuple_type": types.outer("tuple"),
        "primitive_type": types.outside,
        "where_clause": _where,
    },
)
