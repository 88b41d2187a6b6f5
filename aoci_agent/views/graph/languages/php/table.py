"""PHP by table. Methods and functions are called `name()`, properties `$name`."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, flow, types
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of
from aoci_agent.views.graph.languages.php import definitions, names
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node


def _variable(walk: Walk, node: "Node", use: str) -> int:
    text = walk.text_of(node)
    if text == "$this":
        return walk.me()
    place = walk.place(node)
    return walk.draft.use(place, use, walk.draft.read(text, place.at))


def _assignment(walk: Walk, node: "Node", _use: str) -> int:
    value = walk.visit(node.child_by_field_name("right"))
    left = node.child_by_field_name("left")
    if left is not None:
        target(walk, left, value, node.end_byte)
    return value


def target(walk: Walk, node: "Node", value: int, at: int) -> None:
    """What is assigned to."""
    if node.type == "variable_name" and walk.holder().kind != "class":
        flow.assigned(walk, node, value, at)
    elif node.type in ("list_literal", "array_creation_expression"):
        for child in node.named_children:
            inner = child.named_children[-1] if child.type == "array_element_initializer" else child
            target(walk, inner, UNKNOWN, at)
    else:
        walk.visit(node, "write")


def _foreach(walk: Walk, node: "Node", _use: str) -> int:
    children = [child for child in node.named_children if child.type != "comment"]
    value = walk.visit(children[0]) if children else UNKNOWN
    with walk.draft.blocked(loop=True):
        item = children[1] if len(children) > 1 else None
        if item is not None and item.type == "pair":
            key, *rest = item.named_children
            target(walk, key, UNKNOWN, item.start_byte)
            item = rest[0] if rest else None
        if item is not None and item.type == "by_ref" and item.named_children:
            item = item.named_children[0]
        if item is not None:
            target(walk, item, walk.term("each", value), item.end_byte)
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _call(walk: Walk, node: "Node", _use: str) -> int:
    function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    base = UNKNOWN
    if function is not None and function.type == "name":
        base = walk.name(function, "call")
        if walk.text_of(function) == "define" and listed is not None:
            definitions.defined(walk, node, listed)
    elif function is not None and function.type == "qualified_name":
        text = walk.text_of(function)
        last = text.rpartition("\\")[2]
        at = names.place_of(walk, function, last)
        base = walk.draft.use(at, "call", names.full(walk, text, f"{last}()"))
    else:
        base = walk.visit(function)
    return ex.called(walk, base, ex.arguments(walk, listed))


def _member(walk: Walk, node: "Node", use: str) -> int:
    value = walk.visit(node.child_by_field_name("object"))
    named = node.child_by_field_name("name")
    if named is None or named.type != "name":
        walk.visit(named)
        return UNKNOWN
    term = walk.term(".", value, f"${walk.text_of(named)}")
    return walk.draft.use(walk.place(named), use, term)


def _invoke(walk: Walk, node: "Node", _use: str) -> int:
    """`object->name(arguments)`, `Scope::name(arguments)`."""
    held = node.child_by_field_name("object")
    value = (
        walk.visit(held) if held is not None else _scope(walk, node.child_by_field_name("scope"))
    )
    named, listed = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    base = UNKNOWN
    if named is not None and named.type == "name":
        base = walk.member(value, named, "call")
    else:
        walk.visit(named)
    return ex.called(walk, base, ex.arguments(walk, listed))


def _scope(walk: Walk, node: "Node | None") -> int:
    """What stands before `::`."""
    if node is None:
        return UNKNOWN
    if node.type in ("name", "qualified_name", "relative_scope"):
        return names.class_name(walk, node, "read")
    return walk.visit(node)


def _static_property(walk: Walk, node: "Node", use: str) -> int:
    value, named = _scope(walk, node.child_by_field_name("scope")), node.child_by_field_name("name")
    if named is None or named.type != "variable_name":
        return UNKNOWN
    term = walk.term(".", value, walk.text_of(named))
    return walk.draft.use(walk.place(named), use, term)


def _constant(walk: Walk, node: "Node", use: str) -> int:
    if len(node.named_children) < 2:
        return UNKNOWN
    first, named, *_ = node.named_children
    value = _scope(walk, first)
    if walk.text_of(named) == "class":
        return walk.term("lit", "class-string", walk.is_a(value))
    return walk.member(value, named, use)


def _new(walk: Walk, node: "Node", _use: str) -> int:
    kind = node.named_children[0] if node.named_children else None
    if kind is not None and kind.type == "anonymous_class":
        listed, body = child_of(kind, "base_clause"), kind.child_by_field_name("body")
        base = types.base_list(walk, listed)[0] if listed is not None else UNKNOWN
        if body is not None:
            ex.anonymous(walk, kind, body, base)
        return walk.is_a(base)
    named = kind is not None and kind.type in ("name", "qualified_name")
    base = names.class_name(walk, kind, "call") if named and kind is not None else walk.visit(kind)
    ex.arguments(walk, child_of(node, "arguments"))
    return walk.is_a(base)


def _binary(walk: Walk, node: "Node", _use: str) -> int:
    """`x instanceof Name`; `a ?? b` is one of both."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    first = walk.visit(left)
    tested = any(child.type == "instanceof" for child in node.children)
    if tested and right is not None and right.type in ("name", "qualified_name"):
        names.class_name(walk, right, "type")
        return UNKNOWN
    second = walk.visit(right)
    both = any(child.type in ("??", "?:") for child in node.children)
    return walk.any_of([first, second]) if both else UNKNOWN


