"""Scala by table. An object is called `Name$`, so that it and the class of its name are told apart."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, reading, types
from aoci_agent.views.graph.languages.common.callables import Form
from aoci_agent.views.graph.languages.common.types import Shape
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of
from aoci_agent.views.graph.languages.jvm import scala_imports, scala_values
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry, FileFacts
from aoci_agent.views.syntax.parsed import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node


def scala(path: str, data: bytes) -> FileFacts:
    """A Scala source file."""
    text = reading.text_of(path, data)
    return reading.read(text, _TONGUE)


def _object(walk: Walk, node: "Node", _use: str) -> int:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return UNKNOWN
    name = walk.text_of(named)
    slot, qualified = walk.draft.slot(name + scala_imports.OBJECT), walk.draft.qualified(name)
    with walk.draft.part(slot, qualified, lines_of(node), "class"):
        above = node.child_by_field_name("extend")
        bases = (
            tuple(t for t in types.base_list(walk, above) if t != UNKNOWN)
            if above is not None
            else ()
        )
        walk.draft.entries.append(Entry(slot, "class", bases=bases))
        with walk.type_scope(slot, qualified, walk.term("self", slot), open_=bool(bases)):
            walk.inside(body)
    walk.define(slot, named, "class", node, body)
    return UNKNOWN


def _name(walk: Walk, node: "Node", use: str) -> int:
    """A name: `this` and `super` among them; a capital may be an object or a class."""
    text = walk.text_of(node)
    if text == "this":
        return walk.me()
    if text == "super":
        return ex.parent(walk, node, use)
    if use in ("type", "base"):
        return walk.name(node, use)
    place, read = walk.place(node), walk.draft.read
    if not text[:1].isupper():
        if walk.is_bound(text):
            return walk.name(node, use)
        pair = read(f"{text}()", place.at), read(text, place.at)
        term = walk.draft.first(*(pair if use == "call" else pair[::-1]))
        return _without(walk, walk.draft.use(place, use, term), use)
    pair = read(text + scala_imports.OBJECT, place.at), read(text, place.at)
    return walk.draft.use(place, use, walk.draft.first(*(pair if use == "read" else pair[::-1])))


def _without(walk: Walk, term: int, use: str) -> int:
    """A method may be called without brackets."""
    return walk.draft.first(walk.term("()", term), term) if use == "read" else term


def _field(walk: Walk, node: "Node", use: str) -> int:
    value, named = walk.visit(node.child_by_field_name("value")), node.child_by_field_name("field")
    if named is None:
        return UNKNOWN
    text = walk.text_of(named)
    pair = [walk.term(".", value, text), walk.term(".", value, f"{text}()")]
    if text[:1].isupper():
        pair.insert(0, walk.term(".", value, text + scala_imports.OBJECT))
    term = walk.draft.first(*(reversed(pair) if use == "call" else pair))
    return _without(walk, walk.draft.use(walk.place(named), use, term), use)


def _call(walk: Walk, node: "Node", _use: str) -> int:
    function = node.child_by_field_name("function")
    base = walk.visit(function, "call")
    outer, walk.item = walk.item, UNKNOWN
    raw = walk.draft.raw.nodes[base]
    inner = walk.draft.raw.nodes[int(raw[1])] if raw[0] == "first" else raw
    if inner[0] == "." and isinstance(inner[1], int):
        walk.item = walk.term("each", inner[1])
    listed = node.child_by_field_name("arguments")
    whole = listed is None or listed.type == "arguments"
    given = ex.arguments(walk, listed) if whole else [walk.visit(listed)]
    walk.item = outer
    made = ex.called(walk, base, given)
    if walk.text_of(function)[:1].isupper():
        applied = ex.called(walk, walk.term(".", base, "apply()"), given)
        return walk.draft.first(applied, made)
    return made


def _new(walk: Walk, node: "Node", _use: str) -> int:
    kind, *rest = node.named_children or [node]
    base = walk.visit(kind, "type")
    for child in rest:
        if child.type == "template_body":
            ex.anonymous(walk, node, child, base)
        else:
            walk.visit(child)
    return walk.is_a(base)


def _enum_case(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    if named is not None:
        walk.keep(named, node, "constant", walk.me())
        walk.inside(node.child_by_field_name("class_parameters"))
    return UNKNOWN


def _infix(walk: Walk, node: "Node", _use: str) -> int:
    """`a method b`."""
    left, at = walk.visit(node.child_by_field_name("left")), node.child_by_field_name("operator")
    right = walk.visit(node.child_by_field_name("right"))
    if at is None or at.type != "identifier":
        return UNKNOWN
    pair = walk.term(".", left, f"{walk.text_of(at)}()"), walk.term(".", left, walk.text_of(at))
    return ex.called(walk, walk.draft.use(walk.place(at), "call", walk.draft.first(*pair)), [right])


def _class(kind: str) -> "types.Rule":
    return types.type_(Shape(kind, ("extend",), "class_parameters"))


def _first(walk: Walk, node: "Node", use: str) -> int:
    held = child_of(node, "type_arguments")
    walk.all_of(held.named_children if held is not None else [], "type")
    return walk.visit(node.child_by_field_name("function"), use)


_def = callables.callable_(
    Form("function", result="return_type", listed=scala_values.parameters, inferred=True)
)
_nothing = (
    "comment",
    "block_comment",
    "string",
    "integer_literal",
    "namespace_wildcard",
    "modifiers",
)
_IDIOM = Idiom(
    calls="()",
    rules={
        "package_clause": scala_imports.clause,
        "import_declaration": scala_imports.import_,
        "class_definition": _class("class"),
        "trait_definition": _class("interface"),
        "enum_definition": _class("enum"),
        "object_definition": _object,
        "package_object": _object,
        "simple_enum_case": _enum_case,
        "full_enum_case": _enum_case,
        "function_definition": _def,
        "function_declaration": _def,
        **dict.fromkeys(
            ("val_definition", "var_definition", "val_declaration", "var_declaration"),
            scala_values.value,
        ),
        "type_definition": types.alias,
        "call_expression": _call,
        "generic_function": _first,
        "field_expression": _field,
        "instance_expression": _new,
        "infix_expression": _infix,
        "assignment_expression": ex.assign(),
        "match_expression": scala_values.match,
        "case_clause": scala_values.case,
        "lambda_expression": scala_values.lambda_,
        "for_expression": scala_values.scoped,
        "enumerator": scala_values.enumerator,
        "block": scala_values.scoped,
        "indented_block": scala_values.scoped,
        "if_expression": ex.either("consequence", "alternative"),
        "parenthesized_expression": ex.same(),
        "return_expression": callables.given,
        "identifier": _name,
        "type_identifier": types.type_name,
        "generic_type": types.generic("type"),
        "stable_type_identifier": types.qualified,
        "compound_type": types.inner_type,
        "annotated_type": types.inner_type,
        **dict.fromkeys(_nothing, ex.nothing),
    },
)
_TONGUE = reading.Tongue("jvm", Grammar("tree_sitter_scala"), _IDIOM, scala_imports.package)
