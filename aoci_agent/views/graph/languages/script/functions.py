"""Functions and objects of JavaScript and TypeScript."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.script.expressions import FUNCTIONS, Expressions
from aoci_agent.views.graph.languages.walker import children_of, lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node


class Functions(Expressions):
    """Reads callables with their parameters, and objects with their members."""

    def block(self, node: "Node") -> None:
        """The statements of a block, in the scope here."""
        raise NotImplementedError

    def pattern(self, node: "Node", value: int, kind: str, at: int) -> None:
        """Names bound by a pattern."""
        raise NotImplementedError

    def function_value(self, node: "Node", held: int) -> int:
        """A function without a name; `held` is what its first parameter gets."""
        result, _ = self.body(node, self.unnamed("function"), self.draft.source, held)
        return self.term("lit", "func", result)

    def body(
        self, node: "Node", slot: str, qualified: str, held: int = UNKNOWN
    ) -> tuple[int, list[tuple[str, int]]]:
        """Parameters and body of a function; gives what calling it gives, and declared types."""
        this = self.this() if node.type in ("arrow_function", "method_definition") else UNKNOWN
        with self.draft.scoped("function", slot, qualified) as scope, self.receiving(this):
            self.type_parameters(node, slot)
            types = self._parameters_of(node, held)
            declared = self.declared(node, "return_type")
            inside = node.child_by_field_name("body")
            if inside is not None and inside.type == "statement_block":
                self.block(inside)
            elif inside is not None:
                scope.results.append(self.visit(inside))
            value = self._result(node, declared, scope.results, scope.yields)
        return value, types

    def _parameters_of(self, node: "Node", held: int) -> list[tuple[str, int]]:
        listed = node.child_by_field_name("parameters")
        if listed is not None:
            return self.parameters(listed, held)
        single = node.child_by_field_name("parameter")
        if single is None:
            return []
        self.pattern(single, held, "parameter", 0)
        return [(self.text_of(single), UNKNOWN)]

    def _result(self, node: "Node", declared: int, results: list[int], yields: list[int]) -> int:
        if declared != UNKNOWN:
            return self.instance(declared)
        if yields:
            return self.term("lit", "Iterator", self.draft.raw.any_of(yields))
        value = self.draft.raw.any_of(results)
        later = any(child.type == "async" for child in node.children)
        return self.term("lit", "Promise", value) if later else value

    def parameters(self, node: "Node", held: int = UNKNOWN) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        slot = self.draft.scope.slot
        for child in children_of(node):
            pattern = child.child_by_field_name("pattern") or child
            kind = self.declared(child)
            given = child.child_by_field_name("value")
            if pattern.type == "assignment_pattern":
                given = pattern.child_by_field_name("right")
                pattern = pattern.child_by_field_name("left") or pattern
            default = self.visit(given) if given is not None else UNKNOWN
            name = self.text_of(pattern) if pattern.type == "identifier" else ""
            value = self.instance(kind)
            if kind == UNKNOWN:
                told = self.term("arg", slot, name) if name and "~" not in slot else UNKNOWN
                value = self.draft.raw.any_of([default, held, told])
            held = UNKNOWN
            if pattern.type != "this":
                self.pattern(pattern, value, "parameter", 0)
            found.append((name, kind))
        return found

    def object(self, node: "Node", slot: str, qualified: str) -> int:
        """`{...}`: a type of its own, whose members are the properties."""
        bases: list[int] = []
        me = self.term("self", slot)
        for child in children_of(node):
            if child.type == "pair":
                key, held = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and held is not None:
                    self._property(key, held, slot, qualified, me)
            elif child.type == "method_definition":
                with self.receiving(me):
                    self.method(child, slot, qualified)
            elif child.type == "shorthand_property_identifier":
                value = self.name(child, "read")
                self.draft.entries.append(Entry(f"{slot}.{self.text_of(child)}", "import", value))
            else:
                value = self.visit(child)
                if child.type == "spread_element" and value != UNKNOWN:
                    bases.append(value)
        self.draft.entries.append(Entry(slot, "object", bases=tuple(bases)))
        return me

    def _property(self, key: "Node", held: "Node", slot: str, qualified: str, me: int) -> None:
        if key.type == "computed_property_name":
            self.visit(key)
            self.visit(held)
            return
        name = self.text_of(key).strip("\"'")
        inner, whole = f"{slot}.{name}", f"{qualified}.{name}" if qualified else name
        if held.type in FUNCTIONS:
            with self.receiving(me):
                self.callable(held, key, inner, whole, "function")
            return
        value = self.object(held, inner, whole) if held.type == "object" else self.visit(held)
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

    def callable(self, node: "Node", named: "Node", slot: str, qualified: str, kind: str) -> None:
        """A function that has a name, with a part of its own."""
        with self.draft.part(slot, qualified, lines_of(node), "function"):
            value, types = self.body(node, slot, qualified)
        given = (("", UNKNOWN), *types) if kind == "method" else tuple(types)
        self.draft.entries.append(Entry(slot, kind, value, (), (), given, declared=False))
        shown = "function" if kind == "function" else "method"
        self.define(slot, qualified, named, shown, node)
