"""Rules for functions, methods, constructors and lambdas."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.views.graph.languages.common.types import type_variables
from aoci_agent.views.graph.languages.common.walk import Rule, Walk, child_of, lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.overloads import GIVEN_TO
from aoci_agent.views.graph.scopes import Scope
from aoci_agent.views.graph.spread import DECLARED

if TYPE_CHECKING:
    from tree_sitter import Node


class Parameter(NamedTuple):
    """One parameter; `mark` is `*` for any number of arguments, `?` where it may be left out,
    `this` for what a function is called on as if it were its method."""

    node: "Node | None"
    declared: int = UNKNOWN  # its type
    mark: str = ""
    value: int = UNKNOWN  # of its default
    many: bool = False  # holds a list of what is declared


class Head(NamedTuple):
    """What is known of a callable before its body is read."""

    name: "Node | None"
    parameters: "Node | None"
    result: "Node | None"
    body: "Node | None"


Parameters = Callable[[Walk, "Node"], "Parameter | None"]
Listed = Callable[[Walk, "Node"], Sequence[Parameter]]


def plain(walk: Walk, node: "Node") -> Parameter | None:
    """A parameter with the fields `name`, `type` and maybe `value`."""
    named, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    value = node.child_by_field_name("value") or node.child_by_field_name("default_value")
    if named is None:
        return None
    declared, held = walk.visit(kind, "type"), walk.visit(value)
    return Parameter(named, declared, "?" if value is not None else "", held)


def callable_(
    kind: str = "method",
    *,
    name: str = "name",
    result: str = "type",
    body: str = "body",
    parameters: Parameters = plain,
    listed: Listed | None = None,
    variables: str = "type_parameters",
    static: Callable[[Walk, "Node"], bool] = lambda _walk, _node: False,
    stated: Callable[[Walk, "Node"], int] = lambda _walk, _node: UNKNOWN,
    inferred: bool = False,
) -> Rule:
    """A callable with a name; `inferred` where what it gives may be told by its body.

    `stated` is the type of what it gives where none is written as one. `parameters` reads one parameter; `listed` a whole list, where that is no list of such.
    """
    lists = listed or one_by_one(parameters)

    def read(walk: Walk, node: "Node", _use: str) -> int:
        head = Head(
            node.child_by_field_name(name),
            node.child_by_field_name("parameters"),
            node.child_by_field_name(result) if result else None,
            node.child_by_field_name(body) or child_of(node, body),
        )
        if head.name is None:
            walk.inside(node)
        else:
            made = Made(kind, lists, variables, inferred=inferred, static=static(walk, node))
            made.stated = stated
            made.read(walk, node, head)
        return UNKNOWN

    return read


class Made:
    """Reads one callable."""

    def __init__(
        self, kind: str, parameters: Listed, variables: str, *, inferred: bool, static: bool
    ) -> None:
        self.kind = kind
        self.parameters = parameters
        self.variables = variables
        self.inferred = inferred
        self.static = static
        self.stated: Callable[[Walk, Node], int] = lambda _walk, _node: UNKNOWN
        self.mark = ""  # after its slot, where it is only declared or seen by its file alone

    def read(self, walk: Walk, node: "Node", head: Head) -> None:
        """Its parts, its entry and its definition."""
        named = head.name
        if named is None:
            return
        draft, name = walk.draft, walk.text_of(named)
        holder = walk.holder().kind
        method = holder == "class"
        called = walk.named(name, "call") if method or walk.idiom.bare_calls else name
        slot, qualified = draft.slot(called), draft.qualified(name)
        if method and name in walk.repeated:
            slot = self._overloaded(walk, slot, head.parameters)
        if self.mark:
            shown = "declared" if self.mark == DECLARED else "import"
            draft.entries.append(Entry(slot, shown, walk.term("own", slot + self.mark)))
            slot += self.mark
        with draft.part(slot, qualified, lines_of(node), "function"):
            for child in node.named_children:
                if child.type in ("modifiers", "attribute_list", "annotation"):
                    walk.inside(child)
            with draft.scoped("function", slot, qualified) as scope:
                type_variables(walk, node, self.variables)
                given = self.parameters(walk, head.parameters) if head.parameters else ()
                declared = walk.visit(head.result, "type")
                if declared == UNKNOWN:
                    declared = self.stated(walk, node)
                bind_all(walk, given)
                last = self._body(walk, head.body)
                value = self._value(walk, scope, declared, last)
        listed = [(p.mark.removeprefix("this") + walk.text_of(p.node), p.declared) for p in given]
        if method and not self.static:
            listed.insert(0, (walk.idiom.receiver, UNKNOWN))
        entry = "method" if method and not self.static else "function"
        draft.entries.append(Entry(slot, entry, value, (), (), tuple(listed), declared != UNKNOWN))
        walk.define(slot, named, "method" if method else self.kind, node, head.body)
        if given and given[0].mark == "this":
            offered = f"{name}{GIVEN_TO}"
            draft.entries.append(Entry(offered, "overload", walk.term("own", slot)))
            walk.offers.append(offered)
        if holder == "function":
            alias = walk.named(name, "call") if walk.idiom.bare_calls else name
            walk.alias(alias, walk.term("own", slot))

    def _overloaded(self, walk: Walk, slot: str, parameters: "Node | None") -> str:
        """A slot of its own, by the types of its parameters as written."""
        said = "".join(walk.text_of(parameters).split())
        own = f"{slot.removesuffix(walk.idiom.calls)}{said}"
        walk.draft.entries.append(Entry(slot, "overload", walk.term("own", own)))
        return own

    def _body(self, walk: Walk, body: "Node | None") -> int:
        if body is None:
            return UNKNOWN
        if body.type in walk.idiom.rules:
            return walk.visit(body)
        walk.inside(body)
        return UNKNOWN

    def _value(self, walk: Walk, scope: Scope, declared: int, last: int) -> int:
        if declared != UNKNOWN or not self.inferred:
            return walk.is_a(declared)
        return walk.any_of([*scope.results, last])


def one_by_one(read: Parameters) -> Listed:
    """Reads every parameter of a list."""

    def listed(walk: Walk, node: "Node") -> Sequence[Parameter]:
        found = (read(walk, child) for child in node.named_children)
        return [item for item in found if item is not None]

    return listed


def bind_all(walk: Walk, parameters: Sequence[Parameter]) -> None:
    """Bind parameters in the scope here."""
    for item in parameters:
        if item.node is not None:
            value = walk.is_a(item.declared) if item.declared != UNKNOWN else item.value
            value = walk.term("lit", "Array", value) if item.many else value
            walk.bind(item.node, value, 0, "parameter")


def lambda_(
    parameters: str = "parameters", body: str = "body", read: Parameters = plain
) -> Rule:
    """A function without a name: bare identifiers among its parameters are bound, too."""

    def rule(walk: Walk, node: "Node", _use: str) -> int:
        held = node.child_by_field_name(parameters)
        holder = walk.draft.scope
        with walk.draft.scoped("function", holder.slot, holder.qualified):
            if held is not None and not held.named_children:
                walk.bind(held, UNKNOWN, 0, "parameter")
            for child in held.named_children if held is not None else ():
                if child.type.endswith("identifier"):
                    walk.bind(child, UNKNOWN, 0, "parameter")
                else:
                    bind_all(walk, [item for item in [read(walk, child)] if item is not None])
            walk.visit(node.child_by_field_name(body))
        return UNKNOWN

    return rule


def given(walk: Walk, node: "Node", _use: str) -> int:
    """`return x`, and what else ends a function with a value."""
    scope = walk.around("function")
    for term in walk.all_of(node.named_children):
        if scope is not None and term != UNKNOWN:
            scope.results.append(term)
    return UNKNOWN
