"""Rust items: types, what is given to them, modules, constants."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import types
from aoci_agent.views.graph.languages.common.callables import Parameter
from aoci_agent.views.graph.languages.common.walk import Walk, child_of
from aoci_agent.views.graph.languages.rust import paths, patterns
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.spread import EXTENDED

if TYPE_CHECKING:
    from tree_sitter import Node


def impl(walk: Walk, node: "Node", _use: str) -> int:
    """`impl Trait for Type`: members given to a type, which may be defined elsewhere."""
    kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    if kind is None:
        return UNKNOWN
    name = _bare(walk, kind)
    slot, qualified = walk.draft.slot(name), walk.draft.qualified(name)
    outer = walk.own_type
    with (
        walk.draft.part(f"{slot}{EXTENDED}", qualified, lines_of(node), "class"),
        walk.draft.scoped("block"),
    ):
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


def owning(rule: "types.Rule") -> "types.Rule":
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


def variant(walk: Walk, node: "Node", _use: str) -> int:
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


def ordered(walk: Walk, node: "Node", _use: str) -> int:
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


def module(walk: Walk, node: "Node", _use: str) -> int:
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
    with (
        walk.draft.part(slot, qualified, lines_of(node), "class"),
        walk.draft.scoped("inner", slot, qualified) as scope,
    ):
        walk.draft.inner.add(scope)
        walk.inside(body)
    walk.define(slot, named, "module", node, body)
    return UNKNOWN


def crate(walk: Walk, node: "Node", _use: str) -> int:
    """`extern crate a as b;`"""
    named, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if named is not None:
        value = walk.term("import", walk.text_of(named), "")
        walk.draft.use(walk.place(named), "import", value)
        paths.imported(walk, walk.text_of(alias or named), value)
    return UNKNOWN


def type_alias(walk: Walk, node: "Node", _use: str) -> int:
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


def parameter(walk: Walk, node: "Node") -> Parameter | None:
    """`pattern: Type`; `self` is no parameter of its own."""
    if node.type != "parameter":
        return None
    pattern, kind = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    declared = walk.visit(kind, "type")
    if pattern is not None and pattern.type == "identifier":
        return Parameter(pattern, declared)
    patterns.bind(walk, pattern, walk.is_a(declared))
    return Parameter(None, declared)


def static(_walk: Walk, node: "Node") -> bool:
    listed = node.child_by_field_name("parameters")
    return listed is None or child_of(listed, "self_parameter") is None


def constant(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    declared = walk.visit(node.child_by_field_name("type"), "type")
    walk.visit(node.child_by_field_name("value"))
    if named is not None:
        walk.variable(named, node, walk.is_a(declared), kind="constant")
    return UNKNOWN


def field_declared(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    value = walk.is_a(walk.visit(node.child_by_field_name("type"), "type"))
    if named is not None:
        walk.keep(named, node, "field", value)
    return UNKNOWN


def macro(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    if named is not None:
        slot = f"{walk.text_of(named)}!"
        walk.draft.entries.append(Entry(slot, "function"))
        walk.define(slot, named, "function", node, child_of(node, "macro_rule"))
    return UNKNOWN