def _catch(walk: Walk, node: "Node", _use: str) -> int:
    listed = node.child_by_field_name("type")
    kinds = walk.all_of(listed.named_children, "type") if listed is not None else []
    with walk.draft.blocked():
        named = node.child_by_field_name("name")
        if named is not None:
            target(walk, named, walk.is_a(walk.any_of(kinds)), node.start_byte)
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _name(walk: Walk, node: "Node", use: str) -> int:
    """A bare name: a class in a list of bases or among types, else a constant."""
    return (
        names.class_name(walk, node, use)
        if use in ("base", "type", "call")
        else walk.name(node, use)
    )


def _attribute(walk: Walk, node: "Node", _use: str) -> int:
    for number, child in enumerate(node.named_children):
        if number:
            walk.visit(child)
        else:
            names.class_name(walk, child, "call")
    return UNKNOWN


_nothing = ("comment", "string", "namespace_definition", "heredoc_body_text", "text", "php_tag")
IDIOM = Idiom(
    calls="()",
    bare_calls=True,
    receiver="$this",
    signs=b"$",
    rules={
        "namespace_use_declaration": names.used,
        "class_declaration": definitions.class_("class"),
        "interface_declaration": definitions.class_("interface"),
        "trait_declaration": definitions.class_("class"),
        "enum_declaration": definitions.class_("enum"),
        "use_declaration": ex.nothing,
        "enum_case": definitions.case,
        "method_declaration": definitions.method,
        "function_definition": definitions.callable_,
        "property_declaration": definitions.property_,
        "const_declaration": definitions.constants,
        "anonymous_function": definitions.closure,
        "arrow_function": definitions.closure,
        "if_statement": flow.arms("body", "alternative"),
        "while_statement": flow.loop,
        "for_statement": flow.loop,
        "do_statement": flow.loop,
        "foreach_statement": _foreach,
        "switch_block": flow.maybe,
        "try_statement": ex.inside,
        "catch_clause": _catch,
        "return_statement": callables.given,
        "assignment_expression": _assignment,
        "augmented_assignment_expression": ex.assign(),
        "function_call_expression": _call,
        "member_access_expression": _member,
        "nullsafe_member_access_expression": _member,
        "member_call_expression": _invoke,
        "nullsafe_member_call_expression": _invoke,
        "scoped_call_expression": _invoke,
        "scoped_property_access_expression": _static_property,
        "class_constant_access_expression": _constant,
        "object_creation_expression": _new,
        "binary_expression": _binary,
        "conditional_expression": ex.either("body", "alternative"),
        "parenthesized_expression": ex.same(),
        "clone_expression": ex.same(),
        "subscript_expression": ex.item,
        "argument": ex.same(),
        "variable_name": _variable,
        "name": _name,
        "qualified_name": _name,
        "named_type": types.inner_type,
        "optional_type": types.inner_type,
        "union_type": types.any_type,
        "relative_scope": names.class_name,
        "attribute": _attribute,
        **dict.fromkeys(_nothing, ex.nothing),
    },
)
