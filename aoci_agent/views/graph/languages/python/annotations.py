"""Names and written types of Python -> terms."""

from typing import TYPE_CHECKING

from aoci_agent.aoci.facts.parsing import parse
from aoci_agent.views.graph.draft import Draft, Place
from aoci_agent.views.graph.languages.walker import Walker, children_of
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_WHOLE = (0, 0, 0)  # row, column and byte of the text read, where it is the whole file


class Annotations(Walker):
    """Reads names, members and types. Subclassed by the reader of expressions."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self._origin = _WHOLE
        self._types: Mapping[str, Callable[[Node], int]] = {
            "identifier": lambda node: self.name(node, "type"),
            "attribute": lambda node: self.member(node, "type"),
            "none": lambda _: self.term("none"),
            "string": self._quoted,
            "concatenated_string": self._quoted,
            "binary_operator": self._union,
            "union_type": self._union,
            "subscript": self._generic,
            "generic_type": self._generic,
            "list": self._listed,
            "tuple": self._listed,
        }

    def place(self, node: "Node") -> Place:
        """Where a name stands in the file, whatever part of it is read."""
        found = super().place(node)
        if self._origin == _WHOLE:
            return found
        above, left, before = self._origin
        column = found.column + (left if found.line == 1 else 0)
        return Place(found.line + above, column, found.length, found.at + before)

    def name(self, node: "Node", kind: str) -> int:
        """A use of a plain name."""
        place = self.place(node)
        term = self.draft.read(self.text_of(node), place.at)
        return self.draft.use(place, kind, term)

    def member(self, node: "Node", kind: str) -> int:
        """A use of `base.name`."""
        base = node.child_by_field_name("object")
        named = node.child_by_field_name("attribute")
        value = self.visit(base)
        if named is None:
            return UNKNOWN
        return self.draft.use(self.place(named), kind, self.term(".", value, self.text_of(named)))

    def callee(self, node: "Node") -> int:
        """What is called."""
        if node.type == "identifier":
            return self.name(node, "call")
        if node.type == "attribute":
            return self.member(node, "call")
        return self.visit(node)

    def visit(self, node: "Node | None") -> int:
        """The term of any expression."""
        raise NotImplementedError

    def annotation(self, node: "Node | None") -> int:
        """The term of a type as written."""
        if node is None:
            return UNKNOWN
        reader = self._types.get(node.type)
        if reader is not None:
            return reader(node)
        values = [self.annotation(child) for child in children_of(node)]
        return values[0] if len(values) == 1 else UNKNOWN

    def _union(self, node: "Node") -> int:
        return self.draft.raw.any_of([self.annotation(child) for child in children_of(node)])

    def _listed(self, node: "Node") -> int:
        return self.term("lit", "tuple", *[self.annotation(child) for child in children_of(node)])

    def _generic(self, node: "Node") -> int:
        head, *inside = children_of(node)
        base, name = self.annotation(head), self.text_of(head).rpartition(".")[2]
        if len(inside) == 1 and inside[0].type == "type_parameter":
            inside = children_of(inside[0])
        if name == "Literal":
            return UNKNOWN
        given = [
            self.visit(child) if name == "Annotated" and number else self.annotation(child)
            for number, child in enumerate(inside)
        ]
        return self.term("[]", base, *given)

    def _quoted(self, node: "Node") -> int:
        """A type in quotes, read where it stands."""
        content = [child for child in node.children if child.type == "string_content"]
        if len(content) != 1 or self._origin != _WHOLE:
            return UNKNOWN
        inner = content[0]
        outer, place = self.data, self.place(inner)
        data = self.text_of(inner).encode()
        root = parse(data, "tree_sitter_python", "language").root_node
        if root.has_error:
            return UNKNOWN
        self.data, self._origin = data, (place.line - 1, place.column, place.at)
        try:
            return self.annotation(root.named_children[0]) if root.named_children else UNKNOWN
        finally:
            self.data, self._origin = outer, _WHOLE
