"""Python assignments and imports."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.python.expressions import Expressions
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Defined, Entry
from aoci_agent.views.graph.scopes import Block, Scope

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_SHOWN = 200


class Bindings(Expressions):
    """Reads what gives a name to something."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self._blocks: dict[str, list[Block]] = {}  # slot of a variable -> blocks that assign it

    def note_definition(
        self, slot: str, named: "Node", kind: str, whole: "Node", signature: str = "", doc: str = ""
    ) -> None:
        """A definition of the scope here."""
        line, column, *_ = self.place(named)
        name = self.text_of(named)
        start, end = lines_of(whole)
        qualified = self.draft.qualified(name)
        item = Defined(slot, name, qualified, kind, start, end, line, column, signature, doc)
        self.draft.defined.append(item)

    def bind_alias(self, named: "Node", kind: str, value: int) -> None:
        """A name that stands for a definition or an import altogether."""
        scope = self.bind(named, value, named.start_byte, kind, alias=True)
        if kind == "import" and scope.kind in ("module", "class"):
            slot = _slot(scope, self.text_of(named))
            self.draft.entries.append(Entry(slot, "import", value))

    # assignments

    def assignment(self, node: "Node") -> int:
        """`a = b`, `a: T = b`, `a = b = c`; gives the value."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        written = node.child_by_field_name("type")
        kind = self.annotation(written)
        alias = written is not None and self.text_of(written).endswith("TypeAlias")
        value = UNKNOWN
        if right is not None and alias:
            kind, value = UNKNOWN, self.annotation(right)
        elif right is not None:
            value = self.assignment(right) if right.type == "assignment" else self.visit(right)
        if left is None:
            return value
        held = self.term("is", kind) if kind != UNKNOWN else value
        declared = kind != UNKNOWN
        if left.type == "identifier":
            self.assigned(left, held, node.end_byte, declared=declared)
        elif left.type == "attribute":
            self.assigned_member(left, held, declared=declared)
        else:
            self.target(left, held, node.end_byte)
        return value

    def augmented_assignment(self, node: "Node") -> None:
        """`a += b` binds no new name."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and left.type == "identifier":
            self.name(left, "write")
        elif left is not None and left.type == "attribute":
            self.member(left, "write")
        elif left is not None:
            self.visit(left)
        self.visit(right)

    def assigned(self, node: "Node", value: int, at: int, *, declared: bool = False) -> None:
        name, scope = self.text_of(node), self.bind(node, value, at)
        if scope.kind in ("module", "class"):
            self._keep(node, _slot(scope, name), value, declared=declared)
        self.draft.use(self.place(node), "write", self.draft.read(name, at))

    def assigned_member(self, node: "Node", value: int, *, declared: bool = False) -> None:
        self.member(node, "write")
        base, named = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if base is None or named is None or base.type != "identifier":
            return
        scope = self._method(self.text_of(base))
        if scope is not None and scope.parent is not None:
            slot = f"{scope.parent.slot}.{self.text_of(named)}"
            self._keep(named, slot, value, declared=declared, owner=scope.parent.qualified)

    def _method(self, name: str) -> Scope | None:
        """The scope of the method whose receiver has this name here."""
        scope: Scope | None = self.draft.scope
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope if scope is not None and scope.receiver == name else None

    def _keep(
        self, node: "Node", slot: str, value: int, *, declared: bool, owner: str | None = None
    ) -> None:
        """A variable others can see: each assignment adds to its value, the first defines it."""
        field = owner is not None or self.draft.scope.kind == "class"
        name = self.text_of(node)
        kind = "field" if field else "constant" if name.isupper() else "variable"
        self.draft.entries.append(Entry(slot, kind, value, declared=declared))
        # A class may declare in its body what a method sets: both define it.
        known = self._blocks.setdefault(slot if owner is None else f"{slot}@set", [])
        if any(owner is not None or self.draft.block.inside(block) for block in known):
            return
        known.append(self.draft.block)
        line, column, *_ = self.place(node)
        statement = node
        while statement.parent is not None and not statement.type.endswith("statement"):
            statement = statement.parent
        start, end = lines_of(statement)
        shown = " ".join(self.text_of(statement)[: 2 * _SHOWN].split())[:_SHOWN]
        around = owner if owner is not None else self.draft.scope.qualified
        if owner is None and self.draft.scope.kind == "function":
            around = ""  # `global name`
        qualified = f"{around}.{name}" if around else name
        item = Defined(slot, name, qualified, kind, start, end, line, column, shown)
        self.draft.defined.append(item)

    def type_alias(self, node: "Node") -> None:
        """`type X = T`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.annotation(right)
        while left is not None and left.type != "identifier":
            left = left.named_children[0] if left.named_children else None
        if left is not None:
            self.assigned(left, value, node.end_byte)

    def elsewhere(self, node: "Node") -> None:
        """`global` and `nonlocal`: names of a scope further out."""
        scope = self.holder()
        top = node.type == "global_statement"
        for child in node.named_children:
            outer, name = scope.parent, self.text_of(child)
            while (
                outer is not None and outer.parent is not None and (top or name not in outer.names)
            ):
                outer = outer.parent
            scope.elsewhere[name] = outer or self.draft.top

    def import_modules(self, node: "Node") -> None:
        """`import a.b, c as d`."""
        for child in node.named_children:
            named = child.child_by_field_name("name") if child.type == "aliased_import" else child
            alias = child.child_by_field_name("alias")
            if named is None or named.type != "dotted_name":
                continue
            self._module(named, "")
            if alias is not None:
                self.bind_alias(alias, "import", self.term("import", self.text_of(named), ""))
            elif named.named_children:
                first = named.named_children[0]
                self.bind_alias(first, "import", self.term("import", self.text_of(first), ""))

    def import_names(self, node: "Node") -> None:
        """`from a.b import c as d`, `from . import *`."""
        source = node.child_by_field_name("module_name")
        if source is None:
            return
        module = "".join(self.text_of(source).split())
        for child in [source, *source.named_children]:
            if child.type == "dotted_name":
                self._module(child, module.removesuffix(self.text_of(child)))
        for child in node.named_children:
            if child == source:
                continue
            if child.type == "wildcard_import":
                value = self.term("import", module, "")
                self.draft.entries.append(Entry("*", "star", value))
                continue
            aliased = child.type == "aliased_import"
            named = child.child_by_field_name("name") if aliased else child
            alias = child.child_by_field_name("alias") if aliased else named
            if named is None or alias is None or named.type != "dotted_name":
                continue
            value = self.term("import", module, self.text_of(named))
            self.draft.use(self.place(named), "import", value)
            self.bind_alias(alias, "import", value)

    def _module(self, node: "Node", before: str) -> None:
        """Note each part of a dotted module name as a use of the module up to there."""
        for number, child in enumerate(node.named_children, 1):
            names = [self.text_of(part) for part in node.named_children[:number]]
            value = self.term("import", before + ".".join(names), "")
            self.draft.use(self.place(child), "import", value)

    def dotted(self, node: "Node", kind: str) -> int:
        """The term of a dotted name in a pattern; noted as a use unless `kind` is empty."""
        value = UNKNOWN
        for number, child in enumerate(node.named_children):
            name, place = self.text_of(child), self.place(child)
            value = self.term(".", value, name) if number else self.draft.read(name, place.at)
            if kind:
                self.draft.use(place, kind, value)
        return value


def _slot(scope: Scope, name: str) -> str:
    return f"{scope.slot}.{name}" if scope.slot else name
