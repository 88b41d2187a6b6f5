"""PHP by table. Methods and functions are called `name()`, properties `$name`."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, flow, types
from aoci_agent.views.graph.languages.common.callables import Parameter
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of
from aoci_agent.views.graph.languages.php import names
from aoci_agent.views.graph.model import UNKNOWN, Entry

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
        flow.assigned(walk, node, walk.text_of(node), value, at)
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


def _property(walk: Walk, node: "Node", _use: str) -> int:
    declared = walk.visit(node.child_by_field_name("type"), "type")
    if declared == UNKNOWN:
        declared = names.above(walk, node).get("var", UNKNOWN)
    for item in node.named_children:
        named = item.child_by_field_name("name") if item.type == "property_element" else None
        if named is not None:
            held = walk.visit(item.child_by_field_name("default_value"))
            value = walk.is_a(declared) if declared != UNKNOWN else held
            walk.keep(named, node, "field", value, skipped=1)
    return UNKNOWN


def _constants(walk: Walk, node: "Node", _use: str) -> int:
    for item in node.named_children:
        if item.type == "const_element":
            named, *rest = item.named_children
            value = walk.all_of(rest)
            kind = "constant"
            walk.variable(named, node, value[-1] if value else UNKNOWN, kind=kind)
    return UNKNOWN


def _case(walk: Walk, node: "Node", _use: str) -> int:
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
            walk.keep(named, child, "field", walk.is_a(declared), skipped=1)


def _method(walk: Walk, node: "Node", use: str) -> int:
    if walk.text_of(node.child_by_field_name("name")) == "__construct":
        _promoted(walk, node)
    return _callable(walk, node, use)


def _returned(walk: Walk, node: "Node") -> int:
    return names.above(walk, node).get("return", UNKNOWN)


def _static(_walk: Walk, node: "Node") -> bool:
    return child_of(node, "static_modifier") is not None


def _closure(walk: Walk, node: "Node", _use: str) -> int:
    holder, listed = walk.draft.scope, node.child_by_field_name("parameters")
    walk.visit(node.child_by_field_name("return_type"), "type")
    with walk.draft.scoped("function", holder.slot, holder.qualified):
        callables.bind_all(walk, _parameters(walk, listed) if listed is not None else ())
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _call(walk: Walk, node: "Node", _use: str) -> int:
    function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    base = UNKNOWN
    if function is not None and function.type == "name":
        base = walk.name(function, "call")
        if walk.text_of(function) == "define" and listed is not None:
            _defined(walk, node, listed)
    elif function is not None and function.type == "qualified_name":
        text = walk.text_of(function)
        last = text.rpartition("\\")[2]
        place = walk.place(function)
        at = place._replace(column=place.column + place.length - len(last), length=len(last))
        base = walk.draft.use(at, "call", names.full(walk, text, f"{last}()"))
    else:
        base = walk.visit(function)
    return ex.called(walk, base, ex.arguments(walk, listed))


def _defined(walk: Walk, node: "Node", listed: "Node") -> None:
    """`define('NAME', value)`."""
    first = listed.named_children[0] if listed.named_children else None
    said = first.named_children[0] if first is not None and first.named_children else None
    inner = child_of(said, "string_content") if said is not None and said.type == "string" else None
    if inner is not None and walk.text_of(inner).isidentifier():
        slot = walk.text_of(inner)
        walk.draft.entries.append(Entry(slot, "constant"))
        walk.define(slot, inner, "constant", node)


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
    value = walk.visit(held) if held is not None else _scope(walk, node.child_by_field_name("scope"))
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
    return walk.draft.use(walk.place(named, 1), use, term)


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
    if any(child.type == "instanceof" for child in node.children) and right is not None:
        if right.type in ("name", "qualified_name"):
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


def _index(walk: Walk, node: "Node", _use: str) -> int:
    terms = walk.all_of(node.named_children)
    return walk.term("[]", terms[0]) if terms else UNKNOWN


def _name(walk: Walk, node: "Node", use: str) -> int:
    """A bare name: a class in a list of bases or among types, else a constant."""
    return names.class_name(walk, node, use) if use in ("base", "type", "call") else walk.name(node, use)


_CLASS_BASES = ("base_clause", "class_interface_clause")


def _class(kind: str) -> "types.Rule":
    return types.type_(kind, bases=_CLASS_BASES, mixed="use_declaration")


_callable = callables.callable_(
    "function", result="return_type", listed=_parameters, static=_static, stated=_returned, inferred=True
)
_nothing = ("comment", "string", "namespace_definition", "heredoc_body_text", "text", "php_tag")
IDIOM = Idiom(
    calls="()",
    bare_calls=True,
    receiver="$this",
    rules={
        "namespace_use_declaration": names.used,
        "class_declaration": _class("class"),
        "interface_declaration": _class("interface"),
        "trait_declaration": _class("class"),
        "enum_declaration": _class("enum"),
        "use_declaration": ex.nothing,
        "enum_case": _case,
        "method_declaration": _method,
        "function_definition": _callable,
        "property_declaration": _property,
        "const_declaration": _constants,
        "anonymous_function": _closure,
        "arrow_function": _closure,
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
        "subscript_expression": _index,
        "argument": ex.same(),
        "variable_name": _variable,
        "name": _name,
        "qualified_name": _name,
        "named_type": types.inner_type,
        "optional_type": types.inner_type,
        "union_type": lambda walk, node, _: walk.any_of(walk.all_of(node.named_children, "type")),
        "relative_scope": lambda walk, node, use: names.class_name(walk, node, use),
        "attribute": lambda walk, node, _: _attribute(walk, node),
        **dict.fromkeys(_nothing, ex.nothing),
    },
)


def _attribute(walk: Walk, node: "Node") -> int:
    for number, child in enumerate(node.named_children):
        if number:
            walk.visit(child)
        else:
            names.class_name(walk, child, "call")
    return UNKNOWN
