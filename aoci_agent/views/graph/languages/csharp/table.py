"""C# by table."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, types
from aoci_agent.views.graph.languages.common.callables import Parameter
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node


def _using(walk: Walk, node: "Node", _use: str) -> int:
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


def _namespace(walk: Walk, node: "Node", _use: str) -> int:
    walk.inside(node.child_by_field_name("body"))
    return UNKNOWN


def _static(walk: Walk, node: "Node") -> bool:
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


def _parameters(walk: Walk, node: "Node") -> list[Parameter]:
    """A parameter of any number of arguments stands in the list without a node of its own."""
    found = [item for item in (_parameter(walk, c) for c in node.named_children) if item is not None]
    named = node.child_by_field_name("name")
    if named is not None:
        kind = walk.visit(node.child_by_field_name("type"), "type")
        found.append(Parameter(named, kind, "*"))
    return found


def _property(walk: Walk, node: "Node", _use: str) -> int:
    """A property, and what its accessors do."""
    named = node.child_by_field_name("name")
    value = walk.is_a(walk.visit(node.child_by_field_name("type"), "type"))
    if named is None:
        return UNKNOWN
    slot, qualified = walk.draft.slot(walk.text_of(named)), walk.draft.qualified(walk.text_of(named))
    walk.draft.entries.append(Entry(slot, "property", value, declared=True))
    body = node.child_by_field_name("accessors") or node.child_by_field_name("value")
    walk.define(slot, named, "field", node, body)
    with walk.draft.part(slot, qualified, callables.lines_of(node), "function"):
        with walk.draft.scoped("function", slot, qualified):
            walk.visit(body)
            if body != node.child_by_field_name("value"):
                walk.visit(node.child_by_field_name("value"))
    return UNKNOWN


def _accessor(walk: Walk, node: "Node", _use: str) -> int:
    with walk.draft.scoped("block"):
        walk.inside(node)
    return UNKNOWN


def _variables(walk: Walk, node: "Node", _use: str) -> int:
    kind = node.child_by_field_name("type")
    declared = walk.visit(kind, "type")
    whole = node.parent if node.parent is not None and node.parent.type.startswith(("field", "event")) else node
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


def _enum_member(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    walk.visit(node.child_by_field_name("value"))
    if named is not None:
        walk.keep(named, node, "constant", walk.me())
    return UNKNOWN


def _delegate(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    if named is not None:
        slot = walk.draft.slot(walk.text_of(named))
        walk.draft.entries.append(Entry(slot, "type"))
        walk.visit(node.child_by_field_name("type"), "type")
        walk.define(slot, named, "type", node)
    return UNKNOWN


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
            found = _parameters(walk, listed)
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


def _open(walk: Walk, node: "Node") -> bool:
    return _is(walk, node, "partial")


def _class(kind: str) -> "types.Rule":
    return types.type_(
        kind, bases=("base_list",), record="parameter_list", variables="type_parameter_list", opened=_open
    )


_method = callables.callable_(
    result="returns", listed=_parameters, variables="type_parameter_list", static=_static
)
_local = callables.callable_(
    "function", result="type", listed=_parameters, variables="type_parameter_list"
)
_scoped = (
    "block", "for_statement", "using_statement", "catch_clause", "switch_section", "fixed_statement",
    "lock_statement", "checked_statement",
)  # fmt: skip
_plain = ("predefined_type",)
_nothing = (
    "comment", "string_literal", "integer_literal", "modifier", "null_literal", "label_name",
    "file_scoped_namespace_declaration", "preproc_region", "preproc_endregion",
)  # fmt: skip
IDIOM = Idiom(
    callables=frozenset(("method_declaration", "constructor_declaration")),
    rules={
        "using_directive": _using,
        "namespace_declaration": _namespace,
        "class_declaration": _class("class"),
        "struct_declaration": _class("class"),
        "record_declaration": _class("class"),
        "interface_declaration": _class("interface"),
        "enum_declaration": types.type_("enum"),
        "enum_member_declaration": _enum_member,
        "delegate_declaration": _delegate,
        "method_declaration": _method,
        "constructor_declaration": callables.callable_(result="", listed=_parameters),
        "local_function_statement": _local,
        "property_declaration": _property,
        "accessor_declaration": _accessor,
        "variable_declaration": _variables,
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
        **{kind: lambda walk, node, _: walk.term("outside", walk.text_of(node)) for kind in _plain},
        **dict.fromkeys(_scoped, ex.block),
        **dict.fromkeys(_nothing, ex.nothing),
    },
)
