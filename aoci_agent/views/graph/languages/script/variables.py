"""Variables, patterns and assignments of JavaScript and TypeScript."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.script.expressions import FUNCTIONS
from aoci_agent.views.graph.languages.script.functions import Functions
from aoci_agent.views.graph.languages.walker import children_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.graph.scopes import Scope


class Variables(Functions):
    """Reads what gives a name to a value."""

    def top(self) -> bool:
        """Whether what is declared here is of the module, or of a namespace in it."""
        return self.draft.scope.kind in ("module", "namespace")

    def place_for(self, node: "Node") -> tuple[str, str]:
        """Slot and qualified name of a definition here."""
        name = self.text_of(node)
        return self.draft.slot(name), self.draft.qualified(name)

    def bound(self, named: "Node", slot: str, kind: str) -> None:
        if self.draft.scope.kind != "module":
            self.bind(named, self.term("own", slot), 0, kind, alias=True)

    def declarations(self, node: "Node") -> None:
        hoisted = node.type == "variable_declaration"
        for child in children_of(node):
            if child.type == "variable_declarator":
                self._declarator(child, hoisted=hoisted)

    def _declarator(self, node: "Node", *, hoisted: bool) -> None:
        named, given = (node.child_by_field_name(key) for key in ("name", "value"))
        if named is None:
            return
        kind = self.declared(node)
        if named.type != "identifier":
            value = self.visit(given, self.is_a(kind)) if given is not None else UNKNOWN
            held = self.is_a(kind) if kind != UNKNOWN else value
            self.pattern(named, held, "variable", node.end_byte)
            return
        if self.top() or self.draft.scope.kind == "function" or self.draft.scope.kind == "block":
            self._variable(node, named, given, kind, hoisted=hoisted)

    def _variable(
        self, node: "Node", named: "Node", given: "Node | None", kind: int, *, hoisted: bool
    ) -> None:
        top = self.top() or (hoisted and self.holder().kind == "module")
        shaped = given is not None and given.type in (*FUNCTIONS, "class", "object")
        if given is not None and shaped and (kind == UNKNOWN or given.type in FUNCTIONS):
            slot, qualified = self.place_for(named)
            value = self._definition(given, named, (slot, qualified), self.is_a(kind))
            if not top or self.draft.scope.kind == "namespace":
                alias = given.type != "object"
                self.bind(named, value, 0 if alias else node.end_byte, alias=alias)
            return
        value = self.visit(given, self.is_a(kind)) if given is not None else UNKNOWN
        held = self.is_a(kind) if kind != UNKNOWN else value
        if top:
            self._top_variable(node, named, held, declared=kind != UNKNOWN)
        else:
            self.bind(named, held, node.end_byte, scope=self.holder() if hoisted else None)

    def _definition(self, given: "Node", named: "Node", of: tuple[str, str], wanted: int) -> int:
        """`const f = () => ...`, `const C = class {...}`, `const o = {...}`."""
        slot, qualified = of
        if given.type in FUNCTIONS:
            self.callable(given, named, slot, qualified, "function", wanted)
            return self.term("own", slot)
        if given.type == "class":
            self.class_body(given, slot, qualified, part=True)
            self.define(slot, qualified, named, "class", given)
            return self.term("own", slot)
        value = self.object(given, slot, qualified)
        self.draft.entries.append(Entry(slot, "variable", value))
        if self.top():
            self.define(slot, qualified, named, "variable", given.parent or given)
        return value

    def _top_variable(self, node: "Node", named: "Node", value: int, *, declared: bool) -> None:
        slot, qualified = self.place_for(named)
        self.draft.entries.append(Entry(slot, "variable", value, declared=declared))
        self.define(slot, qualified, named, "variable", node)
        if self.draft.scope.kind == "namespace":
            self.bind(named, self.term("own", slot), 0, alias=True)

    def pattern(self, node: "Node", value: int, kind: str, at: int) -> None:
        match node.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                self._named(node, value, kind, at)
            case "object_pattern":
                for child in children_of(node):
                    self._property_pattern(child, value, kind, at)
            case "array_pattern":
                for number, child in enumerate(children_of(node)):
                    self.pattern(child, self.term("part", value, str(number)), kind, at)
            case "assignment_pattern" | "object_assignment_pattern":
                self._defaulted(node, value, kind, at)
            case "rest_pattern":
                for child in children_of(node):
                    self.pattern(child, value if kind == "parameter" else UNKNOWN, kind, at)
            case _:
                self.visit(node)

    def _named(self, node: "Node", value: int, kind: str, at: int) -> None:
        if self.top():
            self._top_variable(node.parent or node, node, value, declared=False)
        else:
            self.bind(node, value, at, kind)

    def _defaulted(self, node: "Node", value: int, kind: str, at: int) -> None:
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        default = self.visit(right)
        if left is not None:
            self.pattern(left, self.draft.raw.any_of([value, default]), kind, at)

    def _property_pattern(self, node: "Node", value: int, kind: str, at: int) -> None:
        if node.type == "pair_pattern":
            key, inner = node.child_by_field_name("key"), node.child_by_field_name("value")
            if key is not None and inner is not None:
                member = self.term(".", value, self.text_of(key).strip("\"'"))
                self.draft.use(self.place(key), "read", member)
                self.pattern(inner, member, kind, at)
            return
        named = node.child_by_field_name("left") or node
        if named.type == "shorthand_property_identifier_pattern":
            member = self.term(".", value, self.text_of(named))
            self.draft.use(self.place(named), "read", member)
            if node.type == "object_assignment_pattern":
                right = node.child_by_field_name("right")
                default = self.visit(right)
                member = self.draft.raw.any_of([member, default])
            self.pattern(named, member, kind, at)
        else:
            self.pattern(node, UNKNOWN, kind, at)

    def assigned(self, left: "Node", right: "Node", node: "Node") -> int:
        if left.type == "member_expression":
            return self._assigned_member(left, right, node)
        value = self.visit(right)
        if left.type == "identifier":
            self.name(left, "write")
            name = self.text_of(left)
            scope: Scope | None = self.draft.scope
            while scope is not None and name not in scope.names:
                scope = scope.parent
            if scope is not None and scope.parent is not None:
                self.bind(left, value, node.end_byte, scope=scope)
        else:
            self.visit(left)
        return value

    def _assigned_member(self, left: "Node", right: "Node", node: "Node") -> int:
        base, named = (left.child_by_field_name(key) for key in ("object", "property"))
        text = self.text_of(left)
        if text == "module.exports" or (
            base is not None and self.text_of(base) in ("exports", "module.exports")
        ):
            return self._exported_member(left, right, "" if text == "module.exports" else text)
        self.member(left, "write")
        value = self.visit(right)
        this = self.draft.raw.nodes[self.this()]
        if base is not None and named is not None and base.type == "this" and this[0] == "self":
            slot = str(this[1])
            self.draft.entries.append(Entry(f"{slot}.{self.text_of(named)}", "field", value))
            owner = next((d.qualified for d in self.draft.defined if d.slot == slot), slot)
            self.define(
                f"{slot}.{self.text_of(named)}",
                f"{owner}.{self.text_of(named)}",
                named,
                "field",
                node,
            )
        return value

    def _exported_member(self, left: "Node", right: "Node", name: str) -> int:
        """`module.exports = x` and `exports.a = x`."""
        named = left.child_by_field_name("property")
        if not name:
            value = self.visit(right)
            kept = [Entry(key, "import", value) for key in ("module.exports", "default")]
            self.draft.entries += kept
            return value
        short = name.rpartition(".")[2]
        if named is not None and right.type in FUNCTIONS:
            self.callable(right, named, short, short, "function")
            return self.term("own", short)
        value = self.visit(right)
        if right.type != "identifier" or self.text_of(right) != short:
            self.draft.entries.append(Entry(short, "variable", value))
            if named is not None:
                self.define(short, short, named, "variable", left)
        return value
