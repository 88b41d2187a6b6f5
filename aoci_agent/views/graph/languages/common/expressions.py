"""Rules for expressions and statements that bind names."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common.types import marks, repeated_in
from aoci_agent.views.graph.languages.common.walk import Rule, Walk, child_of
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.overloads import GIVEN_TO

if TYPE_CHECKING:
    from tree_sitter import Node


def name(walk: Walk, node: "Node", use: str) -> int:
    """A plain name."""
    return walk.name(node, use)


def nothing(_walk: Walk, _node: "Node", _use: str) -> int:
    """Not looked into."""
    return UNKNOWN


def inside(walk: Walk, node: "Node", _use: str) -> int:
    """A node whose children are read, and that is nothing itself."""
    walk.inside(node)
    return UNKNOWN


def literal(kind: str) -> Rule:
    """A value of an outside type; what is in it is read."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        walk.inside(node)
        return walk.term("lit", kind)

    return read


def me(walk: Walk, _node: "Node", _use: str) -> int:
    """`this`."""
    return walk.me()


def parent(walk: Walk, _node: "Node", _use: str) -> int:
    """`super`."""
    scope = walk.around("class")
    return walk.term("super", scope.slot) if scope is not None else UNKNOWN


def same(field: str = "") -> Rule:
    """Something around an expression that leaves its value: brackets, `&x`, `await x`."""

    def read(walk: Walk, node: "Node", use: str) -> int:
        if field:
            held = node.child_by_field_name(field)
            term = walk.visit(held, use)
            walk.all_of(child for child in node.named_children if child != held)
            return term
        terms = walk.all_of(node.named_children)
        return terms[-1] if terms else UNKNOWN

    return read


def only(field: str) -> Rule:
    """A node of which one part is read."""

    def read(walk: Walk, node: "Node", use: str) -> int:
        return walk.visit(node.child_by_field_name(field), use)

    return read


def member(value: str, named: str) -> Rule:
    """`value.name`."""

    def read(walk: Walk, node: "Node", use: str) -> int:
        held = walk.visit(node.child_by_field_name(value))
        at = node.child_by_field_name(named)
        return walk.member(held, at, use) if at is not None else UNKNOWN

    return read


def arguments(walk: Walk, node: "Node | None") -> list[int]:
    """The terms of the arguments of a call."""
    return walk.all_of(node.named_children) if node is not None else []


def called(walk: Walk, base: int, given: list[int]) -> int:
    """What a call gives."""
    return walk.term("()", base, *given)


def call(walk: Walk, node: "Node", _use: str) -> int:
    """`function(arguments)`."""
    base = walk.visit(node.child_by_field_name("function"), "call")
    return called(walk, base, arguments(walk, node.child_by_field_name("arguments")))


def invoke(walk: Walk, node: "Node", _use: str) -> int:
    """A call in one node: a receiver, if any, the name, the arguments; overloads are told apart."""
    at, held = node.child_by_field_name("name"), node.child_by_field_name("object")
    inner = walk.visit(held) if held is not None else UNKNOWN
    terms = arguments(walk, node.child_by_field_name("arguments"))
    return call_of(walk, at, inner, terms, bare=held is None) if at is not None else UNKNOWN


def call_of(
    walk: Walk, at: "Node", value: int, given: list[int], *, bare: bool, extended: bool = False
) -> int:
    """A call of a name, or of a member of a value; the use is of the overload that fits.

    `extended`: where the value has no such member, a function may be meant that acts as one.
    """
    called_name = walk.named(walk.text_of(at), "call")
    place = walk.place(at)
    base = walk.draft.read(called_name, place.at) if bare else walk.term(".", value, called_name)
    if walk.idiom.callables:
        base = walk.term("pick", base, *given)
    if extended and value != UNKNOWN:
        acting = walk.term("seen", f"{walk.text_of(at)}{GIVEN_TO}")
        base = walk.draft.first(base, walk.term("pick", acting, value, *given))
    return called(walk, walk.draft.use(place, "call", base), given)


