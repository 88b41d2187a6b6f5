"""Modules of JavaScript and TypeScript: declarations, statements, imports and exports."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.script.declarations import Declarations
from aoci_agent.views.graph.languages.script.modules import exported, imported
from aoci_agent.views.graph.languages.walker import children_of
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_LEAVING = frozenset(("return_statement", "throw_statement"))


class ScriptReader(Declarations):
    """Walks a module."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self._statements: Mapping[str, Callable[[Node], object]] = {
            "program": self.block,
            "statement_block": self._inner_block,
            "import_statement": lambda node: imported(self, node),
            "export_statement": lambda node: exported(self, node),
            "function_declaration": self.function_,
            "generator_function_declaration": self.function_,
            "function_signature": self.declared_function_,
            "class_declaration": self.class_,
            "abstract_class_declaration": self.class_,
            "interface_declaration": self.interface_,
            "type_alias_declaration": self.type_alias_,
            "enum_declaration": self.enum_,
            "internal_module": self.namespace_,
            "module": self.namespace_,
            "lexical_declaration": self.declarations,
            "variable_declaration": self.declarations,
            "if_statement": self._if,
            "for_statement": self._loop,
            "for_in_statement": self._for_in,
            "while_statement": self._loop,
            "do_statement": self._loop,
            "switch_statement": self._switch,
            "try_statement": self._try,
            "return_statement": self._return,
        }

    def block(self, node: "Node") -> None:
        for child in children_of(node):
            self.statement(child)
            if child.type in _LEAVING:
                self.draft.block.leaves = True

    def statement(self, node: "Node") -> None:
        """One statement, or an expression that stands as one."""
        reader = self._statements.get(node.type)
        if reader is not None:
            reader(node)
        elif node.type.endswith(("_statement", "_declaration", "ERROR")):
            for child in children_of(node):
                self.statement(child)
        else:
            self.visit(node)

    def _inner_block(self, node: "Node") -> None:
        with self.draft.scoped("block"):
            self.block(node)

    def _if(self, node: "Node") -> None:
        number = self.draft.statement()
        condition = node.child_by_field_name("condition")
        self.visit(condition)
        for choice, key in enumerate(("consequence", "alternative")):
            arm = node.child_by_field_name(key)
            if arm is None:
                continue
            with self.draft.blocked(number, choice):
                for name, kind in self._tested(condition) if not choice and condition else ():
                    self.draft.test(name, kind, arm.start_byte)
                self.statement(arm) if arm.type != "else_clause" else self.block(arm)

    def _tested(self, node: "Node") -> list[tuple[str, int]]:
        if node.id in self.tests:
            return [self.tests[node.id]]
        both = node.type == "binary_expression" and any(c.type == "&&" for c in node.children)
        if both or node.type == "parenthesized_expression":
            return [item for child in children_of(node) for item in self._tested(child)]
        return []

    def _loop(self, node: "Node") -> None:
        with self.draft.scoped("block"):
            self.draft.block.loop = True
            for child in children_of(node):
                self.statement(child)

    def _for_in(self, node: "Node") -> None:
        left, right, body = (node.child_by_field_name(key) for key in ("left", "right", "body"))
        with self.draft.scoped("block"):
            self.draft.block.loop = True
            value = self.visit(right)
            over = any(child.type == "of" for child in node.children)
            held = self.term("each", value) if over and value != UNKNOWN else UNKNOWN
            declares = node.child_by_field_name("kind") is not None
            if left is not None and right is not None and declares:
                self.pattern(left, held, "variable", right.end_byte)
            elif left is not None:
                self.callee(left, "write")
            if body is not None:
                self.statement(body)

    def _switch(self, node: "Node") -> None:
        value, body = (node.child_by_field_name(key) for key in ("value", "body"))
        self.visit(value)
        with self.draft.scoped("block"):
            for child in children_of(body):
                with self.draft.blocked():
                    self.block(child)

    def _try(self, node: "Node") -> None:
        for child in children_of(node):
            with self.draft.scoped("block"):
                caught = child.child_by_field_name("parameter")
                if caught is not None:
                    self.pattern(caught, self.is_a(self.declared(child)), "variable", 0)
                body = child.child_by_field_name("body")
                self.block(body if body is not None else child)

    def _return(self, node: "Node") -> None:
        values = [self.visit(child, self.returned[-1]) for child in children_of(node)]
        self.holder().results += values[-1:]
