"""Rust by table."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, types
from aoci_agent.views.graph.languages.common.callables import Parameter
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of, lines_of
from aoci_agent.views.graph.languages.rust import macros, paths, patterns
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.spread import EXTENDED

if TYPE_CHECKING:
    from tree_sitter import Node

_SAME = ("enumerate",)


def _impl(walk: Walk, node: "Node", _use: str) -> int:
    """`impl Trait for Type`: members given to a type, which may be defined elsewhere."""
    kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    if kind is None:
        return UNKNOWN
    name = _bare(walk, kind)
    slot, qualified = walk.draft.slot(name), walk.draft.qualified(name)
    outer = walk.own_type
    with walk.draft.part(f"{slot}{EXTENDED}", qualified, lines_of(node), "class"):
        with walk.draft.scoped("block"):
            walk.draft.scope.slot = slot
            types.type_variables(walk, node, "type_parameters")
            trait = node.child_by_field_name("trait")
            base = walk.visit(trait, "base") if trait is not None else UNKNOWN
            walk.own_type = walk.visit(kind, "type")
            bases = (base,) if base != UNKNOWN else ()
            entry = Entry(slot + EXTENDED, "extension", walk.own_type, bases)
            walk.draft.entries.append(entry)
            walk.offers.append(entry.slot)
            with walk.type_scope(slot, qualified, walk.is_a(walk.own_type), open_=False):
                walk.inside(body)
    walk.own_type = outer
    return UNKNOWN


def _bare(walk: Walk, kind: "Node") -> str:
    """The last name of a type, without what is around it."""
    while kind.type not in ("type_identifier", "primitive_type", "identifier"):
        inner = kind.child_by_field_name("name") or kind.child_by_field_name("type")
        if inner is None:
            return walk.unnamed()
        kind = inner
    return walk.text_of(kind)


def _owning(rule: "types.Rule") -> "types.Rule":
    """A definition within which `Self` is the type itself."""

    def read(walk: Walk, node: "Node", use: str) -> int:
        named = node.child_by_field_name("name")
        outer, walk.own_type = walk.own_type, UNKNOWN
        if named is not None:
            slot = walk.draft.slot(walk.text_of(named))
            walk.own_type = walk.term("type", slot)
        term = rule(walk, node, use)
        walk.own_type = outer
        return term

    return read


def _variant(walk: Walk, node: "Node", _use: str) -> int:
    """A variant: a type of its own that builds on the enum."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return UNKNOWN
    scope = walk.around("class")
    base = walk.term("own", scope.slot) if scope is not None else UNKNOWN
    name = walk.text_of(named)
    slot, qualified = walk.draft.slot(name), walk.draft.qualified(name)
    walk.draft.entries.append(Entry(slot, "class", bases=(base,)))
    with walk.type_scope(slot, qualified, walk.term("self", slot), open_=False):
        walk.visit(body)
    walk.define(slot, named, "constant", node)
    return UNKNOWN


def _ordered(walk: Walk, node: "Node", _use: str) -> int:
    """The fields of a tuple struct are called by their numbers."""
    number = 0
    for child in node.named_children:
        if child.type in ("visibility_modifier", "attribute_item", "line_comment", "block_comment"):
            continue
        slot = f"{walk.draft.scope.slot}.{number}"
        value = walk.is_a(walk.visit(child, "type"))
        walk.draft.entries.append(Entry(slot, "field", value, declared=True))
        number += 1
    return UNKNOWN


