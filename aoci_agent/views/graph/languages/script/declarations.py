"""Declarations of functions, classes, types and namespaces of JavaScript and TypeScript."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.script.expressions import FUNCTIONS
from aoci_agent.views.graph.languages.script.variables import Variables
from aoci_agent.views.graph.languages.walker import children_of, lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node

_FIELDS = frozenset(("public_field_definition", "field_definition"))


class Declarations(Variables):
    """Reads definitions."""

    def statement(self, node: "Node") -> None:
        """One statement, or an expression that stands as one."""
        raise NotImplementedError

    def function_(self, node: "Node") -> None:
        named = node.child_by_field_name("name")
        if named is not None:
            slot, qualified = self.place_for(named)
            self.bound(named, slot, "function")
            self.callable(node, named, slot, qualified, "function")

    def declared_function_(self, node: "Node") -> None:
        """`function f(a: string): T` above the function itself."""
        with self.draft.scoped("block"):
            self.parameters(node.child_by_field_name("parameters"))
            self.declared(node, "return_type")

    def class_(self, node: "Node") -> None:
        """A class that has a name."""
        named = node.child_by_field_name("name")
        if named is not None:
            slot, qualified = self.place_for(named)
            self.bound(named, slot, "class")
            self.class_body(node, slot, qualified, part=True)
            self.define(slot, qualified, named, "class", node)

    def class_body(self, node: "Node", slot: str, qualified: str, *, part: bool) -> None:
        name = slot if part else self.draft.scope.slot
        with (
            self.draft.part(name, qualified, lines_of(node), "class"),
            self.draft.scoped("block"),
            self.receiving(self.term("self", slot)),
        ):
            types = self.type_parameters(node, slot)
            bases = self._heritage(node)
            self.draft.entries.append(Entry(slot, "class", UNKNOWN, tuple(bases), (), types))
            with self.draft.scoped("class", slot, qualified):
                self._members(node, slot, qualified)

    def _members(self, node: "Node", slot: str, qualified: str) -> None:
        body = node.child_by_field_name("body")
        for child in node.children:
            if child.type == "decorator":
                self.visit(child)
        for child in children_of(body):
            self._member(child, slot, qualified)

    def _heritage(self, node: "Node") -> list[int]:
        bases: list[int] = []
        for heritage in (child for child in node.children if child.type == "class_heritage"):
            clauses = children_of(heritage)
            for clause in clauses:
                if clause.type == "extends_clause":
                    bases += self._extended(clause)
                elif clause.type == "implements_clause":
                    bases += [self._base(child) for child in children_of(clause)]
                else:
                    bases.append(self._base(clause))
        return [base for base in bases if base != UNKNOWN]

    def _extended(self, clause: "Node") -> list[int]:
        given = clause.child_by_field_name("type_arguments")
        kinds = self._inner(given) if given is not None else []
        bases = [self._base(child) for child in clause.children_by_field_name("value")]
        return [self.term("[]", base, *kinds) if kinds else base for base in bases]

    def _base(self, node: "Node") -> int:
        if node.type in ("identifier", "type_identifier"):
            return self.name(node, "base")
        if node.type == "generic_type":
            named, given = (node.child_by_field_name(key) for key in ("name", "type_arguments"))
            kinds = self._inner(given) if given is not None else []
            return self.term("[]", self._base(named), *kinds) if named is not None else UNKNOWN
        return self.member(node, "base") if node.type == "member_expression" else self.visit(node)

    def _member(self, node: "Node", slot: str, qualified: str) -> None:
        if node.type == "method_definition":
            self.method(node, slot, qualified)
            self._properties(node, slot, qualified)
        elif node.type in _FIELDS:
            self._field(node, slot, qualified)
        elif node.type.endswith("signature"):
            self.signature(node, slot)
        else:
            self.statement(node)

    def _properties(self, node: "Node", slot: str, qualified: str) -> None:
        """`constructor(private x: T)` declares a field."""
        listed = node.child_by_field_name("parameters")
        for child in children_of(listed):
            marks = {mark.type for mark in child.children}
            pattern = child.child_by_field_name("pattern")
            if pattern is None or marks.isdisjoint(("accessibility_modifier", "readonly")):
                continue
            with self.draft.unnoted():
                value = self.is_a(self.declared(child))
            self._keep(pattern, slot, qualified, value, child, declared=True)

    def _field(self, node: "Node", slot: str, qualified: str) -> None:
        named = node.child_by_field_name("name") or node.child_by_field_name("property")
        kind, given = self.declared(node), node.child_by_field_name("value")
        if named is None:
            return
        text = self.text_of(named)
        if given is not None and given.type in FUNCTIONS:
            self.callable(given, named, f"{slot}.{text}", f"{qualified}.{text}", "method")
            return
        value = self.visit(given)
        declared = kind != UNKNOWN
        held = self.is_a(kind) if declared else value
        self._keep(named, slot, qualified, held, node, declared=declared)

    def _keep(
        self, named: "Node", slot: str, qualified: str, value: int, node: "Node", *, declared: bool
    ) -> None:
        name = self.text_of(named)
        inner, whole = f"{slot}.{name}", f"{qualified}.{name}" if qualified else name
        self.draft.entries.append(Entry(inner, "field", value, declared=declared))
        self.define(inner, whole, named, "field", node)

    def interface_(self, node: "Node") -> None:
        named, body = (node.child_by_field_name(key) for key in ("name", "body"))
        if named is None or body is None:
            return
        slot, qualified = self.place_for(named)
        self.bound(named, slot, "interface")
        with (
            self.draft.part(slot, qualified, lines_of(node), "class"),
            self.draft.scoped("block"),
            self.receiving(self.term("self", slot)),
        ):
            types = self.type_parameters(node, slot)
            above = [child for child in children_of(node) if child.type == "extends_type_clause"]
            bases = [self._base(child) for clause in above for child in children_of(clause)]
            known = tuple(base for base in bases if base != UNKNOWN)
            self.object_type(body, known, slot, types)
        self.define(slot, qualified, named, "interface", node)

    def type_alias_(self, node: "Node") -> None:
        named, written = (node.child_by_field_name(key) for key in ("name", "value"))
        if named is None or written is None:
            return
        slot, qualified = self.place_for(named)
        self.bound(named, slot, "type")
        with self.draft.part(slot, qualified, lines_of(node), "class"), self.draft.scoped("block"):
            types = self.type_parameters(node, slot)
            if written.type == "object_type":
                self.object_type(written, (), slot, types)
            elif written.type == "intersection_type":
                bases = tuple(b for b in self._inner(written) if b != UNKNOWN)
                self.draft.entries.append(Entry(slot, "interface", UNKNOWN, bases, (), types))
            else:
                self.draft.entries.append(Entry(slot, "variable", self.type(written)))
        self.define(slot, qualified, named, "type", node)

    def enum_(self, node: "Node") -> None:
        named, body = (node.child_by_field_name(key) for key in ("name", "body"))
        if named is None or body is None:
            return
        slot, qualified = self.place_for(named)
        self.bound(named, slot, "enum")
        self.draft.entries.append(Entry(slot, "enum"))
        self.define(slot, qualified, named, "enum", node)
        for child in children_of(body):
            inner = child.child_by_field_name("name") or child
            given = child.child_by_field_name("value")
            self.visit(given)
            if inner.type in ("property_identifier", "string"):
                value = self.term("is", self.term("own", slot))
                self._keep(inner, slot, qualified, value, child, declared=True)

    def namespace_(self, node: "Node") -> None:
        """What a namespace holds is under its name; within it the names are plain."""
        named, body = (node.child_by_field_name(key) for key in ("name", "body"))
        if named is None or body is None:
            return
        if named.type == "string":
            self.block(body)
            return
        slot, qualified = self.place_for(named)
        self.bound(named, slot, "namespace")
        self.draft.entries.append(Entry(slot, "class"))
        self.define(slot, qualified, named, "namespace", node)
        with self.draft.scoped("namespace", slot, qualified):
            self.block(body)
