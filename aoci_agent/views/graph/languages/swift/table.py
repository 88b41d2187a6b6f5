"""Swift by table. Its grammar calls most parts of a node `name`; what each is follows from its place."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import expressions as ex, types
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of
from aoci_agent.views.graph.languages.swift import definitions
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node


def _import(walk: Walk, node: "Node", _use: str) -> int:
    named = child_of(node, "identifier")
    if named is not None:
        walk.stars.append(walk.text_of(named).partition(".")[0])
    return UNKNOWN


def _call(walk: Walk, node: "Node", _use: str) -> int:
    """`f(x)`, `f { }`, `a[i]`."""
    callee, suffix = node.named_children[0], node.named_children[-1]
    listed = child_of(suffix, "value_arguments") if suffix.type == "call_suffix" else None
    if listed is not None and walk.data[listed.start_byte : listed.start_byte + 1] == b"[":
        held = walk.visit(callee)
        walk.inside(listed)
        return walk.term("[]", held)
    at, value, bare = _called(walk, callee)
    outer, walk.item = walk.item, walk.term("each", value) if value != UNKNOWN else UNKNOWN
    given: list[int] = []
    for part in suffix.named_children if suffix != callee else ():
        given += (
            walk.all_of(part.named_children)
            if part.type == "value_arguments"
            else [walk.visit(part)]
        )
    walk.item = outer
    if at is None:
        return ex.called(walk, walk.visit(callee, "call"), given)
    if walk.text_of(at)[:1].isupper():
        base = walk.name(at, "call") if bare else walk.member(value, at, "call")
        return ex.called(walk, base, given)
    if walk.text_of(at) == "init":
        walk.draft.use(
            walk.place(at), "call", walk.term("pick", walk.term(".", value, "init"), *given)
        )
        return walk.is_a(value)
    return ex.call_of(walk, at, value, given, bare=bare)


def _called(walk: Walk, node: "Node") -> "tuple[Node | None, int, bool]":
    """The name that is called, the value it is a member of, and whether it stands alone."""
    if node.type == "simple_identifier":
        return node, UNKNOWN, True
    if node.type == "navigation_expression":
        suffix = node.child_by_field_name("suffix")
        at = suffix.child_by_field_name("suffix") if suffix is not None else None
        if at is not None and at.type == "simple_identifier":
            return at, walk.visit(node.child_by_field_name("target")), False
    return None, UNKNOWN, False


def _argument(walk: Walk, node: "Node", _use: str) -> int:
    return walk.visit(node.child_by_field_name("value"))


def _navigation(walk: Walk, node: "Node", use: str) -> int:
    value, suffix = (
        walk.visit(node.child_by_field_name("target")),
        node.child_by_field_name("suffix"),
    )
    at = suffix.child_by_field_name("suffix") if suffix is not None else None
    if at is None or at.type != "simple_identifier":
        return UNKNOWN
    return walk.member(value, at, use)


def _user_type(walk: Walk, node: "Node", use: str) -> int:
    """`A.B<C>`."""
    value = UNKNOWN
    used = use if use == "base" else "type"
    for number, child in enumerate(node.named_children):
        if child.type == "type_identifier" and walk.text_of(child) == "Self":
            value = walk.own_type
        elif child.type == "type_identifier" and number:
            value = walk.draft.use(
                walk.place(child), used, walk.term(".", value, walk.text_of(child))
            )
        elif child.type == "type_identifier":
            value = walk.name(child, used, called=False)
        elif child.type == "type_arguments":
            value = walk.term("[]", value, *walk.all_of(child.named_children, "type"))
    return value


def _conditions(walk: Walk, node: "Node") -> None:
    """`let x = y` in a condition; without `=` it is a name that has a value already."""
    named: Node | None = None
    for number, child in enumerate(node.children):
        field = node.field_name_for_child(number)
        if field == "bound_identifier":
            _without(walk, named)
            named = child
        elif field == "condition" and child.is_named and child.type != "value_binding_pattern":
            value = walk.visit(child)
            if named is not None:
                walk.bind(named, value, child.end_byte)
            named = None
        elif child.type in ("statements", "else"):
            break
    _without(walk, named)


def _without(walk: Walk, named: "Node | None") -> None:
    if named is not None:
        walk.bind(named, walk.draft.read(walk.text_of(named), named.start_byte - 1), named.end_byte)


def _if(walk: Walk, node: "Node", _use: str) -> int:
    with walk.draft.scoped("block"):
        _conditions(walk, node)
        for child in node.named_children:
            if child.type == "statements":
                ex.block(walk, child, "")
    for child in node.named_children:
        if child.type == "if_statement":
            walk.visit(child)
    return UNKNOWN


def _guard(walk: Walk, node: "Node", _use: str) -> int:
    _conditions(walk, node)
    for child in node.named_children:
        if child.type == "statements":
            ex.block(walk, child, "")
    return UNKNOWN


def _for(walk: Walk, node: "Node", _use: str) -> int:
    value = walk.visit(node.child_by_field_name("collection"))
    item = node.child_by_field_name("item")
    with walk.draft.scoped("block"):
        named = definitions.bound(item) if item is not None else None
        if named is not None:
            walk.bind(named, walk.term("each", value), 0)
        for child in node.named_children:
            if child.type in ("where_clause", "statements"):
                walk.inside(child)
    return UNKNOWN


def _pattern(walk: Walk, node: "Node", _use: str) -> int:
    """A pattern of a case: names bound in it, types it names."""
    bound = node.child_by_field_name("bound_identifier")
    if bound is not None:
        walk.bind(bound, UNKNOWN, node.end_byte)
    for child in node.named_children:
        if child.type == "user_type":
            walk.visit(child, "type")
        elif child.type == "pattern":
            walk.visit(child)
    return UNKNOWN


def _lambda(walk: Walk, node: "Node", _use: str) -> int:
    item, walk.item = walk.item, UNKNOWN
    with walk.draft.scoped("function", walk.draft.scope.slot, walk.draft.scope.qualified):
        head = node.child_by_field_name("type")
        listed = child_of(head, "lambda_function_type_parameters") if head is not None else None
        given = listed.named_children if listed is not None else []
        for child in given:
            named, *kinds = child.named_children or [child]
            declared = walk.visit(kinds[-1], "type") if kinds else UNKNOWN
            held = (
                walk.is_a(declared) if declared != UNKNOWN else item if len(given) == 1 else UNKNOWN
            )
            walk.bind(named, held, 0, "parameter")
        outer, walk.subject = walk.subject, item
        for child in node.named_children:
            if child.type == "statements":
                walk.inside(child)
        walk.subject = outer
    return UNKNOWN


def _name(walk: Walk, node: "Node", use: str) -> int:
    text = walk.text_of(node)
    if text == "$0":
        return walk.subject
    return walk.name(node, use) if text != "self" else walk.me()


def _cast(walk: Walk, node: "Node", _use: str) -> int:
    walk.visit(node.child_by_field_name("expr"))
    return walk.is_a(walk.visit(node.child_by_field_name("name"), "type"))


def _implicit(walk: Walk, node: "Node", use: str) -> int:
    """`.member` of whatever is expected; other signs in front of a value leave it."""
    if any(child.type == "." for child in node.children):
        return UNKNOWN
    return walk.visit(node.child_by_field_name("target"), use)


def _map(walk: Walk, node: "Node", _use: str) -> int:
    return walk.term(
        "outside", "Dictionary", *walk.all_of(node.children_by_field_name("name"), "type")
    )


_nothing = (
    "comment", "multiline_comment", "line_string_literal", "integer_literal", "value_binding_pattern",
    "capture_list", "type_parameters",
)  # fmt: skip
IDIOM = Idiom(
    receiver="self",
    callables=frozenset(
        ("function_declaration", "init_declaration", "protocol_function_declaration")
    ),
    rules={
        "import_declaration": _import,
        "class_declaration": definitions.type_,
        "protocol_declaration": definitions.type_,
        "function_declaration": definitions.function,
        "protocol_function_declaration": definitions.function,
        "init_declaration": definitions.function,
        "property_declaration": definitions.property_,
        "protocol_property_declaration": definitions.property_,
        "enum_entry": definitions.entry,
        "typealias_declaration": definitions.alias,
        "associatedtype_declaration": definitions.alias,
        "call_expression": _call,
        "value_argument": _argument,
        "navigation_expression": _navigation,
        "simple_identifier": _name,
        "self_expression": ex.me,
        "super_expression": ex.parent,
        "user_type": _user_type,
        "type_identifier": types.type_name,
        "optional_type": types.inner_type,
        "array_type": types.outer("Array"),
        "dictionary_type": _map,
        "type_annotation": types.inner_type,
        "if_statement": _if,
        "guard_statement": _guard,
        "while_statement": _if,
        "for_statement": _for,
        "switch_entry": ex.block,
        "catch_block": ex.block,
        "do_statement": ex.block,
        "pattern": _pattern,
        "lambda_literal": _lambda,
        "as_expression": _cast,
        "prefix_expression": _implicit,
        "try_expression": ex.same("expr"),
        "await_expression": ex.same("expr"),
        "postfix_expression": ex.same("target"),
        "assignment": ex.assign("target", "result"),
        "directly_assignable_expression": ex.same(),
        "nil_coalescing_expression": ex.either("value", "if_nil"),
        "ternary_expression": ex.either("if_true", "if_false"),
        "tuple_expression": ex.same(),
        **dict.fromkeys(_nothing, ex.nothing),
    },
)
