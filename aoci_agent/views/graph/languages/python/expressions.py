"""Python expressions and annotations -> terms, noting every name on the way."""

from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.python.annotations import Annotations
from aoci_agent.views.graph.languages.walker import children_of
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_LITERALS = {
    "integer": "int",
    "float": "float",
    "true": "bool",
    "false": "bool",
    "comparison_operator": "bool",
    "not_operator": "bool",
}
_OPERATORS = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "@": "__matmul__",
    "&": "__and__",
    "|": "__or__",
    "^": "__xor__",
    "<<": "__lshift__",
    ">>": "__rshift__",
    "**": "__pow__",
}
_TYPES = {"cast": 0, "NewType": 1}  # the argument that is a type
_NOTHING = frozenset(("comment", "ellipsis", "line_continuation"))


class Parameter(NamedTuple):
    """One parameter: its name, the term of its declared type, its value as far as that is told."""

    node: "Node"
    declared: int
    value: int


class Expressions(Annotations):
    """Reads what has a value. Subclassed by the reader of statements."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self.tests: dict[int, tuple[str, int]] = {}  # node of `isinstance(name, type)` -> both
        self._readers: Mapping[str, Callable[[Node], int]] = {
            "identifier": self._identifier,
            "attribute": self._attribute,
            "call": self._call,
            "subscript": self._subscript,
            "string": self._string,
            "concatenated_string": self._string,
            "list": self._list,
            "set": self._list,
            "tuple": self._tuple,
            "expression_list": self._tuple,
            "dictionary": self._dictionary,
            "list_comprehension": self._comprehension,
            "set_comprehension": self._comprehension,
            "generator_expression": self._comprehension,
            "dictionary_comprehension": self._comprehension,
            "lambda": self._lambda,
            "conditional_expression": self._conditional,
            "boolean_operator": self._boolean,
            "binary_operator": self._binary,
            "await": self._await,
            "yield": self._yield,
            "named_expression": self._named_expression,
            "parenthesized_expression": self._inner,
            "none": lambda _: self.term("none"),
            "slice": self._slice,
            "assignment": self.assignment,
        }

    def visit(self, node: "Node | None") -> int:
        """The term of any expression; what is no expression is looked through for names."""
        if node is None:
            return UNKNOWN
        reader = self._readers.get(node.type)
        if reader is not None:
            return reader(node)
        if node.type in _NOTHING:
            return UNKNOWN
        for child in node.named_children:
            self.visit(child)
        literal = _LITERALS.get(node.type)
        return self.term("lit", literal) if literal else UNKNOWN

    def assigned(self, node: "Node", value: int, at: int, *, declared: bool = False) -> None:
        """A plain name assigned to; the value holds from `at` on."""
        raise NotImplementedError

    def assigned_member(self, node: "Node", value: int, *, declared: bool = False) -> None:
        """A member assigned to."""
        raise NotImplementedError

    def target(self, node: "Node", value: int, at: int) -> None:
        """Something assigned to: a name, a member, or several of them."""
        if node.type == "identifier":
            self.assigned(node, value, at)
        elif node.type == "attribute":
            self.assigned_member(node, value)
        elif node.type in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list"):
            for number, child in enumerate(node.named_children):
                if child.type in ("list_splat_pattern", "list_splat"):
                    for name in child.named_children:
                        self.target(name, UNKNOWN, at)
                else:
                    self.target(child, self.term("part", value, str(number)), at)
        elif node.type in ("parenthesized_expression", "as_pattern_target"):
            for child in node.named_children:
                self.target(child, value, at)
        else:
            self.visit(node)

    def _identifier(self, node: "Node") -> int:
        return self.name(node, "read")

    def _attribute(self, node: "Node") -> int:
        return self.member(node, "read")

    def _inner(self, node: "Node") -> int:
        value = UNKNOWN
        for child in children_of(node):
            value = self.visit(child)
        return value

    def _call(self, node: "Node") -> int:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return UNKNOWN
        called = self.text_of(function) if function.type in ("identifier", "attribute") else ""
        value = self.callee(function)
        if arguments.type == "generator_expression":
            return self.term("()", value, self.visit(arguments))
        given = self._arguments(arguments, called.rpartition(".")[2])
        if called == "super" and not given:
            owner = self.owner()
            return self.term("super", owner) if owner else UNKNOWN
        if called == "isinstance" and len(given) == 2 and isinstance(given[1], int):
            self._note_test(node, arguments, given[1])
        return self.term("()", value, *given)

    def _arguments(self, node: "Node", called: str) -> list[str | int]:
        """Terms of arguments; a text names the one after it."""
        given: list[str | int] = []
        children = children_of(node)
        for number, child in enumerate(children):
            if child.type == "keyword_argument":
                name, held = (child.child_by_field_name(key) for key in ("name", "value"))
                if name is not None and held is not None:
                    bound = called == "TypeVar" and self.text_of(name) == "bound"
                    read = self.annotation if bound else self.visit
                    given += [self.text_of(name), read(held)]
            elif number == _TYPES.get(called):
                given.append(self.annotation(child))
            else:
                value = self.visit(child)
                splat = child.type in ("list_splat", "dictionary_splat")
                given.append(UNKNOWN if splat else value)
        return given

    def _note_test(self, node: "Node", arguments: "Node", kind: int) -> None:
        named = arguments.named_children[0]
        if named.type == "identifier":
            tested = self.draft.raw.nodes[kind]
            kinds = tested[2:] if tested[:2] == ("lit", "tuple") else (kind,)
            any_of = self.draft.raw.any_of([item for item in kinds if isinstance(item, int)])
            self.tests[node.id] = self.text_of(named), self.term("is", any_of)

    def owner(self) -> str:
        """The slot of the class whose method is read, "" where there is none."""
        scope = self.draft.scope
        while scope.parent is not None:
            if scope.kind == "class":
                return scope.slot
            scope = scope.parent
        return ""

    def _subscript(self, node: "Node") -> int:
        value, *inside = children_of(node)
        base = self.visit(value)
        return self.term("[]", base, *[self.visit(child) for child in inside])

    def _slice(self, node: "Node") -> int:
        self._inner(node)
        return self.term("lit", "slice")

    def _string(self, node: "Node") -> int:
        for child in node.named_children:
            if child.type in ("interpolation", "string"):
                self.visit(child)
        mark = self.data[node.start_byte : node.start_byte + 2].lower()
        return self.term("lit", "bytes" if b"b" in mark.partition(b'"')[0] else "str")

    def _list(self, node: "Node") -> int:
        items = [self.visit(child) for child in children_of(node)]
        kind = "list" if node.type == "list" else "set"
        return self.term("lit", kind, self.draft.raw.any_of(items[:8]))

    def _tuple(self, node: "Node") -> int:
        items = [self.visit(child) for child in children_of(node)]
        return self.term("lit", "tuple", *items)

    def _dictionary(self, node: "Node") -> int:
        keys: list[int] = []
        values: list[int] = []
        for child in node.named_children:
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or value is None:
                self.visit(child)
            else:
                keys.append(self.visit(key))
                values.append(self.visit(value))
        any_of = self.draft.raw.any_of
        return self.term("lit", "dict", any_of(keys[:8]), any_of(values[:8]))

    def _comprehension(self, node: "Node") -> int:
        with self.draft.scoped("block"):
            body = node.child_by_field_name("body")
            for child in node.named_children:
                if child.type == "for_in_clause":
                    left = child.child_by_field_name("left")
                    right = child.child_by_field_name("right")
                    if left is not None and right is not None:
                        value = self.term("each", self.visit(right))
                        self.target(left, value, node.start_byte)
                elif child != body:
                    self.visit(child)
            kind = node.type.partition("_")[0]
            if kind == "dictionary" and body is not None:
                pair = [self.visit(child) for child in body.named_children]
                return self.term("lit", "dict", *pair[:2]) if len(pair) == 2 else UNKNOWN
            item = self.visit(body)
        return self.term("lit", "Iterator" if kind == "generator" else kind, item)

    def _lambda(self, node: "Node") -> int:
        parameters, body = (node.child_by_field_name(key) for key in ("parameters", "body"))
        declared = self.parameters(parameters)
        with self.draft.scoped("function"):
            for parameter in declared:
                self.bind_parameter(parameter, UNKNOWN)
            value = self.visit(body)
        return self.term("lit", "Callable", UNKNOWN, value)

    def parameters(self, node: "Node | None") -> "list[Parameter]":
        """Parameters, their annotations and defaults read in the scope outside."""
        raise NotImplementedError

    def bind_parameter(self, parameter: "Parameter", given: int) -> None:
        """A parameter as a name of the scope here; `given` is its value where no type is declared."""
        raise NotImplementedError

    def _conditional(self, node: "Node") -> int:
        children = children_of(node)
        values = [self.visit(child) for child in children]
        return self.draft.raw.any_of([values[0], values[-1]]) if len(values) == 3 else UNKNOWN

    def _boolean(self, node: "Node") -> int:
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        values = [self.visit(side) for side in (left, right)]
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type == "and":
            return values[1]
        return self.draft.raw.any_of(values)

    def _binary(self, node: "Node") -> int:
        left, right = (node.child_by_field_name(key) for key in ("left", "right"))
        values = [self.visit(side) for side in (left, right)]
        operator = node.child_by_field_name("operator")
        special = _OPERATORS.get(operator.type) if operator is not None else None
        if special is None or values[0] == UNKNOWN:
            return UNKNOWN
        return self.term("()", self.term(".", values[0], special), values[1])

    def _await(self, node: "Node") -> int:
        return self.term("await", self._inner(node))

    def _yield(self, node: "Node") -> int:
        value = self._inner(node)
        whole = any(child.type == "from" for child in node.children)
        self.holder().yields.append(self.term("each", value) if whole else value)
        return UNKNOWN

    def _named_expression(self, node: "Node") -> int:
        name, value = (node.child_by_field_name(key) for key in ("name", "value"))
        held = self.visit(value)
        if name is not None:
            self.bind(name, held, node.start_byte, scope=self.holder())
        return held

    def assignment(self, node: "Node") -> int:
        """`b = v` within `a = b = v`."""
        raise NotImplementedError
