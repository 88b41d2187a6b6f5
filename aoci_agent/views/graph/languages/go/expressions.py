"""Go types and expressions -> terms, noting every name on the way."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.walker import Walker, children_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_LITERALS = {
    "int_literal": "int",
    "float_literal": "float64",
    "interpreted_string_literal": "string",
    "raw_string_literal": "string",
    "true": "bool",
    "false": "bool",
}


class Expressions(Walker):
    """Reads what has a value or is a type."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self._unnamed = 0
        self._use = "type"  # what a type is used as: `base` where it is embedded
        self._types: Mapping[str, Callable[[Node], int]] = {
            "type_identifier": lambda node: self.name(node, self._use),
            "qualified_type": self._qualified,
            "slice_type": lambda node: self._held("slice", node, "element"),
            "array_type": lambda node: self._held("slice", node, "element"),
            "implicit_length_array_type": lambda node: self._held("slice", node, "element"),
            "map_type": lambda node: self._held("map", node, "key", "value"),
            "channel_type": lambda node: self._held("chan", node, "value"),
            "function_type": self._function_type,
            "generic_type": self._generic,
            "struct_type": self._anonymous,
        }
        self._readers: Mapping[str, Callable[[Node], int]] = {
            "identifier": lambda node: self.name(node, "read"),
            "selector_expression": lambda node: self.member(node, "read"),
            "call_expression": self._call,
            "composite_literal": self._composite,
            "index_expression": self._index,
            "slice_expression": self._first,
            "parenthesized_expression": self._first,
            "unary_expression": self._unary,
            "type_assertion_expression": self._assertion,
            "type_conversion_expression": self._assertion,
            "type_instantiation_expression": self._first,
            "func_literal": self._literal_function,
            "expression_list": self._first,
        }

    def visit(self, node: "Node | None") -> int:
        """The term of any expression; what is none is looked through for names."""
        if node is None:
            return UNKNOWN
        reader = self._readers.get(node.type) or self._types.get(node.type)
        if reader is not None:
            return reader(node)
        literal = _LITERALS.get(node.type)
        if literal:
            return self.term("lit", literal)
        for child in node.named_children:
            self.visit(child)
        return UNKNOWN

    def type(self, node: "Node | None") -> int:
        """The term of a type; pointers are as good as what they point to."""
        if node is None:
            return UNKNOWN
        reader = self._types.get(node.type)
        if reader is not None:
            return reader(node)
        inner = [self.type(child) for child in children_of(node)]
        return inner[0] if len(inner) == 1 else UNKNOWN

    def embedded(self, node: "Node | None") -> int:
        """The term of a type that another one takes in."""
        self._use = "base"
        kind = self.type(node)
        self._use = "type"
        return kind

    def name(self, node: "Node", kind: str) -> int:
        """A use of a plain name."""
        name = self.text_of(node)
        if name == "_":
            return UNKNOWN
        place = self.place(node)
        return self.draft.use(place, kind, self.draft.read(name, place.at))

    def member(self, node: "Node", kind: str) -> int:
        """A use of `operand.field`."""
        base, named = (node.child_by_field_name(key) for key in ("operand", "field"))
        value = self.visit(base)
        if named is None:
            return UNKNOWN
        return self.draft.use(self.place(named), kind, self.term(".", value, self.text_of(named)))

    # types

    def _qualified(self, node: "Node") -> int:
        package, named = (node.child_by_field_name(key) for key in ("package", "name"))
        if package is None or named is None:
            return UNKNOWN
        value = self.name(package, "read")
        term = self.term(".", value, self.text_of(named))
        return self.draft.use(self.place(named), self._use, term)

    def _held(self, name: str, node: "Node", *keys: str) -> int:
        held = [self.type(node.child_by_field_name(key)) for key in keys]
        return self.term("outside", name, *held)

    def _generic(self, node: "Node") -> int:
        base, given = (node.child_by_field_name(key) for key in ("type", "type_arguments"))
        kinds = [self.type(child) for child in children_of(given)] if given is not None else []
        return self.term("[]", self.type(base), *kinds)

    def _function_type(self, node: "Node") -> int:
        self.parameters(node.child_by_field_name("parameters"))
        return self.term("outside", "func", self.result(node))

    def result(self, node: "Node") -> int:
        """The type of what a function gives; a tuple where it gives several things."""
        given = node.child_by_field_name("result")
        if given is None:
            return UNKNOWN
        if given.type != "parameter_list":
            return self.type(given)
        kinds = [kind for _, kind in self.parameters(given)]
        return kinds[0] if len(kinds) == 1 else self.term("outside", "tuple", *kinds)

    def parameters(self, node: "Node | None") -> "list[tuple[Node | None, int]]":
        """Names and types of a parameter list, one for each name."""
        found: list[tuple[Node | None, int]] = []
        for child in children_of(node):
            kind = self.type(child.child_by_field_name("type"))
            if child.type == "variadic_parameter_declaration":
                kind = self.term("outside", "slice", kind)
            names = child.children_by_field_name("name")
            found += [(name, kind) for name in names] or [(None, kind)]
        return found

    def _anonymous(self, node: "Node") -> int:
        """`struct{...}` where it is used: a type without a name."""
        slot = self.unnamed()
        bases = self.fields(node, slot, self.draft.source)
        self.draft.entries.append(Entry(slot, "class", bases=tuple(bases)))
        return self.term("own", slot)

    def unnamed(self) -> str:
        """A slot for something without a name, of this file alone."""
        self._unnamed += 1
        file = self.text.path.rpartition("/")[2].partition(".")[0]
        around = self.draft.scope.slot
        return f"{around}.{file}~{self._unnamed}" if around else f"{file}~{self._unnamed}"

    def fields(self, node: "Node", slot: str, qualified: str) -> list[int]:
        """The fields of a struct; gives the types it embeds."""
        bases: list[int] = []
        fields = [inner for child in children_of(node) for inner in children_of(child)]
        for child in fields:
            if child.type != "field_declaration":
                continue
            written = child.child_by_field_name("type")
            names = child.children_by_field_name("name")
            kind = self.type(written) if names else self.embedded(written)
            if not names and written is not None and kind != UNKNOWN:
                bases.append(kind)
                last = self.text_of(written).rpartition(".")[2].partition("[")[0].lstrip("*")
                self._field(f"{slot}.{last}", kind)
            for name in names:
                text = self.text_of(name)
                self._field(f"{slot}.{text}", kind)
                whole = f"{qualified}.{text}" if qualified else text
                self.define(f"{slot}.{text}", whole, name, "field", child)
        return bases

    def _field(self, slot: str, kind: int) -> None:
        self.draft.entries.append(Entry(slot, "field", self.is_a(kind), declared=True))

    # expressions

    def _first(self, node: "Node") -> int:
        values = [self.visit(child) for child in children_of(node)]
        return values[0] if values else UNKNOWN

    def _call(self, node: "Node") -> int:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return UNKNOWN
        if function.type == "identifier":
            name = self.text_of(function)
            value = self.name(function, "call")
        else:
            name = ""
            selected = function.type == "selector_expression"
            value = self.member(function, "call") if selected else self.visit(function)
        given = children_of(arguments)
        if name in ("new", "make") and given:
            kind = self.type(given[0])
            for child in given[1:]:
                self.visit(child)
            return self.is_a(kind)
        values = [self.visit(child) for child in given]
        if name == "append" and values:
            return values[0]
        return self.term("()", value, *values)

    def _index(self, node: "Node") -> int:
        operand, index = (node.child_by_field_name(key) for key in ("operand", "index"))
        return self.term("[]", self.visit(operand), self.visit(index))

    def _unary(self, node: "Node") -> int:
        value = self._first(node)
        received = any(child.type == "<-" for child in node.children)
        return self.term("await", value) if received else value

    def _assertion(self, node: "Node") -> int:
        operand, kind = (node.child_by_field_name(key) for key in ("operand", "type"))
        self.visit(operand)
        return self.is_a(self.type(kind))

    def _composite(self, node: "Node") -> int:
        written, body = (node.child_by_field_name(key) for key in ("type", "body"))
        value = self.is_a(self.type(written))
        if body is not None and written is not None:
            self._elements(body, written, value)
        return value

    def _elements(self, body: "Node", written: "Node", value: int) -> None:
        """What stands in `T{...}`: fields by name, or items whose type may be left out."""
        held = written.child_by_field_name("value") or written.child_by_field_name("element")
        inner = self.term("[]", value, UNKNOWN)
        for child in children_of(body):
            item = child
            if child.type == "keyed_element":
                key, item = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None:
                    self._key(key, value, expression=held is not None)
            inside = item.named_children[0] if item is not None and item.named_children else None
            if inside is None:
                continue
            if inside.type == "literal_value":
                while held is not None and held.type == "pointer_type":
                    held = held.named_children[0]
                self._elements(inside, held or inside, inner)
            else:
                self.visit(inside)

    def _key(self, node: "Node", value: int, *, expression: bool) -> None:
        named = node.named_children[0] if node.named_children else node
        if expression or named.type != "identifier":
            self.visit(named)
        else:
            term = self.term(".", value, self.text_of(named))
            self.draft.use(self.place(named), "write", term)

    def _literal_function(self, node: "Node") -> int:
        with self.draft.scoped("function", self.unnamed(), self.draft.source):
            _, result = self.function(node)
        return self.term("lit", "func", self.is_a(result))

    def function(self, node: "Node") -> tuple[tuple[tuple[str, int], ...], int]:
        """A function in the scope here: names and types of its parameters, and of what it gives."""
        declared = self.parameters(node.child_by_field_name("parameters"))
        for name, kind in declared:
            if name is not None and self.text_of(name) != "_":
                self.bind(name, self.is_a(kind), 0, "parameter")
        result = self.result(node)
        self._bind_results(node)
        self.statements(children_of(node.child_by_field_name("body")))
        return tuple((self.text_of(name), kind) for name, kind in declared), result

    def _bind_results(self, node: "Node") -> None:
        """Named results. Their types were read with the result already."""
        given = node.child_by_field_name("result")
        if given is not None and given.type == "parameter_list":
            for child in children_of(given):
                for name in child.children_by_field_name("name"):
                    self.bind(name, self._quiet(child.child_by_field_name("type")), 0)

    def _quiet(self, node: "Node | None") -> int:
        """An instance of a type whose names were noted before."""
        with self.draft.unnoted():
            return self.is_a(self.type(node))

    def statements(self, nodes: "Sequence[Node]") -> None:
        """Statements, in order."""
        raise NotImplementedError
