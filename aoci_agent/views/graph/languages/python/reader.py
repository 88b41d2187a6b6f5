"""Python definitions: functions, their parameters and results, classes."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.draft import Draft
from aoci_agent.views.graph.languages.python.expressions import Parameter
from aoci_agent.views.graph.languages.python.flow import Flow
from aoci_agent.views.graph.languages.walker import children_of, lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.scopes import Binding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_SHOWN = 200  # characters of a signature or of a documentation line
_PROPERTIES = frozenset(("property", "cached_property", "functools.cached_property"))
_PLAIN = frozenset(
    ("staticmethod", "classmethod", "overload", "abstractmethod", "override", "final")
)
_OF_CLASS = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))
_SPLATS = frozenset(("list_splat_pattern", "dictionary_splat_pattern"))
_TYPED = frozenset(("typed_parameter", "default_parameter", "typed_default_parameter"))


class Reader(Flow):
    """Walks a module."""

    def __init__(self, text: "Text", draft: Draft) -> None:
        super().__init__(text, draft)
        self._overloads: dict[str, list[int]] = {}  # slot -> places in `draft.defined`

    def decorated(self, node: "Node") -> None:
        definition = node.child_by_field_name("definition")
        decorators = [child for child in node.named_children if child.type == "decorator"]
        if definition is None:
            return
        if definition.type == "function_definition":
            self.function(definition, node, decorators)
        else:
            self.class_(definition, node, decorators)

    def _decorators(self, nodes: "Sequence[Node]") -> tuple[list[str], list[int]]:
        """Texts of plain decorators, and terms of those that may change what is defined."""
        names: list[str] = []
        terms: list[int] = []
        for node in nodes:
            for child in node.named_children[:1]:
                term = self.callee(child)
                name = self.text_of(child).partition("(")[0].strip()
                names.append(name)
                short = name.rpartition(".")[2]
                if name not in _PROPERTIES and short not in _PLAIN:
                    terms.append(term)
        return names, terms

    def function(self, node: "Node", whole: "Node", decorators: "Sequence[Node]") -> None:
        named = node.child_by_field_name("name")
        if named is None:
            return
        draft = self.draft
        name, method = self.text_of(named), draft.scope.kind == "class"
        slot, qualified = draft.slot(name), draft.qualified(name)
        with draft.part(slot, qualified, lines_of(whole), "function"):
            names, terms = self._decorators(decorators)
            parameters, declared = self._head(node)
            with draft.scoped("function", slot, qualified) as scope:
                given = self._given(name, names, parameters, method=method)
                if method and parameters and "staticmethod" not in names:
                    scope.receiver = self.text_of(parameters[0].node)
                for parameter, value in zip(parameters, given, strict=True):
                    self.bind_parameter(parameter, value)
                body = node.child_by_field_name("body")
                if body is not None:
                    self.statements(body)
            value = self._result(node, declared, scope.results, scope.yields)
        kind = _kind(names, method=method)
        types = tuple((self.text_of(item.node), item.declared) for item in parameters)
        draft.entries.append(Entry(slot, kind, value, (), tuple(terms), types, declared != UNKNOWN))
        shown = "method" if method else "function"
        self._note_overload(slot, names)
        self.note_definition(slot, named, shown, whole, self._signature(node), self._doc(node))
        self.bind_alias(named, shown, self.term("own", slot))

    def _note_overload(self, slot: str, decorators: list[str]) -> None:
        """Uses lead to the function itself, not to what is declared above it for type checkers."""
        defined = self.draft.defined
        if any(name.rpartition(".")[2] == "overload" for name in decorators):
            self._overloads.setdefault(slot, []).append(len(defined))
            return
        for place in self._overloads.pop(slot, ()):
            defined[place] = defined[place]._replace(slot=f"{slot}@overload")

    def _head(self, node: "Node") -> tuple[list[Parameter], int]:
        inside = node.child_by_field_name("parameters")
        returned = node.child_by_field_name("return_type")
        parameters = self.parameters(inside)
        return parameters, self.annotation(returned)

    def _given(
        self, name: str, decorators: list[str], parameters: list[Parameter], *, method: bool
    ) -> list[int]:
        """Values of parameters whose type is not declared: the receiver, what a test runner fills in."""
        given = [UNKNOWN] * len(parameters)
        if name.startswith("test") or any("fixture" in item for item in decorators):
            given = [self.term("given", self.text_of(item.node), name) for item in parameters]
        if method and parameters and "staticmethod" not in decorators:
            of_class = "classmethod" in decorators or name in _OF_CLASS
            given[0] = self.term("type" if of_class else "self", self.owner())
        return given

    def _result(self, node: "Node", declared: int, results: list[int], yields: list[int]) -> int:
        """What a call gives."""
        later = node.children[0].type == "async"
        if declared != UNKNOWN:
            value = self.term("is", declared)
            return self.term("lit", "Coroutine", value) if later and not yields else value
        if yields:
            held = self.draft.raw.any_of(yields)
            return self.term("lit", "AsyncIterator" if later else "Iterator", held)
        value = self.draft.raw.any_of(results)
        return self.term("lit", "Coroutine", value) if later else value

    def parameters(self, node: "Node | None") -> list[Parameter]:
        found: list[Parameter] = []
        for child in node.named_children if node is not None else ():
            name, declared, default = _parts_of_parameter(child)
            if name is None:
                continue
            kind = self.annotation(declared)
            value = self.visit(default)
            if name.type in _SPLATS and name.named_children:
                held = self.is_a(kind)
                if name.type == "list_splat_pattern":
                    value = self.term("lit", "list", held)
                else:
                    value = self.term("lit", "dict", self.term("lit", "str"), held)
                name, kind = name.named_children[0], UNKNOWN
            if name.type == "identifier":
                found.append(Parameter(name, kind, value))
        return found

    def bind_parameter(self, parameter: Parameter, given: int) -> None:
        value = parameter.value
        if parameter.declared != UNKNOWN:
            value = self.term("is", parameter.declared)
        elif given != UNKNOWN:
            value = given
        line, column, *_ = self.place(parameter.node)
        name = self.text_of(parameter.node)
        if parameter.declared == UNKNOWN and given == UNKNOWN and self.draft.scope.slot:
            told = self.term("arg", self.draft.scope.slot, name)
            value = self.draft.raw.any_of([value, told])
        binding = Binding(name, "parameter", value, 0, self.draft.block, line, column)
        self.draft.bind(binding)

    def class_(self, node: "Node", whole: "Node", decorators: "Sequence[Node]") -> None:
        named = node.child_by_field_name("name")
        if named is None:
            return
        draft, name = self.draft, self.text_of(named)
        slot, qualified = draft.slot(name), draft.qualified(name)
        with draft.part(slot, qualified, lines_of(whole), "class"):
            self._decorators(decorators)
            above = node.child_by_field_name("superclasses")
            bases = [self._base(child) for child in above.named_children] if above else []
            known = tuple(base for base in bases if base != UNKNOWN)
            draft.entries.append(Entry(slot, "class", bases=known))
            body = node.child_by_field_name("body")
            with draft.scoped("class", slot, qualified):
                if body is not None:
                    self.statements(body)
        self.note_definition(slot, named, "class", whole, self._signature(node), self._doc(node))
        self.bind_alias(named, "class", self.term("own", slot))

    def _base(self, node: "Node") -> int:
        if node.type == "identifier":
            return self.name(node, "base")
        if node.type == "attribute":
            return self.member(node, "base")
        if node.type == "subscript":
            value, *inside = children_of(node)
            return self.term("[]", self._base(value), *map(self.annotation, inside))
        value = self.visit(node)
        return UNKNOWN if node.type in ("keyword_argument", "comment") else value

    def _signature(self, node: "Node") -> str:
        body = node.child_by_field_name("body")
        end = body.start_byte if body is not None else node.end_byte
        text = self.data[node.start_byte : end].decode("utf-8", "replace")
        return " ".join(text.partition("#")[0].split()).removesuffix(":")[:_SHOWN]

    def _doc(self, node: "Node") -> str:
        body = node.child_by_field_name("body")
        first = body.named_children[0] if body is not None and body.named_children else None
        if first is not None and first.type == "expression_statement":
            first = first.named_children[0] if first.named_children else None
        if first is None or first.type != "string":
            return ""
        lines = self.text_of(first).strip("rRuUbB\"'").strip().splitlines()
        return lines[0].strip()[:_SHOWN] if lines else ""


def _kind(decorators: list[str], *, method: bool) -> str:
    for name in decorators:
        if name in _PROPERTIES or name.rpartition(".")[2] == "cached_property":
            return "property"
        if name.endswith((".setter", ".deleter")):
            return "setter"
    if not method or "staticmethod" in decorators:
        return "function"
    return "classmethod" if "classmethod" in decorators else "method"


def _parts_of_parameter(node: "Node") -> "tuple[Node | None, Node | None, Node | None]":
    """The name, the declared type and the default value."""
    if node.type in _TYPED:
        name = node.child_by_field_name("name") or node.named_children[0]
        return name, node.child_by_field_name("type"), node.child_by_field_name("value")
    return (node if node.type in ("identifier", *_SPLATS) else None), None, None
