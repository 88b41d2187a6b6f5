"""Expressions of JavaScript and TypeScript -> terms, noting every name on the way."""

from contextlib import contextmanager
from typing import TYPE_CHECKING

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.script.types import Types
from aoci_agent.views.graph.languages.walker import children_of
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_LITERALS = {
    "string": "string",
    "template_string": "string",
    "number": "number",
    "true": "boolean",
    "false": "boolean",
}
FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function"))
_SHAPED = frozenset(
    (*FUNCTIONS, "object", "array", "ternary_expression", "binary_expression", "as_expression")
)  # what is read otherwise where its type is known
_EACH = frozenset(
    ("map", "forEach", "filter", "find", "findIndex", "some", "every", "flatMap", "findLast")
)


class Expressions(Types):
    """Reads what has a value. Statements are left to the reader of modules."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self._this: list[int] = [UNKNOWN]
        self.wanted = UNKNOWN  # of the expression whose reading begins
        self.tests: dict[int, tuple[str, int]] = {}  # node of `name instanceof type` -> both
        self._readers: Mapping[str, Callable[[Node], int]] = {
            "identifier": lambda node: self.name(node, "read"),
            "shorthand_property_identifier": lambda node: self.name(node, "read"),
            "this": lambda _: self.this(),
            "super": lambda _: self._super(),
            "member_expression": lambda node: self.member(node, "read"),
            "subscript_expression": self._subscript,
            "call_expression": self._call,
            "new_expression": self._new,
            "await_expression": lambda node: self.term("await", self._last(node)),
            "arrow_function": self._function_value,
            "function_expression": self._function_value,
            "generator_function": self._function_value,
            "class": self._class_value,
            "object": self._object,
            "array": self._array,
            "ternary_expression": self._ternary,
            "binary_expression": self._binary,
            "parenthesized_expression": self._last,
            "spread_element": self._last,
            "jsx_expression": self._last,
            "sequence_expression": self._last,
            "non_null_expression": self._last,
            "satisfies_expression": self._satisfies,
            "as_expression": self._cast,
            "type_assertion": self._assertion,
            "assignment_expression": self._assignment,
            "augmented_assignment_expression": self._augmented,
            "jsx_opening_element": self._element,
            "jsx_self_closing_element": self._element,
            "jsx_closing_element": self._closing,
            "yield_expression": self._yield,
            "type_arguments": self._nothing,
            "type_annotation": self._nothing,
        }

    @contextmanager
    def receiving(self, term: int) -> "Generator[None]":
        """`this` is something else for a while."""
        self._this.append(term)
        try:
            yield
        finally:
            self._this.pop()

    def this(self) -> int:
        return self._this[-1]

    def visit(self, node: "Node | None", wanted: int = UNKNOWN) -> int:
        if node is None:
            return UNKNOWN
        self.wanted = wanted
        reader = self._readers.get(node.type)
        if reader is not None:
            return reader(node)
        for child in node.named_children:
            self.visit(child)
        literal = _LITERALS.get(node.type)
        return self.term("lit", literal) if literal else UNKNOWN

    def member(self, node: "Node", kind: str) -> int:
        """A use of `object.property`."""
        base, named = (node.child_by_field_name(key) for key in ("object", "property"))
        value = self.visit(base)
        if named is None:
            return UNKNOWN
        return self.draft.use(self.place(named), kind, self.term(".", value, self.text_of(named)))

    def callee(self, node: "Node", kind: str = "call") -> int:
        """What is called, made or shown as an element."""
        if node.type == "identifier":
            return self.name(node, kind)
        if node.type == "member_expression":
            return self.member(node, kind)
        return self.visit(node)

    def _last(self, node: "Node") -> int:
        wanted = self.wanted
        values = [self.visit(child, wanted) for child in children_of(node)]
        return values[-1] if values else UNKNOWN

    def _super(self) -> int:
        node = self.draft.raw.nodes[self.this()]
        return self.term("super", node[1]) if node[0] == "self" else UNKNOWN

    def _subscript(self, node: "Node") -> int:
        base, index = (node.child_by_field_name(key) for key in ("object", "index"))
        value = self.visit(base)
        if index is None:
            return UNKNOWN
        if index.type == "string" and index.named_children:
            return self.term(".", value, self.text_of(index.named_children[0]))
        return self.term("[]", value, self.visit(index))

    def _call(self, node: "Node") -> int:
        function, given = (node.child_by_field_name(key) for key in ("function", "arguments"))
        if function is None or given is None:
            return UNKNOWN
        if (module := self._required(function, given)) is not None:
            return module
        value = self.callee(function)
        kinds = node.child_by_field_name("type_arguments")
        if kinds is not None:
            value = self.term("[]", value, *self._inner(kinds))
        if function.type == "super":
            return UNKNOWN
        held = self._handed(function, value)
        return self.term("()", value, *self._arguments(given, value, held))

    def _arguments(self, node: "Node", called: int, held: int = UNKNOWN) -> list[int]:
        """Arguments; `held` is what functions among them are known to get."""
        values: list[int] = []
        for number, child in enumerate(children_of(node)):
            wanted = UNKNOWN
            if child.type in _SHAPED and called != UNKNOWN:
                wanted = self.term("takes", called, str(number))
            if child.type in FUNCTIONS:
                values.append(self.function_value(child, held, wanted))
            else:
                value = self.visit(child, wanted)
                values.append(UNKNOWN if child.type == "spread_element" else value)
        return values

    def _required(self, function: "Node", given: "Node") -> int | None:
        """`require("m")` and `import("m")`."""
        inside = children_of(given)
        name = function.type if function.type == "import" else self.text_of(function)
        if name not in ("require", "import") or len(inside) != 1 or inside[0].type != "string":
            return None
        module = self.text_of(inside[0]).strip("\"'`")
        whole = self.term("import", module, "")
        self.draft.use(self.place(inside[0]), "import", whole)
        if name == "import":
            return self.term("lit", "Promise", whole)
        exported = self.term("import", module, "module.exports")
        return self.term("first", exported, whole)

    def _handed(self, function: "Node", value: int) -> int:
        """What well-known methods hand to the function they are given."""
        node = self.draft.raw.nodes[value]
        if function.type != "member_expression" or node[0] != ".":
            return UNKNOWN
        base, name = int(node[1]), node[2]
        if name in _EACH:
            return self.term("each", base)
        return self.term("await", base) if name == "then" else UNKNOWN

    def _new(self, node: "Node") -> int:
        made = node.child_by_field_name("constructor")
        value = self.callee(made) if made is not None else UNKNOWN
        kinds, given = (node.child_by_field_name(key) for key in ("type_arguments", "arguments"))
        if kinds is not None:
            value = self.term("[]", value, *self._inner(kinds))
        values = self._arguments(given, value) if given is not None else []
        return self.term("()", value, *values)

    def _function_value(self, node: "Node") -> int:
        return self.function_value(node, UNKNOWN, self.wanted)

    def _class_value(self, node: "Node") -> int:
        slot = self.unnamed("type")
        self.class_body(node, slot, self.draft.source, part=False)
        return self.term("own", slot)

    def _object(self, node: "Node") -> int:
        return self.object(node, self.unnamed("type"), self.draft.source, self.wanted)

    def _array(self, node: "Node") -> int:
        wanted = self.term("each", self.wanted) if self.wanted != UNKNOWN else UNKNOWN
        items = [self.visit(child, wanted) for child in children_of(node)]
        return self.term("lit", "Array", self.draft.raw.any_of(items[:8]))

    # operators

    def _ternary(self, node: "Node") -> int:
        wanted = self.wanted
        values = [self.visit(child, wanted) for child in children_of(node)]
        return self.draft.raw.any_of(values[1:])

    def _binary(self, node: "Node") -> int:
        wanted = self.wanted
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        sides = (left, right)
        values = [self.visit(side, wanted) for side in sides]
        operator = node.child_by_field_name("operator")
        kind = operator.type if operator is not None else ""
        if kind == "instanceof" and left is not None and left.type == "identifier":
            self.tests[node.id] = self.text_of(left), self.term("is", values[1])
        if kind in ("||", "??"):
            return self.draft.raw.any_of(values)
        return values[1] if kind == "&&" else UNKNOWN

    def _cast(self, node: "Node") -> int:
        wanted = self.wanted
        value, *kinds = children_of(node)
        kind = self.is_a(self.type(kinds[0])) if kinds else UNKNOWN
        held = self.visit(value, kind if kinds else wanted)
        return kind if kinds else held  # `as const` names no type

    def _satisfies(self, node: "Node") -> int:
        value, *kinds = children_of(node)
        wanted = [self.is_a(self.type(kind)) for kind in kinds]
        return self.visit(value, wanted[0] if wanted else UNKNOWN)

    def _assertion(self, node: "Node") -> int:
        kinds, *values = children_of(node)
        inner = self._inner(kinds)
        for value in values:
            self.visit(value)
        return self.is_a(inner[0]) if inner else UNKNOWN

    def _assignment(self, node: "Node") -> int:
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        if left is None or right is None:
            return UNKNOWN
        return self.assigned(left, right, node)

    def _augmented(self, node: "Node") -> int:
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        if left is not None:
            self.callee(left, "write")
        return self.visit(right)

    def _element(self, node: "Node") -> int:
        shown = UNKNOWN
        named = node.child_by_field_name("name")
        if named is not None and not (
            named.type == "identifier" and self.text_of(named)[:1].islower()
        ):
            shown = self.callee(named)
        taken = self.term("takes", shown, "0") if shown != UNKNOWN else UNKNOWN
        for child in children_of(node):
            if child.type == "jsx_attribute" and taken != UNKNOWN:
                self._attribute(child, taken)
            elif child != named:
                self.visit(child)
        return UNKNOWN

    def _attribute(self, node: "Node", taken: int) -> None:
        """`name={value}` of an element: a property of what the component takes."""
        named, *values = children_of(node)
        member = UNKNOWN
        if named.type == "property_identifier":
            member = self.term(".", taken, self.text_of(named))
            self.draft.use(self.place(named), "write", member)
        for value in values:
            self.visit(value, member)

    def _closing(self, node: "Node") -> int:
        named = node.child_by_field_name("name")
        if named is not None and not self.text_of(named)[:1].islower():
            self.callee(named, "read")
        return UNKNOWN

    def _yield(self, node: "Node") -> int:
        value = self._last(node)
        self.holder().yields.append(value)
        return UNKNOWN

    # left to the readers of functions, variables and declarations

    def function_value(self, node: "Node", held: int, wanted: int) -> int:
        """A function without a name; `held` is what its first parameter gets, `wanted` its own type."""
        raise NotImplementedError

    def object(self, node: "Node", slot: str, qualified: str, wanted: int = UNKNOWN) -> int:
        """`{...}`: a type of its own, whose members are the properties."""
        raise NotImplementedError

    def class_body(self, node: "Node", slot: str, qualified: str, *, part: bool) -> None:
        """Heritage and members of a class."""
        raise NotImplementedError

    def assigned(self, left: "Node", right: "Node", node: "Node") -> int:
        """`left = right`; gives the value."""
        raise NotImplementedError
