"""C++ by table, on top of C."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.c import qualified, table
from aoci_agent.views.graph.languages.c.declarators import (
    declared,
    is_marked,
    parameter,
)
from aoci_agent.views.graph.languages.common import callables, expressions as ex, types
from aoci_agent.views.graph.languages.common.callables import Form, Head, made
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.spread import DECLARED

if TYPE_CHECKING:
    from tree_sitter import Node

_MAKERS = (
    "make_unique",
    "make_shared",
    "static_cast",
    "dynamic_cast",
    "reinterpret_cast",
    "const_cast",
    "down_cast",
)


@dataclass(slots=True)
class CppNotes:
    """What the rules of C++ note for each other."""

    variables: tuple[tuple[str, int], ...] = ()  # of the template before what is read next


_CLASSES = ("class_specifier", "struct_specifier", "union_specifier")
_ALONE = (
    "translation_unit",
    "declaration_list",
    "preproc_ifdef",
    "preproc_if",
)  # around a class declared ahead
_parameters = callables.one_by_one(parameter)


def _function(walk: Walk, node: "Node", use: str) -> int:
    """A function or method, defined in its class, outside of it, or only declared."""
    found, body = declared(node.child_by_field_name("declarator")), node.child_by_field_name("body")
    if found.name is None or found.function is None:
        walk.inside(node)
        return UNKNOWN
    in_class = walk.holder().kind == "class"
    owner = qualified.parts(found.name)[:-1] if found.name.type == "qualified_identifier" else []
    if not in_class and not owner:
        return table.function(walk, node, use)
    static = is_marked(walk, node, "static")
    form = Form(
        "function",
        variables="",
        listed=_parameters,
        static=callables.always if static else callables.never,
    )
    pure = node.child_by_field_name("default_value") is not None
    body = body or child_of(node, "default_method_clause", "delete_method_clause")
    mark = DECLARED if body is None and not pure else ""
    named = qualified.parts(found.name)[-1]
    listed, result = (
        found.function.child_by_field_name("parameters"),
        node.child_by_field_name("type"),
    )
    head = Head(named, listed, result, body, mark, inside=_initializers)
    if not owner:
        made(walk, node, form, head)
        return UNKNOWN
    whole = ".".join(walk.text_of(part) for part in owner)
    slot, shown = walk.draft.slot(whole), walk.draft.qualified(whole)
    place = walk.place(owner[-1])
    kind = walk.draft.use(place, "type", walk.draft.read_type(whole, place.at))
    with walk.type_scope(slot, shown, walk.is_a(kind), open_=True):
        made(walk, node, form, head)
    return UNKNOWN


def _initializers(walk: Walk, node: "Node") -> None:
    """`: field(value), Base(value)` after the head of a constructor."""
    listed = child_of(node, "field_initializer_list")
    for child in listed.named_children if listed is not None else ():
        first, *rest = child.named_children or [child]
        if first.type == "field_identifier":
            walk.name(first, "write")
        walk.all_of(rest)


def _declaration(walk: Walk, node: "Node", use: str) -> int:
    several = node.children_by_field_name("declarator")
    found = declared(several[0]) if len(several) == 1 else None
    inside = walk.holder().kind
    if found is not None and found.function is not None and inside in ("class", "inner"):
        return _function(walk, node, use)
    if inside == "class":
        return _field(walk, node, use)
    if several and several[0].child_by_field_name("value") is not None:
        value = several[0].child_by_field_name("value")
        if value is not None and value.type == "argument_list":
            walk.visit(value)
    return table.declaration(walk, node, use)


def _field(walk: Walk, node: "Node", use: str) -> int:
    """Fields, methods that are only declared, types within the type."""
    several = node.children_by_field_name("declarator")
    if any(declared(item).function is not None for item in several):
        return _function(walk, node, use)
    return table.field(walk, node, use)


def _class(kind: str) -> "types.Rule":
    """A class with a body, or its name as a type."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is None:
            _ahead(walk, node)
            return walk.visit(named, "type")
        last = qualified.parts(named)[-1] if named is not None else None
        slot = walk.draft.slot(walk.text_of(last)) if last is not None else walk.unnamed()
        shown = walk.draft.qualified(walk.text_of(last)) if last is not None else walk.draft.source
        notes = walk.notes(CppNotes)
        listed, notes.variables = notes.variables, ()
        with walk.draft.part(slot, shown, lines_of(node), "class"):
            bases = _bases(walk, node)
            walk.draft.entries.append(Entry(slot, kind, bases=bases, parameters=listed))
            with walk.type_scope(slot, shown, walk.term("self", slot), open_=bool(bases)):
                walk.inside(body)
        if last is not None:
            walk.define(slot, last, kind, node, body)
        return walk.term("own", slot)

    return read


