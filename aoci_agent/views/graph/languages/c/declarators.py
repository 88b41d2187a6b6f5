"""C declarators: the name within pointers, arrays and parameter lists."""

from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.views.graph.languages.common.callables import Parameter
from aoci_agent.views.graph.languages.common.walk import Walk, child_of
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

_AROUND = frozenset((
    "pointer_declarator", "array_declarator", "parenthesized_declarator", "init_declarator",
    "reference_declarator", "function_declarator", "attributed_declarator", "bitfield_clause",
    "template_function", "template_method", "variadic_declarator",
))  # fmt: skip


class Declared(NamedTuple):
    """What a declarator declares. `function` has the parameters where it is a function's."""

    name: "Node | None"
    function: "Node | None" = None


def declared(node: "Node | None") -> Declared:
    """The name in a declarator."""
    function: Node | None = None
    pointer = False  # to a function
    while node is not None and node.type in _AROUND:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        if inner is None:
            inner = node.named_children[-1] if node.named_children else None
        if node.type == "function_declarator" and function is None:
            pointer = inner is not None and inner.type == "parenthesized_declarator"
            function = node
        node = inner
    return Declared(node, None if pointer else function)


def parameter(walk: Walk, node: "Node") -> Parameter | None:
    """`type declarator = default`."""
    if node.type in ("variadic_parameter", "variadic_parameter_declaration"):
        return Parameter(None, UNKNOWN, "*")
    if node.type not in ("parameter_declaration", "optional_parameter_declaration"):
        return None
    kind = walk.visit(node.child_by_field_name("type"), "type")
    default = node.child_by_field_name("default_value")
    walk.visit(default)
    at = node.child_by_field_name("declarator")
    found = declared(at)
    read_inside(walk, at)
    named = found.name if found.name is not None and found.name.type == "identifier" else None
    if named is None and at is None and walk.text_of(node) == "void":
        return None
    return Parameter(named, kind, "?" if default is not None else "")


def read_inside(walk: Walk, node: "Node | None") -> None:
    """Sizes of arrays and parameters of pointers to functions: names used within a declarator."""
    while node is not None and node.type in _AROUND:
        walk.visit(node.child_by_field_name("size"))
        inner = node.child_by_field_name("declarator")
        around = inner if inner is not None else node
        if node.type == "function_declarator" and around.type == "parenthesized_declarator":
            for child in _parameters(node):
                walk.visit(child.child_by_field_name("type"), "type")
            inner = around.named_children[0] if around.named_children else None
        node = inner


def _parameters(node: "Node") -> "list[Node]":
    held = node.child_by_field_name("parameters")
    return held.named_children if held is not None else []


def is_marked(walk: Walk, node: "Node", word: str) -> bool:
    """Whether a declaration is `static` or `extern`."""
    return any(
        child.type == "storage_class_specifier" and walk.text_of(child) == word
        for child in node.children
    )


def unnamed_tag(node: "Node | None") -> bool:
    """Whether a type is a struct, union or enum with a body and no name."""
    kinds = ("struct_specifier", "union_specifier", "enum_specifier", "class_specifier")
    return (
        node is not None
        and node.type in kinds
        and node.child_by_field_name("name") is None
        and child_of(node, "field_declaration_list", "enumerator_list") is not None
    )
