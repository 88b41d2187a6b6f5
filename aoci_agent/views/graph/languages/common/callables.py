"""Rules for functions, methods, constructors and lambdas."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.views.graph.languages.common.types import constraints, marks, type_variables
from aoci_agent.views.graph.languages.common.walk import Rule, Walk
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.overloads import GIVEN_TO

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


_SAID = 200  # characters of a parameter list that tell overloads apart
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


def one_by_one(read: Parameters) -> Listed:
    """Reads every parameter of a list."""

    def listed(walk: Walk, node: "Node") -> Sequence[Parameter]:
        found = (read(walk, child) for child in node.named_children)
        return [item for item in found if item is not None]

    return listed


def never(_walk: Walk, _node: "Node") -> bool:
    """Of no callable."""
    return False


def always(_walk: Walk, _node: "Node") -> bool:
    """Of every callable."""
    return True


class Form(NamedTuple):
    """How a kind of callable is written: fields of its node, and readers of its parts."""

    kind: str = "method"  # outside of types
    result: str = "type"
    variables: str = "type_parameters"
    listed: Listed = one_by_one(plain)
    static: Callable[[Walk, "Node"], bool] = never
    stated: Callable[[Walk, "Node"], int] = lambda _walk, _node: (
        UNKNOWN
    )  # result not written as one
    inferred: bool = False  # whether its body may tell what it gives


class Head(NamedTuple):
    """What is known of a callable before it is read."""

    name: "Node"
    parameters: "Node | None"
    result: "Node | None"
    body: "Node | None"
    mark: str = ""  # after its slot, where it is only declared or seen by its file alone
    said: str = ""  # its parameters, where they are not in a node of their own
    inside: Callable[[Walk, "Node"], None] = lambda _walk, _node: None  # read before its body


def callable_(form: Form) -> Rule:
    """A callable with a name."""

    def read(walk: Walk, node: "Node", _use: str) -> int:
        named = node.child_by_field_name("name")
        if named is None:
            walk.inside(node)
            return UNKNOWN
        listed = node.child_by_field_name("parameters")
        result = node.child_by_field_name(form.result) if form.result else None
        body = node.child_by_field_name("body")
        made(walk, node, form, Head(named, listed, result, body))
        return UNKNOWN

    return read


def made(walk: Walk, node: "Node", form: Form, head: Head) -> None:
    """A callable: its parts, its entry and its definition."""
    draft, name = walk.draft, walk.text_of(head.name)
    holder = walk.holder().kind
    method = holder == "class"
    bare = walk.named(name, "call") if walk.idiom.bare_calls else name
    slot, qualified = _slot(walk, head, method=method), draft.qualified(name)
    with draft.part(slot, qualified, lines_of(node), "function"):
        marks(walk, node)
        with draft.scoped("function", slot, qualified) as scope:
            type_variables(walk, node, form.variables)
            constraints(walk, node)
            given = form.listed(walk, head.parameters) if head.parameters is not None else ()
            declared = walk.visit(head.result, "type")
            declared = declared if declared != UNKNOWN else form.stated(walk, node)
            bind_all(walk, given)
            head.inside(walk, node)
            last = _body(walk, head.body)
            told = walk.any_of([*scope.results, last]) if form.inferred else UNKNOWN
    value = walk.is_a(declared) if declared != UNKNOWN else told
    bound = method and not form.static(walk, node)
    _enter(walk, slot, Entry(slot, "method" if bound else "function", value), given, bound=bound)
    walk.define(slot, head.name, "method" if method else form.kind, node, head.body)
    if given and given[0].mark == "this":
        draft.entries.append(Entry(f"{name}{GIVEN_TO}", "overload", walk.term("own", slot)))
        walk.offers.append(f"{name}{GIVEN_TO}")
    if holder == "function":
        walk.alias(bare, walk.term("own", slot))


def _slot(walk: Walk, head: Head, *, method: bool) -> str:
    """The slot of a callable: of its own where several share a name, or where it is marked."""
    draft, name = walk.draft, walk.text_of(head.name)
    slot = draft.slot(walk.named(name, "call") if method or walk.idiom.bare_calls else name)
    if method and name in walk.repeated:
        said = "".join((head.said or walk.text_of(head.parameters)).split())[:_SAID]
        own = f"{slot.removesuffix(walk.idiom.calls)}{said}"
        own = own if own != slot else f"{own}@"
        draft.entries.append(Entry(slot, "overload", walk.term("own", own)))
        slot = own
    if head.mark:
        walk.marked(head.name, slot, head.mark)
    return slot + head.mark


def _enter(walk: Walk, slot: str, entry: Entry, given: Sequence[Parameter], *, bound: bool) -> None:
    listed = [(p.mark.removeprefix("this") + walk.text_of(p.node), p.declared) for p in given]
    if bound:
        listed.insert(0, (walk.idiom.receiver, UNKNOWN))
    told = entry.value != UNKNOWN
    walk.draft.entries.append(entry._replace(slot=slot, parameters=tuple(listed), declared=told))


def _body(walk: Walk, body: "Node | None") -> int:
    if body is not None and body.type not in walk.idiom.rules:
        walk.inside(body)
        return UNKNOWN
    return walk.visit(body)


def bind_all(walk: Walk, parameters: Sequence[Parameter]) -> None:
    """Bind parameters in the scope here."""
    for item in parameters:
        if item.node is not None:
            value = walk.is_a(item.declared) if item.declared != UNKNOWN else item.value
            value = walk.term("lit", "Array", value) if item.many else value
            walk.bind(item.node, value, 0, "parameter")


def lambda_(walk: Walk, node: "Node", _use: str) -> int:
    """A function without a name: bare identifiers among its parameters are bound, too."""
    held = node.child_by_field_name("parameters")
    holder = walk.draft.scope
    with walk.draft.scoped("function", holder.slot, holder.qualified):
        if held is not None and not held.named_children:
            walk.bind(held, UNKNOWN, 0, "parameter")
        for child in held.named_children if held is not None else ():
            if child.type.endswith("identifier"):
                walk.bind(child, UNKNOWN, 0, "parameter")
            else:
                bind_all(walk, [item for item in [plain(walk, child)] if item is not None])
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def given(walk: Walk, node: "Node", _use: str) -> int:
    """`return x`, and what else ends a function with a value."""
    scope = walk.around("function")
    for term in walk.all_of(node.named_children):
        if scope is not None and term != UNKNOWN:
            scope.results.append(term)
    return UNKNOWN
