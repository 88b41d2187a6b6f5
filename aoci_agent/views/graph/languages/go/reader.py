"""Go declarations and statements."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.go.expressions import Expressions
from aoci_agent.views.graph.languages.go.finder import MAIN, OTHERS
from aoci_agent.views.graph.languages.walker import children_of, lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.scopes import Binding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_PAIRS = frozenset(
    ("index_expression", "type_assertion_expression", "unary_expression")
)  # v, ok :=
_LEAVING = frozenset(("return_statement", "goto_statement"))


class GoReader(Expressions):
    """Walks a file."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self._statements: Mapping[str, Callable[[Node], object]] = {
            "function_declaration": self._function,
            "method_declaration": self._method,
            "type_declaration": self._each,
            "type_spec": self._type,
            "type_alias": self._alias,
            "const_declaration": self._each,
            "var_declaration": self._each,
            "var_spec_list": self._each,
            "var_spec": self._variables,
            "const_spec": self._variables,
            "import_declaration": self._each,
            "import_spec_list": self._each,
            "import_spec": self._import,
            "block": self._block,
            "statement_list": self._each,
            "short_var_declaration": self._short,
            "assignment_statement": self._assignment,
            "if_statement": self._if,
            "for_statement": self._for,
            "type_switch_statement": self._type_switch,
            "expression_switch_statement": self._switch,
            "select_statement": self._switch,
            "receive_statement": self._short,
        }

    def file(self, node: "Node") -> None:
        """A whole file. Imports are names of the file, not of the package."""
        self.draft.imported_here = frozenset(("import",))
        others = self.draft.space.endswith(OTHERS)
        if not self.draft.space.endswith("#test"):
            value = self.term("import", MAIN if others else OTHERS, "")
            self.draft.entries.append(Entry("*", "star", value))
        with self.draft.scoped("block"):
            self.statements(children_of(node))

    def statements(self, nodes: "Sequence[Node]") -> None:
        for node in nodes:
            self.statement(node)
            if node.type in _LEAVING:
                self.draft.block.leaves = True

    def statement(self, node: "Node") -> None:
        """One statement, or an expression that stands as one."""
        reader = self._statements.get(node.type)
        if reader is not None:
            reader(node)
        elif node.type in self._readers or node.type in self._types:
            self.visit(node)
        else:
            self.statements(children_of(node))

    def _each(self, node: "Node") -> None:
        self.statements(children_of(node))

    def _top(self) -> bool:
        """Whether what is declared here is of the package."""
        scope = self.draft.scope
        return scope.parent is self.draft.top

    def _import(self, node: "Node") -> None:
        path, alias = (node.child_by_field_name(key) for key in ("path", "name"))
        if path is None:
            return
        module = self.text_of(path).strip('"`')
        value = self.term("import", module, "")
        self.draft.use(self.place(path), "import", value)
        if alias is not None and alias.type == "dot":
            self.draft.entries.append(Entry("*", "star", value))
        elif alias is not None:
            self.bind(alias, value, 0, "import", alias=True)
        else:
            line, column, *_ = self.place(path)
            for name in _names_of(module):
                block = self.draft.block
                self.draft.bind(Binding(name, "import", value, 0, block, line, column, alias=True))

    # declarations

    def _function(self, node: "Node") -> None:
        named = node.child_by_field_name("name")
        if named is None:
            return
        name = self.text_of(named)
        slot = self.draft.slot(name)
        self._callable(node, named, slot, name, None)

    def _method(self, node: "Node") -> None:
        named, receiver = (node.child_by_field_name(key) for key in ("name", "receiver"))
        if named is None or receiver is None or not receiver.named_children:
            return
        declared = children_of(receiver)[0]
        kind = declared.child_by_field_name("type")
        while kind is not None and kind.type in ("pointer_type", "parenthesized_type"):
            kind = kind.named_children[0]
        base = (
            kind.child_by_field_name("type")
            if kind is not None and kind.type == "generic_type"
            else kind
        )
        if kind is None or base is None:
            return
        owner = self.text_of(base)
        name = f"{owner}.{self.text_of(named)}"
        self._callable(node, named, name, name, (declared, kind, owner))

    def _callable(
        self,
        node: "Node",
        named: "Node",
        slot: str,
        qualified: str,
        receiver: "tuple[Node, Node, str] | None",
    ) -> None:
        draft = self.draft
        kind = "method" if receiver is not None else "function"
        with (
            draft.part(slot, qualified, lines_of(node), "function"),
            draft.scoped("function", slot, qualified),
        ):
            if receiver is not None:
                self._bind_receiver(*receiver)
            self._bind_type_parameters(node, slot)
            types, result = self.function(node)
        if receiver is not None:
            types = (("", UNKNOWN), *types)
        draft.entries.append(Entry(slot, kind, self.is_a(result), parameters=types, declared=True))
        self.define(slot, qualified, named, kind, node)

    def _bind_receiver(self, declared: "Node", kind: "Node", owner: str) -> None:
        given = kind.child_by_field_name("type_arguments") if kind.type == "generic_type" else None
        for child in children_of(given):
            for name in [child, *child.named_children]:
                if name.type == "type_identifier":
                    self.bind(
                        name, self.term("arg", f"{owner}.{self.text_of(name)}", ""), 0, "type"
                    )
        self.type(kind)
        for name in declared.children_by_field_name("name"):
            me = self.term("self", owner)
            if self.draft.space.endswith(OTHERS):  # the type is likely defined in the usual files
                me = self.is_a(self.draft.read(owner, 0))
            self.bind(name, me, 0, "parameter")

    def _bind_type_parameters(self, node: "Node", slot: str) -> tuple[tuple[str, int], ...]:
        """Type parameters as names of the scope here."""
        listed = node.child_by_field_name("type_parameters")
        found: list[tuple[str, int]] = []
        for child in children_of(listed):
            for name in child.children_by_field_name("name"):
                term = self.term("arg", f"{slot}.{self.text_of(name)}", "")
                found.append((self.text_of(name), term))
                self.bind(name, term, 0, "type")
            self.type(child.child_by_field_name("type"))
        return tuple(found)

    def _type(self, node: "Node") -> None:
        named, written = (node.child_by_field_name(key) for key in ("name", "type"))
        if named is None or written is None:
            return
        draft, name = self.draft, self.text_of(named)
        slot, qualified = draft.slot(name), draft.qualified(name)
        if not self._top():
            self.bind(named, self.term("own", slot), named.start_byte, "type", alias=True)
        with draft.part(slot, qualified, lines_of(node), "class"), draft.scoped("block"):
            parameters = self._bind_type_parameters(node, slot)
            if written.type == "struct_type":
                kind, bases = "class", self.fields(written, slot, qualified)
            elif written.type == "interface_type":
                kind, bases = "interface", self._interface(written, slot, qualified)
            else:
                kind, bases = "type", [self.type(written)]
        known = tuple(base for base in bases if base != UNKNOWN)
        if kind == "type":
            draft.entries.append(Entry(slot, kind, self.is_a(bases[0]), known, (), parameters))
        else:
            draft.entries.append(Entry(slot, kind, UNKNOWN, known, (), parameters))
        self.define(slot, qualified, named, kind, node)

    def _alias(self, node: "Node") -> None:
        named, written = (node.child_by_field_name(key) for key in ("name", "type"))
        if named is None or written is None:
            return
        name = self.text_of(named)
        slot = self.draft.slot(name)
        value = self.type(written)
        self.draft.entries.append(Entry(slot, "variable", value))
        if not self._top():
            self.bind(named, value, named.start_byte, "type", alias=True)
        self.define(slot, self.draft.qualified(name), named, "type", node)

    def _interface(self, node: "Node", slot: str, qualified: str) -> list[int]:
        bases: list[int] = []
        for child in children_of(node):
            named = child.child_by_field_name("name")
            if child.type == "method_elem" and named is not None:
                declared = self.parameters(child.child_by_field_name("parameters"))
                types = tuple((self.text_of(n), term) for n, term in declared)
                inner = f"{slot}.{self.text_of(named)}"
                value = self.is_a(self.result(child))
                entry = Entry(
                    inner, "method", value, (), (), (("", UNKNOWN), *types), declared=True
                )
                self.draft.entries.append(entry)
                self.define(inner, f"{qualified}.{self.text_of(named)}", named, "method", child)
            else:
                bases.append(self._embedded(child))
        return bases

    def _embedded(self, node: "Node") -> int:
        inner = children_of(node)
        return self.embedded(inner[0]) if len(inner) == 1 else self.visit(node)

    def _variables(self, node: "Node") -> None:
        names = node.children_by_field_name("name")
        written, given = (node.child_by_field_name(key) for key in ("type", "value"))
        kind = self.type(written)
        values = self._values(given, len(names)) if given is not None else []
        for number, name in enumerate(names):
            value = self.is_a(kind)
            if kind == UNKNOWN and number < len(values):
                value = values[number]
            shown = "constant" if node.type == "const_spec" else "variable"
            if self._top():
                slot = self.text_of(name)
                entry = Entry(slot, shown, value, declared=kind != UNKNOWN)
                self.draft.entries.append(entry)
                self.define(slot, slot, name, shown, node)
            elif self.text_of(name) != "_":
                self.bind(name, value, node.end_byte, shown)

    # statements

    def _block(self, node: "Node") -> None:
        with self.draft.scoped("block"):
            self.statements(children_of(node))

    def _values(self, node: "Node", count: int) -> list[int]:
        """Values for so many names."""
        inside = children_of(node) if node.type == "expression_list" else [node]
        values = [self.visit(child) for child in inside]
        if len(values) == 1 and count > 1:
            if inside[0].type in _PAIRS:
                return [values[0], self.term("lit", "bool")]
            return [self.term("part", values[0], str(number)) for number in range(count)]
        return values

    def _short(self, node: "Node") -> None:
        """`a, b := f()`, also in `case a := <-c:`."""
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        if right is None:
            return
        declares = any(child.type == ":=" for child in node.children)
        names = children_of(left)
        values = self._values(right, len(names))
        for number, name in enumerate(names):
            if not declares:
                self._assigned(name)
            elif name.type == "identifier" and self.text_of(name) != "_":
                value = values[number] if number < len(values) else UNKNOWN
                self.bind(name, value, node.end_byte)

    def _assignment(self, node: "Node") -> None:
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        for child in children_of(left):
            self._assigned(child)
        self.visit(right)

    def _assigned(self, node: "Node") -> None:
        if node.type == "identifier":
            self.name(node, "write")
        elif node.type == "selector_expression":
            self.member(node, "write")
        else:
            self.visit(node)

    def _if(self, node: "Node") -> None:
        number = self.draft.statement()
        with self.draft.scoped("block"):
            for key in ("initializer", "condition"):
                child = node.child_by_field_name(key)
                if child is not None:
                    self.statement(child)
            for choice, key in enumerate(("consequence", "alternative")):
                arm = node.child_by_field_name(key)
                if arm is not None:
                    with self.draft.blocked(number, choice):
                        self.statement(arm)

    def _for(self, node: "Node") -> None:
        with self.draft.scoped("block"):
            self.draft.block.loop = True
            body = node.child_by_field_name("body")
            for child in children_of(node):
                if child.type == "range_clause":
                    self._range(child)
                elif child != body:
                    self.statement(child)
            if body is not None:
                self.statement(body)

    def _range(self, node: "Node") -> None:
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        value = self.term("each", self.visit(right)) if right is not None else UNKNOWN
        declares = any(child.type == ":=" for child in node.children)
        for number, name in enumerate(children_of(left)):
            if not declares:
                self._assigned(name)
            elif self.text_of(name) != "_":
                self.bind(name, self.term("part", value, str(number)), node.end_byte)

    def _type_switch(self, node: "Node") -> None:
        number = self.draft.statement()
        with self.draft.scoped("block"):
            alias, value = (node.child_by_field_name(key) for key in ("alias", "value"))
            before = node.child_by_field_name("initializer")
            if before is not None:
                self.statement(before)
            subject = self.visit(value)
            names = children_of(alias)
            for choice, case in enumerate(children_of(node)):
                if case.type not in ("type_case", "default_case"):
                    continue
                with self.draft.blocked(number, choice), self.draft.scoped("block"):
                    kinds = [self.type(child) for child in case.children_by_field_name("type")]
                    held = self.is_a(kinds[0]) if len(kinds) == 1 else subject
                    for name in names:
                        self.bind(name, held, case.start_byte)
                    listed = [c for c in children_of(case) if c.type == "statement_list"]
                    self.statements(listed)

    def _switch(self, node: "Node") -> None:
        number = self.draft.statement()
        with self.draft.scoped("block"):
            for choice, child in enumerate(children_of(node)):
                if child.type.endswith("_case"):
                    with self.draft.blocked(number, choice), self.draft.scoped("block"):
                        self.statements(children_of(child))
                else:
                    self.statement(child)


def _names_of(module: str) -> list[str]:
    """What a package is likely called: the last part of its path, without version and decoration."""
    parts = [part for part in module.split("/") if not (part[:1] == "v" and part[1:].isdigit())]
    last = parts[-1] if parts else module
    plain = last.partition(".")[0]
    names = [last, plain, plain.removeprefix("go-").removesuffix("-go"), plain.replace("-", "_")]
    return list(dict.fromkeys(names))