def _ahead(walk: Walk, node: "Node") -> None:
    """`class Name;` leads to the class of that name in whatever file has it."""
    named, parent = node.child_by_field_name("name"), node.parent
    if parent is not None and parent.type in _ALONE and named is not None:
        walk.draft.entries.append(Entry(walk.draft.slot(walk.text_of(named)), "declared"))


def _bases(walk: Walk, node: "Node") -> tuple[int, ...]:
    clause = child_of(node, "base_class_clause")
    found = (
        [c for c in clause.named_children if c.type != "access_specifier"]
        if clause is not None
        else []
    )
    return tuple(term for term in walk.all_of(found, "base") if term != UNKNOWN)


def _enum(walk: Walk, node: "Node", _use: str) -> int:
    """Constants of a plain enum belong to what is around, too."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None:
        return walk.visit(named, "type")
    scoped = any(child.type in ("class", "struct") for child in node.children)
    last = qualified.parts(named)[-1] if named is not None else None
    slot = walk.draft.slot(walk.text_of(last)) if last is not None else walk.unnamed()
    shown = walk.draft.qualified(walk.text_of(last)) if last is not None else walk.draft.source
    walk.draft.entries.append(Entry(slot, "enum"))
    for child in body.named_children:
        item = child.child_by_field_name("name")
        walk.visit(child.child_by_field_name("value"))
        if item is None:
            continue
        text = walk.text_of(item)
        own = f"{slot}.{text}" if scoped else walk.draft.slot(text)
        value = walk.is_a(walk.term("own", slot))
        walk.draft.entries.append(Entry(own, "constant", value))
        if not scoped:
            walk.draft.entries.append(Entry(f"{slot}.{text}", "import", walk.term("own", own)))
            walk.offers.append(f"{slot}.{text}")
        walk.define(own, item, "constant", child, qualified=f"{shown}.{text}" if scoped else "")
    if last is not None:
        walk.define(slot, last, "enum", node, body)
    return walk.term("own", slot)


def _namespace(walk: Walk, node: "Node", _use: str) -> int:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        walk.inside(body)
        return UNKNOWN
    name = qualified.dotted(walk, named)
    slot, shown = walk.draft.slot(name), walk.draft.qualified(name)
    with walk.draft.scoped("inner", slot, shown) as scope:
        walk.draft.inner.add(scope)
        walk.inside(body)
    return UNKNOWN


def _template(walk: Walk, node: "Node", _use: str) -> int:
    """Type parameters are variables of the class or function they stand before."""
    inner = node.named_children[-1] if node.named_children else None
    if inner is None:
        return UNKNOWN
    if inner.type in _CLASSES:
        found = inner.child_by_field_name("name")
    else:
        found = declared(inner.child_by_field_name("declarator")).name
    name = qualified.dotted(walk, found) or "<template>"
    with walk.draft.scoped("block"):
        notes = walk.notes(CppNotes)
        notes.variables = types.type_variables(walk, node, "parameters", walk.draft.slot(name))
        walk.visit(inner)
        notes.variables = ()
    return UNKNOWN


def _using(walk: Walk, node: "Node", _use: str) -> int:
    """`using namespace A;`, `using A::b;`"""
    named = node.named_children[-1] if node.named_children else None
    if named is None:
        return UNKNOWN
    if any(child.type == "namespace" for child in node.children):
        walk.draft.prefixes.append(qualified.dotted(walk, named))
    elif named.type == "qualified_identifier":
        value = qualified.path(walk, named, "import")
        walk.alias(walk.text_of(qualified.parts(named)[-1]), value)
    return UNKNOWN


def _call(walk: Walk, node: "Node", _use: str) -> int:
    """A call; of a cast and of what makes an owned object the type is told."""
    function = node.child_by_field_name("function")
    base = walk.visit(function, "call")
    given = ex.arguments(walk, node.child_by_field_name("arguments"))
    raw = walk.draft.raw.nodes[base]
    if raw[0] == "[]":
        last = walk.text_of(qualified.parts(function)[-1])
        if last in _MAKERS and len(raw) > 2 and isinstance(raw[2], int):
            return walk.is_a(raw[2])
        base = walk.base_of(base)
    return ex.called(walk, base, given)


def _member(walk: Walk, node: "Node", use: str) -> int:
    value = walk.visit(node.child_by_field_name("argument"))
    field = node.child_by_field_name("field")
    if field is None:
        return UNKNOWN
    for part in field.named_children:
        qualified.arguments(walk, part)
    named = qualified.parts(field)[-1]
    return walk.member(value, named, use)


def _template_function(walk: Walk, node: "Node", use: str) -> int:
    base = walk.visit(node.child_by_field_name("name"), use)
    given = qualified.arguments(walk, node)
    return walk.term("[]", base, *given) if given else base


def _new(walk: Walk, node: "Node", _use: str) -> int:
    kind = walk.visit(node.child_by_field_name("type"), "type")
    walk.visit(node.child_by_field_name("arguments"))
    return walk.is_a(kind)


def _for(walk: Walk, node: "Node", _use: str) -> int:
    value = walk.visit(node.child_by_field_name("right"))
    kind = walk.visit(node.child_by_field_name("type"), "type")
    found = declared(node.child_by_field_name("declarator"))
    with walk.draft.scoped("block"):
        if found.name is not None and found.name.type == "identifier":
            item = walk.is_a(kind) if kind != UNKNOWN else walk.term("each", value)
            walk.bind(found.name, item, 0)
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _catch(walk: Walk, node: "Node", _use: str) -> int:
    with walk.draft.scoped("block"):
        listed = node.child_by_field_name("parameters")
        callables.bind_all(walk, _parameters(walk, listed) if listed is not None else ())
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _lambda(walk: Walk, node: "Node", _use: str) -> int:
    walk.visit(node.child_by_field_name("captures"))
    head, holder = node.child_by_field_name("declarator"), walk.draft.scope
    listed = head.child_by_field_name("parameters") if head is not None else None
    with walk.draft.scoped("function", holder.slot, holder.qualified):
        callables.bind_all(walk, _parameters(walk, listed) if listed is not None else ())
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


CPP = Idiom(
    rules={
        **table.RULES,
        "function_definition": _function,
        "declaration": _declaration,
        "field_declaration": _field,
        **dict.fromkeys(_CLASSES, _class("class")),
        "enum_specifier": _enum,
        "namespace_definition": _namespace,
        "template_declaration": _template,
        "using_declaration": _using,
        "alias_declaration": types.alias,
        "friend_declaration": ex.nothing,
        "qualified_identifier": qualified.path,
        "template_type": types.generic("name", "arguments"),
        "template_function": _template_function,
        "placeholder_type_specifier": ex.nothing,
        "namespace_identifier": types.type_name,
        "call_expression": _call,
        "field_expression": _member,
        "new_expression": _new,
        "this": ex.me,
        "for_range_loop": _for,
        "catch_clause": _catch,
        "lambda_expression": _lambda,
        "if_statement": ex.block,
        "while_statement": ex.block,
    }
)