def new(body: str) -> Rule:
    """`new Type(arguments) { body }`."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        base = walk.visit(node.child_by_field_name("type"), "call")
        arguments(walk, node.child_by_field_name("arguments"))
        held = child_of(node, body)
        if held is not None:
            anonymous(walk, node, held, base)
        return walk.term("is", base)

    return read


def anonymous(walk: Walk, node: "Node", body: "Node", base: int) -> None:
    """A class without a name."""
    draft = walk.draft
    slot = walk.unnamed()
    draft.entries.append(Entry(slot, "class", bases=(base,) if base != UNKNOWN else ()))
    with (
        draft.part(slot, draft.source, lines_of(node), "class"),
        walk.type_scope(slot, draft.source, walk.term("self", slot), open_=True),
    ):
        walk.repeated = repeated_in(walk, body)
        walk.inside(body)


def assign(left: str = "left", right: str = "right") -> Rule:
    """An assignment to what has a declaration elsewhere."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        walk.visit(node.child_by_field_name(left), "write")
        return walk.visit(node.child_by_field_name(right))

    return read


def cast(kind: str = "type", value: str = "value") -> Rule:
    """A value made one of a written type."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        declared = walk.visit(node.child_by_field_name(kind), "type")
        walk.visit(node.child_by_field_name(value))
        return walk.is_a(declared)

    return read


def either(*fields: str) -> Rule:
    """One of several values: `a ? b : c`, `a ?: b`."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        found: list[int] = []
        for number, child in enumerate(node.children):
            if child.is_named:
                term = walk.visit(child)
                if node.field_name_for_child(number) in fields:
                    found.append(term)
        return walk.any_of(found)

    return read


def index(value: str, inner: str) -> Rule:
    """`value[inner]`."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        held = walk.visit(node.child_by_field_name(value))
        walk.visit(node.child_by_field_name(inner))
        return walk.term("[]", held, UNKNOWN)

    return read


def item(walk: Walk, node: "Node", _use: str) -> int:
    """`value[inner]`, where the parts have no names."""
    terms = walk.all_of(node.named_children)
    return walk.term("[]", terms[0]) if terms else UNKNOWN


def block(walk: Walk, node: "Node", _use: str) -> int:
    """Statements with names of their own."""
    with walk.draft.scoped("block"):
        walk.inside(node)
    return UNKNOWN


def variables(walk: Walk, node: "Node", _use: str) -> int:
    """`Type a = 1, b = 2`: fields, variables of the file or local ones."""
    declared = walk.visit(node.child_by_field_name("type"), "type")
    marks(walk, node)
    for declarator in node.children_by_field_name("declarator"):
        at = declarator.child_by_field_name("name")
        held = walk.visit(declarator.child_by_field_name("value"))
        if at is not None:
            given = walk.is_a(declared) if declared != UNKNOWN else held
            walk.variable(at, node, given, declared=declared != UNKNOWN)
    return UNKNOWN


def each(walk: Walk, node: "Node", _use: str) -> int:
    """A loop over the items of a value."""
    held = walk.visit(node.child_by_field_name("value"))
    declared = walk.visit(node.child_by_field_name("type"), "type")
    with walk.draft.scoped("block"):
        at = node.child_by_field_name("name")
        if at is not None:
            one = walk.is_a(declared) if declared != UNKNOWN else walk.term("each", held)
            walk.bind(at, one, 0)
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def bound(value: str = "") -> Rule:
    """A name with a type within a larger statement: a caught exception, a resource, a pattern."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        declared = walk.visit(node.child_by_field_name("type"), "type")
        held = walk.visit(node.child_by_field_name(value)) if value else UNKNOWN
        at = node.child_by_field_name("name")
        if at is not None:
            walk.bind(at, walk.is_a(declared) if declared != UNKNOWN else held, node.start_byte)
        return UNKNOWN

    return read
