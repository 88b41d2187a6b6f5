"""Rules for statements of languages in which an assignment is what gives a variable its value."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common.walk import Rule, Walk
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAVING = ("return", "throw", "break", "continue", "raise", "next", "exit")


def assigned(walk: Walk, node: "Node", value: int, at: int) -> None:
    """A variable of the function around is given a value; it holds from `at` on."""
    walk.bind(node, value, at, scope=walk.around("function"))
    walk.draft.use(walk.place(node), "write", walk.draft.read(walk.text_of(node), at))


def arms(*fields: str) -> Rule:
    """A statement of which one arm runs: those under `fields`, each a block of its own."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        walk.visit(node.child_by_field_name("condition"))
        number = walk.draft.statement()
        found: list[int] = []
        for choice, arm in enumerate(a for f in fields for a in node.children_by_field_name(f)):
            with walk.draft.blocked(number, choice) as block:
                found.append(walk.visit(arm))
                block.leaves = leaves(arm)
        return walk.any_of(found)

    return read


def leaves(node: "Node") -> bool:
    """Whether control never comes out of the end of a block."""
    last = node
    while last.named_children and last.type not in ("return", "return_statement"):
        if last.type.startswith(_LEAVING):
            return True
        last = last.named_children[-1]
        if "expression" in last.type and not last.type.startswith(
            ("expression_statement", "throw")
        ):
            return False
    return last.type.startswith(_LEAVING)


def loop(walk: Walk, node: "Node", _use: str) -> int:
    """Statements that may run several times, or not at all."""
    with walk.draft.blocked(loop=True):
        walk.inside(node)
    return UNKNOWN


def maybe(walk: Walk, node: "Node", _use: str) -> int:
    """Statements that may run, or not."""
    with walk.draft.blocked():
        walk.inside(node)
    return UNKNOWN
