"""C by table. A tag is called `struct name`; functions of one file are kept apart by `@static`."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.c.declarators import (
    declared,
    is_marked,
    parameter,
    read_inside,
    unnamed_tag,
)
from aoci_agent.views.graph.languages.common import callables, expressions as ex, types
from aoci_agent.views.graph.languages.common.callables import Form, Head, made
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.spread import DECLARED

if TYPE_CHECKING:
    from tree_sitter import Node

STATIC = "@static"
_FORM = Form("function", variables="", listed=callables.one_by_one(parameter))


def _include(walk: Walk, node: "Node", _use: str) -> int:
    stated = node.child_by_field_name("path")
    if stated is not None and stated.type in ("string_literal", "system_lib_string"):
        module = walk.text_of(stated)
        walk.stars.append(module)
        place = walk.place(stated)
        inner = place._replace(column=place.column + 1, length=max(place.length - 2, 0))
        walk.draft.use(inner, "import", walk.term("import", module, ""))
    return UNKNOWN


def is_source(walk: Walk) -> bool:
    """Whether what is `static` here is seen by nobody else."""
    return not walk.draft.space.endswith((".h", ".hh", ".hpp", ".hxx", ".inc", ".inl"))


def function(walk: Walk, node: "Node", _use: str) -> int:
    """A function with a body, or a prototype."""
    found = declared(node.child_by_field_name("declarator"))
    body = node.child_by_field_name("body")
    if found.name is None or found.function is None:
        walk.inside(node)
        return UNKNOWN
    mark = ""
    if body is None:
        mark = DECLARED
    elif is_marked(walk, node, "static") and is_source(walk):
        mark = STATIC
    listed = found.function.child_by_field_name("parameters")
    head = Head(found.name, listed, node.child_by_field_name("type"), body, mark)
    made(walk, node, _FORM, head)
    return UNKNOWN


def declaration(walk: Walk, node: "Node", _use: str) -> int:
    """Variables and prototypes."""
    several = node.children_by_field_name("declarator")
    found = [declared(item) for item in several]
    if len(found) == 1 and found[0].function is not None and walk.holder().kind != "function":
        return function(walk, node, _use)
    kind = walk.visit(node.child_by_field_name("type"), "type")
    for item, what in zip(several, found, strict=True):
        read_inside(walk, item)
        outer, walk.expected = walk.expected, walk.is_a(kind)
        value = walk.visit(item.child_by_field_name("value"))
        walk.expected = outer
        if what.name is not None and what.name.type in ("identifier", "type_identifier"):
            held = walk.is_a(kind) if kind != UNKNOWN else value
            variable(walk, node, what.name, held)
    return UNKNOWN


def variable(walk: Walk, node: "Node", named: "Node", value: int) -> None:
    """A local variable, or one of the file: defined here, declared, or seen by this file alone."""
    if walk.holder().kind == "function":
        walk.bind(named, value, node.end_byte)
        return
    slot = walk.draft.slot(walk.text_of(named))
    mark = DECLARED if is_marked(walk, node, "extern") else ""
    if is_marked(walk, node, "static") and is_source(walk):
        mark = STATIC
    if mark:
        walk.marked(named, slot, mark)
    walk.draft.entries.append(Entry(slot + mark, "variable", value, declared=True))
    walk.define(slot + mark, named, "variable", node)


def field(walk: Walk, node: "Node", _use: str) -> int:
    """Fields of a struct; those of one without a name belong to what is around."""
    kind, several = node.child_by_field_name("type"), node.children_by_field_name("declarator")
    if not several and unnamed_tag(kind) and kind is not None:
        walk.inside(kind.child_by_field_name("body"))
        return UNKNOWN
    held = walk.is_a(walk.visit(kind, "type"))
    for item in several:
        read_inside(walk, item)
        found = declared(item)
        if found.name is not None and found.name.type in ("field_identifier", "identifier"):
            walk.keep(found.name, node, "field", held)
    walk.visit(node.child_by_field_name("default_value"))
    return UNKNOWN


def tag(kind: str, word: str) -> "types.Rule":
    """A struct, union or enum: its definition, or its name as a type."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is None:
            if named is None:
                return UNKNOWN
            place, slot = walk.place(named), f"{word}{walk.text_of(named)}"
            term = walk.draft.first(walk.draft.read(slot, place.at), walk.term("only", slot))
            return walk.draft.use(place, "type", term)
        slot = f"{word}{walk.text_of(named)}" if named is not None else walk.unnamed()
        return tagged(walk, node, body, kind, slot, named)

    return read


