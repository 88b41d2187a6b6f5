"""C# by table."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, types
from aoci_agent.views.graph.languages.common.callables import Form
from aoci_agent.views.graph.languages.common.types import Shape
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of
from aoci_agent.views.graph.languages.csharp import definitions
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node


def _invocation(walk: Walk, node: "Node", _use: str) -> int:
    function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    at, held, bare = _called(function)
    if at is None:
        base = walk.visit(function, "call")
        return ex.called(walk, base, ex.arguments(walk, listed))
    inner = walk.visit(held) if held is not None else UNKNOWN
    if at.type == "generic_name":
        walk.all_of(at.named_children[1:], "type")
        at = at.named_children[0]
    outer, walk.item = walk.item, walk.term("each", inner) if inner != UNKNOWN else UNKNOWN
    given = ex.arguments(walk, listed)
    walk.item = outer
    return ex.call_of(walk, at, inner, given, bare=bare, extended=True)


def _called(function: "Node | None") -> "tuple[Node | None, Node | None, bool]":
    """The name that is called, what it is a member of, and whether it stands alone."""
    if function is None:
        return None, None, False
    if function.type in ("identifier", "generic_name"):
        return function, None, True
    if function.type == "member_access_expression":
        at = function.child_by_field_name("name")
        return at, function.child_by_field_name("expression"), False
    if function.type == "conditional_access_expression":
        last = child_of(function, "member_binding_expression")
        at = last.child_by_field_name("name") if last is not None else None
        return at, function.child_by_field_name("condition"), False
    return None, None, False


def _member(walk: Walk, node: "Node", use: str) -> int:
    value = walk.visit(node.child_by_field_name("expression"))
    named = node.child_by_field_name("name")
    if named is not None and named.type == "generic_name":
        named = named.named_children[0]
    return walk.member(value, named, use) if named is not None else UNKNOWN


def _conditional(walk: Walk, node: "Node", use: str) -> int:
    """`a?.b`."""
    held = walk.visit(node.child_by_field_name("condition"))
    outer, walk.subject = walk.subject, held
    terms = [walk.visit(c, use) for c in node.named_children[1:]]
    walk.subject = outer
    return terms[-1] if terms else UNKNOWN


def _binding(walk: Walk, node: "Node", use: str) -> int:
    named = node.child_by_field_name("name")
    return walk.member(walk.subject, named, use) if named is not None else UNKNOWN


def _new(walk: Walk, node: "Node", _use: str) -> int:
    kind = node.child_by_field_name("type")
    base = walk.visit(kind, "call")
    value = walk.is_a(base) if kind is not None else walk.expected
    outer, walk.expected = walk.expected, value
    for child in node.named_children:
        if child != kind:
            walk.visit(child)
    walk.expected = outer
    return value


def _initializer(walk: Walk, node: "Node", _use: str) -> int:
    """`{ Name = value, ... }` after `new`: names are members of what is made."""
    for child in node.named_children:
        left = child.child_by_field_name("left")
        if child.type == "assignment_expression" and left is not None and left.type == "identifier":
            held = walk.member(walk.expected, left, "write")
            outer, walk.expected = walk.expected, held
            walk.visit(child.child_by_field_name("right"))
            walk.expected = outer
        else:
            walk.visit(child)
    return UNKNOWN


def _argument(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    terms = walk.all_of(c for c in node.named_children if c != named)
    return terms[-1] if terms else UNKNOWN


def _attribute(walk: Walk, node: "Node", _use: str) -> int:
    """`[Name]` is the class `NameAttribute`, or `Name`."""
    named = node.child_by_field_name("name")
    if named is not None and named.type == "identifier":
        place, name = walk.place(named), walk.text_of(named)
        read = walk.draft.read
        term = walk.draft.first(read(f"{name}Attribute", place.at), read(name, place.at))
        walk.draft.use(place, "call", term)
    for child in node.named_children:
        if child != named:
            walk.visit(child)
    return UNKNOWN


def _foreach(walk: Walk, node: "Node", _use: str) -> int:
    value = walk.visit(node.child_by_field_name("right"))
    declared = walk.visit(node.child_by_field_name("type"), "type")
    left = node.child_by_field_name("left")
    with walk.draft.scoped("block"):
        if left is not None and left.type == "identifier":
            item = walk.is_a(declared) if declared != UNKNOWN else walk.term("each", value)
            walk.bind(left, item, 0)
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _lambda(walk: Walk, node: "Node", _use: str) -> int:
    item, walk.item = walk.item, UNKNOWN
    holder, listed = walk.draft.scope, node.child_by_field_name("parameters")
    with walk.draft.scoped("function", holder.slot, holder.qualified):
        if listed is not None and listed.type == "implicit_parameter":
            walk.bind(listed, item, 0, "parameter")
        elif listed is not None:
            found = definitions.parameters(walk, listed)
            given = [p._replace(value=item) if len(found) == 1 else p for p in found]
            callables.bind_all(walk, given)
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _generic_use(walk: Walk, node: "Node", use: str) -> int:
    """`Name<T>`, as a type or as a method that is called."""
    first, *rest = node.named_children
    base = walk.visit(first, use)
    given = [t for c in rest for t in walk.all_of(c.named_children, "type")]
    return walk.term("[]", base, *given) if use in ("type", "base") or given else base


def _qualified(walk: Walk, node: "Node", use: str) -> int:
    """`A.B.C`: a type within a type, or within a namespace written from any of those around."""
    held, named = node.child_by_field_name("qualifier"), node.child_by_field_name("name")
    if held is None or named is None:
        return UNKNOWN
    plain = named.named_children[0] if named.type == "generic_name" else named
    name, space = walk.text_of(plain), "".join(walk.text_of(held).split())
    around = walk.term(".", walk.visit(held, "type"), name)
    parts = [part for part in walk.draft.space.split(".") if part]
    spaces = [".".join([*parts[:count], space]) for count in range(len(parts), -1, -1)]
    terms = [walk.term("import", full, name) for full in spaces]
    kind = use if use in ("base", "call") else "type"
    term = walk.draft.use(walk.place(plain), kind, walk.draft.first(around, *terms))
    if plain != named:
        given = [t for c in named.named_children[1:] for t in walk.all_of(c.named_children, "type")]
        return walk.term("[]", term, *given)
    return term


def _switch(walk: Walk, node: "Node", _use: str) -> int:
    found: list[int] = []
    for child in node.named_children:
        if child.type == "switch_expression_arm":
            with walk.draft.scoped("block"):
                found.append(walk.all_of(child.named_children)[-1])
        else:
            walk.visit(child)
    return walk.any_of(found)


_VARIABLES = "type_parameter_list"
_METHOD = Form(
    result="returns",
    variables=_VARIABLES,
    listed=definitions.parameters,
    static=definitions.static,
)
_LOCAL = Form("function", variables=_VARIABLES, listed=definitions.parameters)
_scoped = (
    "block", "for_statement", "using_statement", "catch_clause", "switch_section", "fixed_statement",
    "lock_statement", "checked_statement",
)  # fmt: skip
_nothing = (
    "comment", "string_literal", "integer_literal", "modifier", "null_literal", "label_name",
    "file_scoped_namespace_declaration", "preproc_region", "preproc_endregion",
)  # fmt: skip
IDIOM = Idiom(
    callables=frozenset(("method_declaration", "constructor_declaration")),
    rules={
        "using_directive": definitions.using,
        "namespace_declaration": definitions.namespace,
        "class_declaration": definitions.class_("class"),
        "struct_declaration": definitions.class_("class"),
        "record_declaration": definitions.class_("class"),
        "interface_declaration": definitions.class_("interface"),
        "enum_declaration": types.type_(Shape("enum")),
        "enum_member_declaration": definitions.enum_member,
        "delegate_declaration": definitions.delegate,
        "method_declaration": callables.callable_(_METHOD),
        "constructor_declaration": callables.callable_(_METHOD._replace(result="")),
        "local_function_statement": callables.callable_(_LOCAL),
        "property_declaration": definitions.property_,
        "accessor_declaration": ex.block,
        "variable_declaration": definitions.variables,
        "foreach_statement": _foreach,
        "declaration_expression": ex.bound(),
        "declaration_pattern": ex.bound(),
        "recursive_pattern": ex.bound(),
        "catch_declaration": ex.bound(),
        "lambda_expression": _lambda,
        "return_statement": callables.given,
        "invocation_expression": _invocation,
        "member_access_expression": _member,
        "conditional_access_expression": _conditional,
        "member_binding_expression": _binding,
        "object_creation_expression": _new,
        "implicit_object_creation_expression": _new,
        "initializer_expression": _initializer,
        "argument": _argument,
        "attribute": _attribute,
        "element_access_expression": ex.index("expression", "subscript"),
        "cast_expression": ex.cast(),
        "as_expression": ex.cast("right", "left"),
        "assignment_expression": ex.assign(),
        "conditional_expression": ex.either("consequence", "alternative"),
        "switch_expression": _switch,
        "parenthesized_expression": ex.same(),
        "await_expression": ex.same(),
        "postfix_unary_expression": ex.same(),
        "this": ex.me,
        "base": ex.parent,
        "identifier": ex.name,
        "generic_name": _generic_use,
        "qualified_name": _qualified,
        "nullable_type": types.inner_type,
        "array_type": types.outer("Array", "type"),
        "tuple_type": ex.inside,
        "implicit_type": ex.nothing,
        "typeof_expression": types.inner_type,
        "predefined_type": types.outside,
        **dict.fromkeys(_scoped, ex.block),
        **dict.fromkeys(_nothing, ex.nothing),
    },
)
