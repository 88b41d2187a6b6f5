"""Rules for types: classes, interfaces, enums, and for types as they are written."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.views.graph.languages.common.walk import Rule, Walk, child_of
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node


_MARKS = frozenset(("modifiers", "attribute_list", "annotation"))  # in front of definitions


class Shape(NamedTuple):
    """How a kind of type is written: fields of its node, or types of its children."""

    kind: str
    bases: tuple[str, ...] = ()
    record: str = ""  # parameters that are its fields
    variables: str = "type_parameters"
    mixed: str = ""  # what in its body lists further bases, which come first
    opened: Callable[[Walk, "Node"], bool] = lambda _walk, _node: False  # members in other files


def type_(shape: Shape) -> Rule:
    """A type with a name."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        named = node.child_by_field_name("name")
        if named is None:
            walk.inside(node)
            return UNKNOWN
        draft, name = walk.draft, walk.text_of(named)
        inside = node.child_by_field_name("body")
        slot, qualified = draft.slot(name), draft.qualified(name)
        with draft.part(slot, qualified, lines_of(node), "class"), draft.scoped("block"):
            marks(walk, node)
            listed = type_variables(walk, node, shape.variables, slot)
            constraints(walk, node, slot)
            lists = _held(node, shape.bases)
            if shape.mixed and inside is not None:
                lists = [*(c for c in inside.named_children if c.type == shape.mixed), *lists]
            found = [term for held in lists for term in base_list(walk, held)]
            known = tuple(term for term in found if term != UNKNOWN)
            draft.entries.append(Entry(slot, shape.kind, bases=known, parameters=listed))
            receiver, more = walk.term("self", slot), bool(known) or shape.opened(walk, node)
            with walk.type_scope(slot, qualified, receiver, open_=more):
                for held in _held(node, (shape.record,)) if shape.record else ():
                    _record(walk, held)
                if inside is not None:
                    walk.repeated = repeated_in(walk, inside)
                    walk.inside(inside)
        walk.define(slot, named, shape.kind, node, inside)
        if walk.holder().kind == "function":
            walk.alias(name, walk.term("own", slot))
        return UNKNOWN

    return read


def _held(node: "Node", names: tuple[str, ...]) -> "list[Node]":
    found = [child for name in names for child in node.children_by_field_name(name)]
    return found or [child for child in node.named_children if child.type in names]


def marks(walk: Walk, node: "Node") -> None:
    """Annotations and the like in front of a definition."""
    for child in node.named_children:
        if child.type in _MARKS:
            walk.inside(child)


def base_list(walk: Walk, node: "Node") -> list[int]:
    """The terms of the types in a list of bases, whatever is around each."""
    listing = node.type.endswith(("declaration", "clause"))
    if node.type in walk.idiom.rules and not (listing and node.named_child_count):
        return [walk.visit(node, "base")]
    if node.type == "arguments":
        walk.inside(node)
        return []
    return [term for child in node.named_children for term in base_list(walk, child)]


def _record(walk: Walk, node: "Node") -> None:
    """Parameters of a type that are its fields."""
    for child in node.named_children:
        named, kind = child.child_by_field_name("name"), child.child_by_field_name("type")
        if named is not None:
            declared = walk.visit(kind, "type")
            walk.keep(named, child, "field", walk.is_a(declared), declared=declared != UNKNOWN)


def type_variables(
    walk: Walk, node: "Node", field: str, slot: str = ""
) -> tuple[tuple[str, int], ...]:
    """Type parameters of a slot (that of the scope here), bound in the scope here."""
    held = node.child_by_field_name(field) or child_of(node, field)
    if held is None:
        return ()
    found: list[tuple[str, int]] = []
    for child in held.named_children:
        named = child.child_by_field_name("name") or child.child_by_field_name("left")
        if named is None or "identifier" not in named.type:
            named = child if not child.named_children else child.named_children[0]
        if "identifier" not in named.type:
            continue
        name = walk.text_of(named)
        bounds = [bound for bound in child.named_children if bound != named]
        terms = [term for bound in bounds for term in base_list(walk, bound)]
        variable = walk.term("lit", "TypeVar")
        bound = next((term for term in terms if term != UNKNOWN), UNKNOWN)
        if bound != UNKNOWN:
            variable = walk.term("()", variable, "bound", bound)
        place = f"{slot or walk.draft.scope.slot}.{name}"
        walk.draft.entries.append(Entry(place, "alias", variable))
        own = walk.term("own", place)
        walk.alias(name, own)
        found.append((name, own))
    return tuple(found)