def tagged(
    walk: Walk, node: "Node", body: "Node", kind: str, slot: str, named: "Node | None"
) -> int:
    """The definition of a struct, union or enum; the type itself."""
    name = walk.text_of(named) or walk.draft.source
    walk.draft.entries.append(Entry(slot, kind))
    if body.type == "enumerator_list":
        walk.inside(body)
    else:
        with (
            walk.draft.part(slot, name, lines_of(node), "class"),
            walk.type_scope(slot, name, UNKNOWN, open_=False),
        ):
            walk.inside(body)
    if named is not None:
        walk.define(slot, named, kind, node, body)
    return walk.term("own", slot)


def _enumerator(walk: Walk, node: "Node", _use: str) -> int:
    """A constant of an enum is one of the file."""
    named = node.child_by_field_name("name")
    walk.visit(node.child_by_field_name("value"))
    if named is not None:
        slot = walk.text_of(named)
        walk.draft.entries.append(Entry(slot, "constant"))
        walk.define(slot, named, "constant", node)
    return UNKNOWN


def _typedef(walk: Walk, node: "Node", _use: str) -> int:
    kind = node.child_by_field_name("type")
    value = UNKNOWN
    for item in node.children_by_field_name("declarator"):
        found = declared(item)
        if found.name is None:
            continue
        body = kind.child_by_field_name("body") if kind is not None else None
        if value == UNKNOWN and unnamed_tag(kind) and kind is not None and body is not None:
            shown = "enum" if kind.type == "enum_specifier" else "class"
            value = tagged(walk, kind, body, shown, walk.text_of(found.name), found.name)
            continue
        value = value if value != UNKNOWN else walk.visit(kind, "type")
        read_inside(walk, item)
        slot = walk.text_of(found.name)
        function = item.type == "function_declarator" or found.function is not None
        walk.draft.entries.append(Entry(slot, "alias", UNKNOWN if function else value))
        walk.define(slot, found.name, "type", node)
    return UNKNOWN


def _macro(kind: str) -> "types.Rule":
    def read(walk: Walk, node: "Node", _use: str) -> int:
        named = node.child_by_field_name("name")
        if named is not None:
            slot = walk.text_of(named)
            walk.draft.entries.append(Entry(slot, kind))
            walk.define(slot, named, kind, node)
        return UNKNOWN

    return read


def _pair(walk: Walk, node: "Node", _use: str) -> int:
    """`.field = value` within braces: a field of what is expected there."""
    outer = walk.expected
    for child in node.children_by_field_name("designator"):
        if child.type == "field_designator" and child.named_children:
            walk.expected = walk.member(walk.expected, child.named_children[0], "write")
        else:
            walk.visit(child)
    walk.visit(node.child_by_field_name("value"))
    walk.expected = outer
    return UNKNOWN


def _compound(walk: Walk, node: "Node", _use: str) -> int:
    """`(Type){ ... }`."""
    outer = walk.expected
    walk.expected = walk.is_a(walk.visit(node.child_by_field_name("type"), "type"))
    walk.visit(node.child_by_field_name("value"))
    value, walk.expected = walk.expected, outer
    return value


def _offset(walk: Walk, node: "Node", _use: str) -> int:
    kind = walk.is_a(walk.visit(node.child_by_field_name("type"), "type"))
    named = node.child_by_field_name("member")
    if named is not None:
        walk.member(kind, named, "read")
    return UNKNOWN


RULES = {
    "preproc_include": _include,
    "preproc_def": _macro("constant"),
    "preproc_function_def": _macro("function"),
    "preproc_arg": ex.nothing,
    "comment": ex.nothing,
    "string_literal": ex.nothing,
    "function_definition": function,
    "declaration": declaration,
    "field_declaration": field,
    "struct_specifier": tag("class", "struct "),
    "union_specifier": tag("class", "union "),
    "enum_specifier": tag("enum", "enum "),
    "enumerator": _enumerator,
    "type_definition": _typedef,
    "type_descriptor": types.inner_type,
    "type_identifier": types.type_name,
    "primitive_type": types.outside,
    "sized_type_specifier": ex.nothing,
    "compound_statement": ex.block,
    "for_statement": ex.block,
    "return_statement": callables.given,
    "call_expression": ex.call,
    "field_expression": ex.member("argument", "field"),
    "subscript_expression": ex.same("argument"),
    "pointer_expression": ex.same("argument"),
    "parenthesized_expression": ex.same(),
    "comma_expression": ex.same(),
    "cast_expression": ex.cast(),
    "conditional_expression": ex.either("consequence", "alternative"),
    "assignment_expression": ex.assign(),
    "initializer_pair": _pair,
    "compound_literal_expression": _compound,
    "offsetof_expression": _offset,
    "identifier": ex.name,
}
C = Idiom(rules=RULES)
