"""What readers of all languages share: texts and places of nodes, and names bound."""

from typing import TYPE_CHECKING, Generic, TypeVar

from aoci_agent.views.graph.draft import Draft, Place
from aoci_agent.views.graph.model import UNKNOWN, Defined
from aoci_agent.views.graph.scopes import Binding, Scope

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_SHOWN = 200  # characters of a signature

_Draft = TypeVar("_Draft", bound=Draft)


class Reading(Generic[_Draft]):
    """One file while it is read, and the draft that is told what is seen."""

    def __init__(self, text: "Text", draft: _Draft) -> None:
        self.text = text
        self.data = text.data
        self.draft = draft

    def text_of(self, node: "Node | None") -> str:
        """The text of a node."""
        if node is None:
            return ""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def place(self, node: "Node") -> Place:
        """Where a name stands."""
        start = node.start_byte
        row, column = node.start_point
        length = node.end_byte - start
        if not self.text.is_plain:
            column = len(self.data[start - column : start].decode("utf-8", "replace"))
            length = len(self.text_of(node))
        return Place(row + 1, column, length, start)

    def term(self, *node: str | int) -> int:
        """A raw term."""
        return self.draft.raw.add(*node)

    def is_a(self, declared: int) -> int:
        """A value of a declared type."""
        return self.term("is", declared) if declared != UNKNOWN else UNKNOWN

    def holder(self) -> Scope:
        """The scope that is no mere block."""
        scope = self.draft.scope
        while scope.kind == "block" and scope.parent is not None:
            scope = scope.parent
        return scope

    def bind(
        self,
        node: "Node",
        value: int,
        at: int,
        kind: str = "variable",
        *,
        alias: bool = False,
        scope: Scope | None = None,
    ) -> Scope:
        """A plain name bound in the scope here, or in another; it holds the value from `at` on."""
        line, column, *_ = self.place(node)
        name, block = self.text_of(node), self.draft.block
        return self.draft.bind(Binding(name, kind, value, at, block, line, column, alias), scope)


class Walker(Reading[Draft]):
    """A reader that is a class of its own: its methods walk one file."""

    def define(self, slot: str, qualified: str, node: "Node", kind: str, whole: "Node") -> None:
        """A definition; what the outline says of it comes in its place, see `outlined`."""
        line, column, *_ = self.place(node)
        start, end = lines_of(whole)
        text = self.data[whole.start_byte : whole.start_byte + 3 * _SHOWN].decode(
            "utf-8", "replace"
        )
        shown = " ".join(text.partition("\n")[0].split()).rstrip("{ ")[:_SHOWN]
        name = self.text_of(node)
        self.draft.defined.append(
            Defined(slot, name, qualified, kind, start, end, line, column, shown)
        )


def lines_of(node: "Node") -> tuple[int, int]:
    """First and last line, from 1."""
    return node.start_point[0] + 1, node.end_point[0] + 1


def children_of(node: "Node | None") -> "list[Node]":
    """Named children without comments."""
    inside = node.named_children if node is not None else []
    return [child for child in inside if "comment" not in child.type]
