"""Functions and objects of JavaScript and TypeScript."""

from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.script.expressions import FUNCTIONS, Expressions
from aoci_agent.views.graph.languages.walker import children_of, lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text


_KEYS = frozenset(("property_identifier", "string", "shorthand_property_identifier"))


class Wanted(NamedTuple):
    """What is known of a function from the place it stands in."""

    first: int = UNKNOWN  # what its first parameter gets
    function: int = UNKNOWN  # the function type that is declared there


class Functions(Expressions):
    """Reads callables with their parameters, and objects with their members."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self.returned: list[int] = [UNKNOWN]  # what the functions around are declared to give

    def block(self, node: "Node") -> None:
        """The statements of a block, in the scope here."""
        raise NotImplementedError

    def pattern(self, node: "Node", value: int, kind: str, at: int) -> None:
        """Names bound by a pattern."""
        raise NotImplementedError

    def function_value(self, node: "Node", held: int, wanted: int) -> int:
        slot = self.unnamed("function")
        result, _ = self.body(node, slot, self.draft.source, Wanted(held, wanted))
        return self.term("lit", "func", result)

    def body(
        self, node: "Node", slot: str, qualified: str, wanted: "Wanted | None" = None
    ) -> tuple[int, list[tuple[str, int]]]:
        """Parameters and body of a function; gives what calling it gives, and declared types."""
        this = self.this() if node.type in ("arrow_function", "method_definition") else UNKNOWN
        with self.draft.scoped("function", slot, qualified) as scope, self.receiving(this):
            self.type_parameters(node, slot)
            types = self._parameters_of(node, wanted or Wanted())
            declared = self.declared(node, "return_type")
            inside = node.child_by_field_name("body")
            expected = self._expected(node, declared, (wanted or Wanted()).function)
            self.returned.append(expected)
            if inside is not None and inside.type == "statement_block":
                self.block(inside)
            elif inside is not None:
                scope.results.append(self.visit(inside, expected))
            self.returned.pop()
            value = self._result(node, declared, scope.results, scope.yields)
        return value, types

    def _expected(self, node: "Node", declared: int, function: int) -> int:
        """What the function is declared to give."""
        value = self.is_a(declared)
        if value == UNKNOWN and function != UNKNOWN:
            value = self.term("()", function)
        later = any(child.type == "async" for child in node.children)
        return self.term("await", value) if later and value != UNKNOWN else value

    def _parameters_of(self, node: "Node", wanted: "Wanted") -> list[tuple[str, int]]:
        listed = node.child_by_field_name("parameters")
        if listed is not None:
            return self.parameters(listed, *wanted)
        single = node.child_by_field_name("parameter")
        if single is None:
            return []
        value = self.draft.raw.any_of([wanted.first, self._taken(wanted.function, 0)])
        self.pattern(single, value, "parameter", 0)
        return [(self.text_of(single), UNKNOWN)]

    def _taken(self, function: int, number: int) -> int:
        return self.term("takes", function, str(number)) if function != UNKNOWN else UNKNOWN

    def _result(self, node: "Node", declared: int, results: list[int], yields: list[int]) -> int:
        if declared != UNKNOWN:
            return self.is_a(declared)
        if yields:
            return self.term("lit", "Iterator", self.draft.raw.any_of(yields))
        value = self.draft.raw.any_of(results)
        later = any(child.type == "async" for child in node.children)
        return self.term("lit", "Promise", value) if later else value

    def parameters(
        self, node: "Node | None", held: int = UNKNOWN, wanted: int = UNKNOWN
    ) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        slot = self.draft.scope.slot
        for number, child in enumerate(children_of(node)):
            pattern = child.child_by_field_name("pattern") or child
            kind = self.declared(child)
            given = child.child_by_field_name("value")
            if pattern.type == "assignment_pattern":
                given = pattern.child_by_field_name("right")
                pattern = pattern.child_by_field_name("left") or pattern
            default = self.visit(given)
            name = self.text_of(pattern) if pattern.type == "identifier" else ""
            value = self.is_a(kind)
            if kind == UNKNOWN:
                told = self.term("arg", slot, name) if name and "~" not in slot else UNKNOWN
                taken = self._taken(wanted, number)
                value = self.draft.raw.any_of([default, held, taken, told])
                kind = self.term("outside", "typeof", taken) if taken != UNKNOWN else UNKNOWN
            held = UNKNOWN
            if pattern.type != "this":
                self.pattern(pattern, value, "parameter", 0)
            found.append((name, kind))
        return found

    def object(self, node: "Node", slot: str, qualified: str, wanted: int = UNKNOWN) -> int:
        bases: list[int] = []
        me = self.term("self", slot)
        for child in children_of(node):
            if child.type == "pair":
                key, held = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and held is not None:
                    member = self._member_of(key, wanted)
                    with self.receiving(me):
                        self._property(key, held, (slot, qualified), member)
            elif child.type == "method_definition":
                with self.receiving(me):
                    self.method(child, slot, qualified)
            elif child.type == "shorthand_property_identifier":
                value = self.name(child, "read")
                self._member_of(child, wanted)
                self.draft.entries.append(Entry(f"{slot}.{self.text_of(child)}", "import", value))
            else:
                value = self.visit(child)
                if child.type == "spread_element" and value != UNKNOWN:
                    bases.append(value)
        self.draft.entries.append(Entry(slot, "object", bases=tuple(bases)))
        return me

    def _member_of(self, key: "Node", wanted: int) -> int:
        """A key as a member of the type the object is declared to be."""
        if wanted == UNKNOWN or key.type not in _KEYS:
            return UNKNOWN
        member = self.term(".", wanted, self.text_of(key).strip("\"'"))
        return self.draft.use(self.place(key), "write", member)

    def _property(self, key: "Node", held: "Node", of: tuple[str, str], wanted: int) -> None:
        slot, qualified = of
        if key.type == "computed_property_name":
            self.visit(key)
            self.visit(held)
            return
        name = self.text_of(key).strip("\"'")
        inner, whole = f"{slot}.{name}", f"{qualified}.{name}" if qualified else name
        if held.type in FUNCTIONS:
            self.callable(held, key, inner, whole, "function", wanted)
            return
        if held.type == "object":
            value = self.object(held, inner, whole, wanted)
        else:
            value = self.visit(held, wanted)
        self.draft.entries.append(Entry(inner, "field", value))
        if "~" not in inner:
            self.define(inner, whole, key, "field", key.parent or key)

    def method(self, node: "Node", slot: str, qualified: str) -> None:
        """A method of a class or an object."""
        named = node.child_by_field_name("name")
        if named is None or named.type == "computed_property_name":
            self.body(node, self.unnamed("function"), qualified)
            return
        name = self.text_of(named)
        words = {child.type for child in node.children}
        kind = "property" if "get" in words else "setter" if "set" in words else "method"
        whole = f"{qualified}.{name}" if qualified else name
        self.callable(node, named, f"{slot}.{name}", whole, kind)

    def callable(
        self,
        node: "Node",
        named: "Node",
        slot: str,
        qualified: str,
        kind: str,
        wanted: int = UNKNOWN,
    ) -> None:
        """A function that has a name, with a part of its own."""
        with self.draft.part(slot, qualified, lines_of(node), "function"):
            value, types = self.body(node, slot, qualified, Wanted(UNKNOWN, wanted))
        given = (("", UNKNOWN), *types) if kind == "method" else tuple(types)
        self.draft.entries.append(Entry(slot, kind, value, (), (), given, declared=False))
        shown = "function" if kind == "function" else "method"
        self.define(slot, qualified, named, shown, node)
