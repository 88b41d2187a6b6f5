"""C++ names with `::` in them: read as a whole first, because a namespace is spread over many files."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common.walk import Walk
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

_TEMPLATES = (
    "template_type",
    "template_function",
    "template_method",
    "dependent_name",
    "dependent_type",
)


def parts(node: "Node | None") -> "list[Node]":
    """The names of a path, templates without their arguments."""
    if node is None:
        return []
    if node.type in ("qualified_identifier", "nested_namespace_specifier"):
        inner = [node.child_by_field_name("scope"), node.child_by_field_name("name")]
        named = [child for child in inner if child is not None] or node.named_children
        return [part for child in named for part in parts(child)]
    if node.type in _TEMPLATES:
        return parts(node.child_by_field_name("name") or node.named_children[0])
    return [node]


def dotted(walk: Walk, node: "Node | None") -> str:
    """A path with points between its parts."""
    return ".".join(walk.text_of(part) for part in parts(node))


def path(walk: Walk, node: "Node", use: str) -> int:
    """`A::B::c`: a name of a namespace, or a member of a type."""
    named = parts(node)
    held, before = UNKNOWN, ""
    typed = use in ("type", "base")
    for number, part in enumerate(named):
        text, place = walk.text_of(part), walk.place(part)
        whole = f"{before}.{text}" if before else text
        last = number == len(named) - 1
        if last and not typed:
            term = walk.draft.read(whole, place.at)
        else:
            term = walk.draft.read_type(whole, place.at)
        if number and held != UNKNOWN:
            term = walk.draft.first(term, walk.term(".", held, text))
        held = walk.draft.use(place, use if last else "type", term)
        before = whole
    return _argued(walk, node, held)


def _argued(walk: Walk, node: "Node", term: int) -> int:
    """The types a template is given, at any part of a path."""
    while node.type == "qualified_identifier":
        scope, named = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if scope is not None and scope.type == "template_type":
            arguments(walk, scope)
        if named is None:
            return term
        node = named
    given = arguments(walk, node)
    return walk.term("[]", term, *given) if given else term


def arguments(walk: Walk, node: "Node") -> list[int]:
    """The types a template is given."""
    held = node.child_by_field_name("arguments")
    return walk.all_of(held.named_children, "type") if held is not None else []
