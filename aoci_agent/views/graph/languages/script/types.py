"""Types of TypeScript -> terms, noting every name on the way."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.walker import Walker, children_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_SIGNATURES = frozenset(("method_signature", "abstract_method_signature", "function_signature"))


class Types(Walker):
    """Reads names, members and written types."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self._anonymous = 0
        self._types: Mapping[str, Callable[[Node], int]] = {
            "type_identifier": lambda node: self.name(node, "type"),
            "identifier": lambda node: self.name(node, "type"),
            "nested_type_identifier": self._nested,
            "nested_identifier": self._nested,
            "member_expression": self._nested,
            "generic_type": self._generic,
            "array_type": lambda node: self.term("outside", "Array", *self._inner(node)),
            "tuple_type": lambda node: self.term("outside", "tuple", *self._inner(node)),
            "union_type": lambda node: self.draft.raw.any_of(self._inner(node)),
            "intersection_type": self._intersection,
            "function_type": self._function_type,
            "object_type": lambda node: self.object_type(node, ()),
            "predefined_type": lambda node: self.term("outside", self.text_of(node)),
            "type_query": self._query,
            "literal_type": self._nothing,
            "lookup_type": self._nothing,
            "index_type_query": self._nothing,
            "conditional_type": self._nothing,
            "template_literal_type": self._nothing,
            "type_predicate": self._nothing,
            "this_type": lambda _: self.this(),
        }

    def this(self) -> int:
        """What `this` is here."""
        raise NotImplementedError

    def visit(self, node: "Node | None", wanted: int = UNKNOWN) -> int:
        """The term of any expression; `wanted` is what the place it stands in is declared to take."""
        raise NotImplementedError

    def parameters(
        self, node: "Node | None", held: int = UNKNOWN, wanted: int = UNKNOWN
    ) -> list[tuple[str, int]]:
        """Read parameters in the scope here; gives names and declared types."""
        raise NotImplementedError

    def name(self, node: "Node", kind: str) -> int:
        """A use of a plain name."""
        place = self.place(node)
        return self.draft.use(place, kind, self.draft.read(self.text_of(node), place.at))

    def type(self, node: "Node | None") -> int:
        """The term of a type as written."""
        if node is None:
            return UNKNOWN
        reader = self._types.get(node.type)
        if reader is not None:
            return reader(node)
        inner = self._inner(node)
        return inner[0] if len(inner) == 1 else UNKNOWN

    def declared(self, node: "Node", key: str = "type") -> int:
        """The declared type of a node."""
        return self.type(node.child_by_field_name(key))

    def _inner(self, node: "Node") -> list[int]:
        return [self.type(child) for child in children_of(node)]

    def _nothing(self, node: "Node") -> int:
        self._inner(node)
        return UNKNOWN

    def _nested(self, node: "Node") -> int:
        inside = children_of(node)
        if len(inside) != 2:
            return UNKNOWN
        base = (
            self.name(inside[0], "read") if inside[0].type == "identifier" else self.type(inside[0])
        )
        term = self.term(".", base, self.text_of(inside[1]))
        return self.draft.use(self.place(inside[1]), "type", term)

    def _generic(self, node: "Node") -> int:
        base, given = (node.child_by_field_name(key) for key in ("name", "type_arguments"))
        kinds = self._inner(given) if given is not None else []
        return self.term("[]", self.type(base), *kinds)

    def _query(self, node: "Node") -> int:
        """`typeof value`."""
        inside = children_of(node)
        return self.term("outside", "typeof", self.visit(inside[0])) if inside else UNKNOWN

    def _function_type(self, node: "Node") -> int:
        with self.draft.scoped("block"):
            types = self.parameters(node.child_by_field_name("parameters"))
            result = self.declared(node, "return_type")
            return self.term("outside", "func", *[kind for _, kind in types], result)

    def _intersection(self, node: "Node") -> int:
        slot = self.unnamed("type")
        bases = tuple(kind for kind in self._inner(node) if kind != UNKNOWN)
        self.draft.entries.append(Entry(slot, "interface", bases=bases))
        return self.term("own", slot)

    def unnamed(self, kind: str) -> str:
        """A slot for something without a name."""
        self._anonymous += 1
        around = self.draft.scope.slot
        return f"{around}.{kind}~{self._anonymous}" if around else f"{kind}~{self._anonymous}"

    def object_type(
        self,
        node: "Node",
        bases: tuple[int, ...],
        slot: str = "",
        types: tuple[tuple[str, int], ...] = (),
    ) -> int:
        """The members of an interface or of a type without a name."""
        slot = slot or self.unnamed("type")
        self.draft.entries.append(Entry(slot, "interface", bases=bases, parameters=types))
        for child in children_of(node):
            self.signature(child, slot)
        return self.term("own", slot)

    def signature(self, node: "Node", slot: str) -> None:
        """One member that is only declared."""
        named = node.child_by_field_name("name")
        if named is None:
            self._nothing(node)
            return
        inner = f"{slot}.{self.text_of(named)}"
        if node.type in _SIGNATURES:
            with self.draft.scoped("block"):
                self.type_parameters(node)
                types = self.parameters(node.child_by_field_name("parameters"))
                value = self.is_a(self.declared(node, "return_type"))
            getter = any(child.type == "get" for child in node.children)
            kind = "property" if getter else "method"
            given = (("", UNKNOWN), *types)
            self.draft.entries.append(Entry(inner, kind, value, (), (), given, declared=True))
            shown = "method"
        else:
            value = self.is_a(self.declared(node))
            self.draft.entries.append(Entry(inner, "field", value, declared=True))
            shown = "field"
        self.define(inner, self._within(inner), named, shown, node)

    def _within(self, slot: str) -> str:
        name = slot.rpartition(".")[2]
        around = self.draft.source
        return f"{around}.{name}" if around else name

    def type_parameters(self, node: "Node", slot: str = "") -> tuple[tuple[str, int], ...]:
        """Type parameters as names of the scope here; with a slot they can be filled in."""
        listed = node.child_by_field_name("type_parameters")
        found: list[tuple[str, int]] = []
        for child in children_of(listed):
            named = child.child_by_field_name("name")
            if named is not None:
                text = self.text_of(named)
                term = self.term("arg", f"{slot}.{text}", "") if slot else UNKNOWN
                self.bind(named, term, 0, "type")
                found.append((text, term))
            for key in ("constraint", "value"):
                self.declared(child, key)
        return tuple(found)