def _module(walk: Walk, node: "Node", _use: str) -> int:
    """`mod name;` is a file, `mod name { }` is read here."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return UNKNOWN
    name = walk.text_of(named)
    if body is None:
        value = walk.term("import", f"self::{name}", "")
        walk.draft.use(walk.place(named), "import", value)
        paths.imported(walk, name, value)
        return UNKNOWN
    slot, qualified = walk.draft.slot(name), walk.draft.qualified(name)
    walk.draft.entries.append(Entry(slot, "class"))
    with walk.draft.part(slot, qualified, lines_of(node), "class"):
        with walk.draft.scoped("inner", slot, qualified) as scope:
            walk.draft.inner.add(scope)
            walk.inside(body)
    walk.define(slot, named, "module", node, body)
    return UNKNOWN


def _crate(walk: Walk, node: "Node", _use: str) -> int:
    """`extern crate a as b;`"""
    named, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if named is not None:
        value = walk.term("import", walk.text_of(named), "")
        walk.draft.use(walk.place(named), "import", value)
        paths.imported(walk, walk.text_of(alias or named), value)
    return UNKNOWN


def _type_alias(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    if named is not None:
        with walk.draft.scoped("block"):
            walk.draft.scope.slot = walk.draft.slot(walk.text_of(named))
            types.type_variables(walk, node, "type_parameters")
            value = walk.visit(node.child_by_field_name("type"), "type")
        slot = walk.draft.slot(walk.text_of(named))
        walk.draft.entries.append(Entry(slot, "alias", value))
        walk.define(slot, named, "type", node)
    return UNKNOWN


def _parameter(walk: Walk, node: "Node") -> Parameter | None:
    """`pattern: Type`; `self` is no parameter of its own."""
    if node.type != "parameter":
        return None
    pattern, kind = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    declared = walk.visit(kind, "type")
    if pattern is not None and pattern.type == "identifier":
        return Parameter(pattern, declared)
    patterns.bind(walk, pattern, walk.is_a(declared))
    return Parameter(None, declared)


def _static(_walk: Walk, node: "Node") -> bool:
    listed = node.child_by_field_name("parameters")
    return listed is None or child_of(listed, "self_parameter") is None


def _let(walk: Walk, node: "Node", _use: str) -> int:
    declared = walk.visit(node.child_by_field_name("type"), "type")
    value = walk.visit(node.child_by_field_name("value"))
    walk.visit(node.child_by_field_name("alternative"))
    walk.pattern_end = node.end_byte
    pattern = node.child_by_field_name("pattern")
    patterns.bind(walk, pattern, walk.is_a(declared) if declared != UNKNOWN else value)
    walk.pattern_end = -1
    return UNKNOWN


def _constant(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    declared = walk.visit(node.child_by_field_name("type"), "type")
    walk.visit(node.child_by_field_name("value"))
    if named is not None:
        walk.variable(named, node, walk.is_a(declared), kind="constant")
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


def _field(walk: Walk, node: "Node", use: str) -> int:
    value, named = node.child_by_field_name("value"), node.child_by_field_name("field")
    held = walk.visit(value)
    return walk.member(held, named, use) if named is not None else UNKNOWN


def _first_child(walk: Walk, node: "Node", use: str) -> int:
    for number, child in enumerate(node.named_children):
        if number:
            walk.visit(child, "type")
    return walk.visit(node.named_children[0], use) if node.named_children else UNKNOWN


_function = callables.callable_(
    "function", result="return_type", parameters=_parameter, static=_static
)
IDIOM = Idiom(
    calls="()",
    receiver="self",
    rules={
        "use_declaration": paths.use_tree,
        "extern_crate_declaration": _crate,
        "mod_item": _module,
        "impl_item": _impl,
        "struct_item": _owning(types.type_("class")),
        "union_item": _owning(types.type_("class")),
        "enum_item": _owning(types.type_("enum")),
        "trait_item": _owning(types.type_("interface", bases=("bounds",))),
        "enum_variant": _variant,
        "field_declaration": lambda walk, node, use: _field_declared(walk, node),
        "ordered_field_declaration_list": _ordered,
        "type_item": _type_alias,
        "associated_type": _type_alias,
        "function_item": _function,
        "function_signature_item": _function,
        "const_item": _constant,
        "static_item": _constant,
        "macro_definition": lambda walk, node, use: _macro(walk, node),
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
        "while_expression": lambda walk, node, use: _scoped(walk, node),
        "for_expression": _for,
        "match_expression": _match,
        "closure_expression": _closure,
        "return_expression": callables.given,
        "call_expression": _call,
        "generic_function": _first_child,
        "field_expression": _field,
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
        "primitive_type": lambda walk, node, _: walk.term("outside", walk.text_of(node)),
        "where_clause": _where,
    },
)


def _field_declared(walk: Walk, node: "Node") -> int:
    named = node.child_by_field_name("name")
    value = walk.is_a(walk.visit(node.child_by_field_name("type"), "type"))
    if named is not None:
        walk.keep(named, node, "field", value)
    return UNKNOWN


def _macro(walk: Walk, node: "Node") -> int:
    named = node.child_by_field_name("name")
    if named is not None:
        slot = f"{walk.text_of(named)}!"
        walk.draft.entries.append(Entry(slot, "function"))
        walk.define(slot, named, "function", node, child_of(node, "macro_rule"))
    return UNKNOWN


def _scoped(walk: Walk, node: "Node") -> int:
    with walk.draft.scoped("block"):
        walk.inside(node)
    return UNKNOWN