def constraints(walk: Walk, node: "Node", slot: str = "") -> None:
    """What type parameters must be, where that is said after the head: `where T : Base`."""
    for clause in node.named_children:
        if clause.type == "type_parameter_constraints_clause":
            _constrained(walk, clause, slot)
        elif clause.type == "where_clause":
            for child in clause.named_children:
                _constrained(walk, child, slot)


def _constrained(walk: Walk, node: "Node", slot: str) -> None:
    first, *rest = node.named_children or [node]
    walk.visit(first, "type")
    terms = [term for child in rest for term in base_list(walk, child) if term != UNKNOWN]
    if terms:
        variable = walk.term("()", walk.term("lit", "TypeVar"), "bound", terms[0])
        place = f"{slot or walk.draft.scope.slot}.{walk.text_of(first)}"
        walk.draft.entries.append(Entry(place, "alias", variable))


def repeated_in(walk: Walk, body: "Node") -> frozenset[str]:
    """Names that several callables of a type have."""
    seen: set[str] = set()
    twice: set[str] = set()
    for child in body.named_children:
        if child.type in walk.idiom.callables:
            named = child.child_by_field_name("name")
            name = walk.text_of(named) if named is not None else child.children[0].type
            name = "init" if child.type == "init_declaration" else name
            (twice if name in seen else seen).add(name)
    return frozenset(twice)


def alias(walk: Walk, node: "Node", _use: str) -> int:
    """Another name for a type: `type Name = Type`, `using Name = Type;`"""
    named = node.child_by_field_name("name")
    value = walk.visit(node.child_by_field_name("type"), "type")
    if named is not None:
        slot = walk.draft.slot(walk.text_of(named))
        walk.draft.entries.append(Entry(slot, "alias", value))
        walk.define(slot, named, "type", node)
    return UNKNOWN


# types as written


def type_name(walk: Walk, node: "Node", use: str) -> int:
    """The name of a type."""
    return walk.name(node, use if use in ("base", "call", "import") else "type", called=False)


def outside(walk: Walk, node: "Node", _use: str) -> int:
    """A type of the language itself."""
    return walk.term("outside", walk.text_of(node))


def any_type(walk: Walk, node: "Node", _use: str) -> int:
    """One of several types: `A | B`."""
    return walk.any_of(walk.all_of(node.named_children, "type"))


def inner_type(walk: Walk, node: "Node", use: str) -> int:
    """What is around a type changes nothing: references, pointers, annotations."""
    found = [walk.visit(child, use if use == "base" else "type") for child in node.named_children]
    return next((term for term in found if term != UNKNOWN), UNKNOWN)


def generic(base: str = "", inside: str = "type_arguments") -> Rule:
    """A type with arguments."""

    def read(walk: Walk, node: "Node", use: str) -> int:
        first = node.child_by_field_name(base) if base else node.named_children[0]
        held = node.child_by_field_name(inside) or child_of(node, inside)
        value = walk.visit(first, use if use in ("base", "call") else "type")
        given = walk.all_of(held.named_children, "type") if held is not None else []
        return walk.term("[]", value, *given) if given else value

    return read


def outer(name: str, field: str = "") -> Rule:
    """A form of type that is a container of what is in it: `T[]`, `[T]`, `T?`."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        nodes = node.children_by_field_name(field) if field else node.named_children
        return walk.term("outside", name, *walk.all_of(nodes, "type"))

    return read


def qualified(walk: Walk, node: "Node", use: str) -> int:
    """A type within a type or space: `Outer.Inner`."""
    held, named = (
        node.named_children[0],
        node.child_by_field_name("name") or node.named_children[-1],
    )
    used = use if use in ("base", "call") else "type"
    around = walk.visit(held, "type") if held != named else UNKNOWN
    return walk.draft.use(walk.place(named), used, walk.term(".", around, walk.text_of(named)))
