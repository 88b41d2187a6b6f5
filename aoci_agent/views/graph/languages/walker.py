"""What readers of all languages share: texts and places of nodes, and names bound."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.draft import Draft, Place
from aoci_agent.views.graph.model import Defined
from aoci_agent.views.graph.scopes import Binding, Scope

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_SHOWN = 200  # characters of a signature


class Walker:
    """Walks one file and tells a draft what it sees."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        self.text = text
        self.draft = draft
        self.data = text.data
        self.origin = (
            0,
            0,
            0,
        )  # row, column and byte of the text read, where it is a part of the file

    def term(self, *node: str | int) -> int:
        """A raw term."""
        return self.draft.raw.add(*node)

    def text_of(self, node: "Node") -> str:
        """The text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def place(self, node: "Node") -> Place:
        """Where a name stands."""
        start = node.start_byte
        row, column = node.start_point
        length = node.end_byte - start
        if not self.text.is_plain:
            column = len(self.data[start - column : start].decode("utf-8", "replace"))
            length = len(self.text_of(node))
        above, left, before = self.origin
        return Place(above + row + 1, column + (0 if row else left), length, before + start)

    def bind(
        self, node: "Node", kind: str, value: int, *, at: int = -1, alias: bool = False
    ) -> Scope:
        """A plain name bound in the scope here, from `at` on (else from its own place)."""
        line, column, _, start = self.place(node)
        block = self.draft.block
        binding = Binding(self.text_of(node), kind, value, start if at < 0 else at, block)
        binding.line, binding.column, binding.alias = line, column, alias
        return self.draft.bind(binding)

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


def children_of(node: "Node") -> "list[Node]":
    """Named children without comments."""
    return [child for child in node.named_children if "comment" not in child.type]
