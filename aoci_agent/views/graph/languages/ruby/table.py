"""Ruby by table."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, flow
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk
from aoci_agent.views.graph.languages.ruby import assignments, calls, definitions
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node


def _constant(walk: Walk, node: "Node", use: str) -> int:
    place = walk.place(node)
    return walk.draft.use(place, use, walk.draft.read(walk.text_of(node), place.at))


def _path(walk: Walk, node: "Node", use: str) -> int:
    """`A::B::C`."""
    named, scope = node.child_by_field_name("name"), node.child_by_field_name("scope")
    if named is None:
        return UNKNOWN
    place, text = walk.place(named), "".join(walk.text_of(node).split())
    if scope is None:
        return walk.draft.use(place, use, walk.term("global", walk.text_of(named)))
    held = walk.visit(scope)
    dotted = text.replace("::", ".").lstrip(".")
    if not all(part[:1].isupper() for part in dotted.split(".")):
        return walk.member(held, named, use)
    absolute = text.startswith("::")
    term = walk.term("global", dotted) if absolute else walk.draft.read(dotted, place.at)
    inherited = walk.term(".", held, walk.text_of(named))
    return walk.draft.use(place, use, walk.draft.first(term, inherited))


def _last(walk: Walk, node: "Node", _use: str) -> int:
    """Statements: the value is that of the last one."""
    terms = [walk.visit(child) for child in node.named_children]
    kept = [
        t
        for t, c in zip(terms, node.named_children, strict=True)
        if c.type not in ("comment", "rescue", "ensure")
    ]
    return kept[-1] if kept else UNKNOWN


def _lambda(walk: Walk, node: "Node", _use: str) -> int:
    with walk.draft.scoped("block"):
        listed = node.child_by_field_name("parameters")
        callables.bind_all(walk, calls.parameters(walk, listed) if listed is not None else ())
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _array(walk: Walk, node: "Node", _use: str) -> int:
    return walk.term("lit", "Array", walk.any_of(walk.all_of(node.named_children)))


_nothing = (
    "comment",
    "string_content",
    "simple_symbol",
    "hash_key_symbol",
    "heredoc_content",
    "heredoc_end",
)
_through = (
    "then",
    "else",
    "do",
    "body_statement",
    "block_body",
    "begin",
    "parenthesized_statements",
)
IDIOM = Idiom(
    calls="()",
    receiver="self",
    signs=b"@:",
    rules={
        "class": definitions.type_,
        "module": definitions.type_,
        "singleton_class": definitions.singleton,
        "method": definitions.method,
        "singleton_method": definitions.method,
        "call": calls.call,
        "identifier": calls.identifier,
        "self": calls.me,
        "super": calls.super_alone,
        "instance_variable": assignments.field,
        "class_variable": assignments.field,
        "constant": _constant,
        "scope_resolution": _path,
        "assignment": assignments.assignment,
        "operator_assignment": assignments.operator_assignment,
        "if": flow.arms("consequence", "alternative"),
        "unless": flow.arms("consequence", "alternative"),
        "elsif": flow.arms("consequence", "alternative"),
        "conditional": flow.arms("consequence", "alternative"),
        "if_modifier": flow.maybe,
        "unless_modifier": flow.maybe,
        "while": flow.loop,
        "until": flow.loop,
        "when": flow.maybe,
        "for": assignments.for_,
        "rescue": assignments.rescue,
        "lambda": _lambda,
        "return": callables.given,
        "argument_list": ex.same(),
        "alias": definitions.alias,
        "array": _array,
        "element_reference": ex.item,
        **dict.fromkeys(_through, _last),
        **dict.fromkeys(_nothing, ex.nothing),
    },
)
