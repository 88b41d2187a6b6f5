"""Python statements: the order they run in, and what they bind."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.python.bindings import Bindings
from aoci_agent.views.graph.languages.python.patterns import Captured, captured
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text


class Flow(Bindings):
    """Reads statements; definitions are left to the reader of modules."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self._statements: Mapping[str, Callable[[Node], object]] = {
            "module": self.statements,
            "block": self.statements,
            "function_definition": lambda node: self.function(node, node, ()),
            "class_definition": lambda node: self.class_(node, node, ()),
            "decorated_definition": self.decorated,
            "assignment": self.assignment,
            "augmented_assignment": self.augmented_assignment,
            "import_statement": self.import_modules,
            "import_from_statement": self.import_names,
            "if_statement": self._if,
            "for_statement": self._for,
            "while_statement": self._while,
            "with_statement": self._with,
            "try_statement": self._try,
            "match_statement": self._match,
            "return_statement": self._return,
            "assert_statement": self._assert,
            "global_statement": self.elsewhere,
            "nonlocal_statement": self.elsewhere,
            "type_alias_statement": self.type_alias,
        }

    def statements(self, node: "Node") -> None:
        """Every statement of a module or block."""
        for child in node.named_children:
            self.statement(child)
            if child.type in ("return_statement", "raise_statement"):
                self.draft.block.leaves = True

    def statement(self, node: "Node") -> None:
        """One statement, or an expression that stands as one."""
        if node.type == "expression_statement":
            for child in node.named_children:
                self.statement(child)
            return
        reader = self._statements.get(node.type)
        if reader is not None:
            reader(node)
        elif node.type.endswith(("_statement", "ERROR")):
            for child in node.named_children:
                self.statement(child)
        else:
            self.visit(node)

    def _body(self, node: "Node | None") -> None:
        if node is not None:
            with self.draft.blocked():
                self.statements(node)

    def function(self, node: "Node", whole: "Node", decorators: "Sequence[Node]") -> None:
        """A function or method; `whole` has the decorators."""
        raise NotImplementedError

    def class_(self, node: "Node", whole: "Node", decorators: "Sequence[Node]") -> None:
        """A class."""
        raise NotImplementedError

    def decorated(self, node: "Node") -> None:
        """Either, with decorators."""
        raise NotImplementedError

    def _if(self, node: "Node") -> None:
        number = self.draft.statement()
        condition, body = (node.child_by_field_name(key) for key in ("condition", "consequence"))
        self._arm(condition, body, number, 0)
        for choice, arm in enumerate(node.children_by_field_name("alternative"), 1):
            inner = arm.child_by_field_name("consequence") or arm.child_by_field_name("body")
            self._arm(arm.child_by_field_name("condition"), inner, number, choice)
        if (
            condition is not None
            and body is not None
            and not node.child_by_field_name("alternative")
        ):
            self._after(condition, body, node.end_byte)

    def _arm(self, condition: "Node | None", body: "Node | None", number: int, choice: int) -> None:
        self.visit(condition)
        if body is None:
            return
        with self.draft.blocked(number, choice):
            for name, kind in self._tested(condition) if condition is not None else ():
                self.draft.test(name, kind, body.start_byte)
            self.statements(body)

    def _after(self, condition: "Node", body: "Node", at: int) -> None:
        """`if not isinstance(x, T): return`: from here on x is a T."""
        last = body.named_children[-1].type if body.named_children else ""
        if last in ("return_statement", "raise_statement", "continue_statement"):
            inner = condition
            while inner.type == "parenthesized_expression" and inner.named_children:
                inner = inner.named_children[0]
            if inner.type == "not_operator":
                for name, kind in self._tested(inner.named_children[0]):
                    self.draft.test(name, kind, at)

    def _tested(self, node: "Node") -> list[tuple[str, int]]:
        """Names a true condition says the type of."""
        if node.type == "call":
            return [self.tests[node.id]] if node.id in self.tests else []
        both = node.type == "boolean_operator" and any(c.type == "and" for c in node.children)
        if both or node.type == "parenthesized_expression":
            return [item for child in node.named_children for item in self._tested(child)]
        return []

    def _for(self, node: "Node") -> None:
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        value = self.visit(right)
        body = node.child_by_field_name("body")
        with self.draft.blocked(loop=True):
            if left is not None and right is not None:
                self.target(left, self.term("each", value), right.end_byte)
            if body is not None:
                self.statements(body)
        self._else(node)

    def _while(self, node: "Node") -> None:
        condition, body = (node.child_by_field_name(key) for key in ("condition", "body"))
        with self.draft.blocked(loop=True):
            self._arm(condition, body, -1, 0)
        self._else(node)

    def _else(self, node: "Node") -> None:
        alternative = node.child_by_field_name("alternative")
        if alternative is not None:
            self._body(alternative.child_by_field_name("body"))

    def _with(self, node: "Node") -> None:
        later = any(child.type == "async" for child in node.children)
        for item in (
            i for c in node.named_children if c.type == "with_clause" for i in c.named_children
        ):
            value = item.child_by_field_name("value")
            if value is None:
                continue
            if value.type != "as_pattern":
                self.visit(value)
                continue
            held = self.visit(value.named_children[0])
            name = "__aenter__" if later else "__enter__"
            entered = self.term("()", self.term(".", held, name)) if held != UNKNOWN else UNKNOWN
            target = value.child_by_field_name("alias")
            if target is not None:
                self.target(
                    target, self.term("await", entered) if later else entered, item.end_byte
                )
        body = node.child_by_field_name("body")
        if body is not None:
            self.statements(body)

    def _try(self, node: "Node") -> None:
        number = self.draft.statement()
        self._body(node.child_by_field_name("body"))
        clauses = [child for child in node.named_children if child.type.endswith("_clause")]
        for choice, clause in enumerate(clauses, 1):
            if clause.type == "finally_clause":
                for child in clause.named_children:
                    self.statements(child)
            elif clause.type == "else_clause":
                self._body(clause.child_by_field_name("body"))
            else:
                self._except(clause, number, choice)

    def _except(self, clause: "Node", number: int, choice: int) -> None:
        value = clause.child_by_field_name("value")
        with self.draft.blocked(number, choice):
            if value is not None and value.type == "as_pattern":
                kind = self._exception(value.named_children[0])
                target = value.child_by_field_name("alias")
                if target is not None:
                    self.target(target, self.term("is", kind), value.end_byte)
            elif value is not None:
                self._exception(value)
            for child in clause.named_children:
                if child.type == "block":
                    self.statements(child)

    def _exception(self, node: "Node") -> int:
        if node.type == "tuple":
            return self.draft.raw.any_of([self.visit(child) for child in node.named_children])
        return self.visit(node)

    def _match(self, node: "Node") -> None:
        subjects = node.children_by_field_name("subject")
        values = [self.visit(subject) for subject in subjects]
        number = self.draft.statement()
        body = node.child_by_field_name("body")
        for choice, clause in enumerate(body.named_children if body is not None else ()):
            with self.draft.blocked(number, choice):
                for child in clause.named_children:
                    if child.type == "case_pattern":
                        self._pattern(child, values[0] if len(values) == 1 else UNKNOWN)
                    elif child.type == "block":
                        self.statements(child)
                    else:
                        self.visit(child)

    def _pattern(self, node: "Node", value: int) -> None:
        for item in captured(node):
            if item.kind is Captured.CLASS:
                self.dotted(item.node, "read")
            elif item.kind is Captured.VALUE:
                self.visit(item.node)
            else:
                held = self.term("is", self.dotted(item.type, "")) if item.type else UNKNOWN
                self.assigned(item.node, held if item.type else value, node.end_byte)

    def _return(self, node: "Node") -> None:
        for child in node.named_children:
            self.holder().results.append(self.visit(child))

    def _assert(self, node: "Node") -> None:
        for child in node.named_children:
            self.visit(child)
        for name, kind in self._tested(node.named_children[0]) if node.named_children else ():
            self.draft.test(name, kind, node.end_byte)
