"""Ruby types, methods and constants."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables
from aoci_agent.views.graph.languages.common.walk import Walk
from aoci_agent.views.graph.languages.ruby import calls
from aoci_agent.views.graph.languages.ruby.notes import Level, level
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry
from aoci_agent.views.graph.spread import EXTENDED

if TYPE_CHECKING:
    from tree_sitter import Node

_MIXING = ("include", "prepend")
_MADE = ("Struct", "Class", "Data", "Module")


def type_(walk: Walk, node: "Node", _use: str) -> int:
    """`class A::B < C`, `module A`."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return UNKNOWN
    last = named.child_by_field_name("name") if named.type == "scope_resolution" else named
    name = ".".join(walk.text_of(named).split("::")).lstrip(".")
    scope = walk.around("class")
    top = walk.text_of(named).startswith("::") or scope is None
    slot = name if top or scope is None else f"{scope.slot}.{name}"
    qualified = name if top or scope is None else f"{scope.qualified}.{name}"
    above = node.child_by_field_name("superclass")
    bases = _mixed(walk, body)
    bases += above.named_children if above is not None else []
    if last is not None:
        shown = "class" if node.type == "class" else "module"
        walk.define(slot, last, shown, node, body, qualified=qualified)
    with walk.draft.part(slot, qualified, lines_of(node), "class"):
        _opened(walk, slot, qualified, bases, body)
    return UNKNOWN


def _opened(
    walk: Walk, slot: str, qualified: str, bases: "list[Node]", body: "Node | None"
) -> None:
    """The inside of a type."""
    terms = [walk.visit(base, "base") for base in bases]
    known = tuple(term for term in terms if term != UNKNOWN)
    walk.draft.entries.append(Entry(slot, "class"))
    if known:
        own = walk.term("own", slot)
        walk.draft.entries.append(Entry(slot + EXTENDED, "extension", own, known))
        walk.offers.append(slot + EXTENDED)
    with (
        level(walk, "self."),
        walk.type_scope(slot, qualified, walk.term("self", slot), open_=bool(known)),
    ):
        walk.visit(body)


def _mixed(walk: Walk, body: "Node | None") -> "list[Node]":
    """What is included in a type: constants, the last first."""
    found: list[Node] = []
    for child in body.named_children if body is not None else ():
        verb = child.child_by_field_name("method") if child.type == "call" else None
        if verb is not None and walk.text_of(verb) in _MIXING:
            held = child.child_by_field_name("arguments")
            found += held.named_children if held is not None else []
    return [node for node in reversed(found) if node.type in ("constant", "scope_resolution")]


def singleton(walk: Walk, node: "Node", _use: str) -> int:
    """`class << self`."""
    with level(walk, "self.", singleton=True):
        walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def method(walk: Walk, node: "Node", _use: str) -> int:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return UNKNOWN
    of_class = walk.notes(Level).singleton or (
        node.type == "singleton_method" and walk.around("class") is not None
    )
    name = walk.text_of(named)
    draft, scope = walk.draft, walk.around("class")
    prefix = "self." if of_class else ""
    around = f"{scope.slot}." if scope is not None else ""
    slot = f"{around}{prefix}{name}()"
    qualified = f"{scope.qualified}.{name}" if scope is not None else name
    with (
        level(walk, prefix),
        draft.part(slot, qualified, lines_of(node), "function"),
        draft.scoped("function", slot, qualified) as own,
    ):
        listed = node.child_by_field_name("parameters")
        given = calls.parameters(walk, listed) if listed is not None else []
        callables.bind_all(walk, given)
        last = walk.visit(body)
        value = walk.any_of([*own.results, last])
    pairs = [(p.mark + walk.text_of(p.node), p.declared) for p in given]
    if scope is not None and not of_class:
        pairs.insert(0, ("self", UNKNOWN))
    kind = "method" if scope is not None and not of_class else "function"
    draft.entries.append(Entry(slot, kind, value, (), (), tuple(pairs)))
    walk.define(
        slot, named, "method" if scope is not None else "function", node, body, qualified=qualified
    )
    return UNKNOWN


def alias(walk: Walk, node: "Node", _use: str) -> int:
    named, of = node.child_by_field_name("name"), node.child_by_field_name("alias")
    scope = walk.around("class")
    if named is not None and of is not None and scope is not None and of.type == "identifier":
        term = walk.term(".", walk.term("self", scope.slot), f"{walk.text_of(of)}()")
        walk.draft.use(walk.place(of), "read", term)
        slot = f"{scope.slot}.{walk.text_of(named)}()"
        walk.draft.entries.append(Entry(slot, "import", term))
    return UNKNOWN


def constant_given(walk: Walk, node: "Node", left: "Node", right: "Node") -> int:
    """`NAME = value`; a class, where the value makes one."""
    scope, name = walk.around("class"), walk.text_of(left)
    slot = f"{scope.slot}.{name}" if scope is not None else name
    qualified = f"{scope.qualified}.{name}" if scope is not None else name
    maker = walk.text_of(right.child_by_field_name("receiver")) if right.type == "call" else ""
    verb = walk.text_of(right.child_by_field_name("method")) if maker else ""
    if maker in _MADE and verb in ("new", "define"):
        listed, block = right.child_by_field_name("arguments"), right.child_by_field_name("block")
        given = listed.named_children if listed is not None else []
        bases = [child for child in given if child.type in ("constant", "scope_resolution")]
        body = block.child_by_field_name("body") if block is not None else None
        walk.define(slot, left, "class", node, qualified=qualified)
        with walk.draft.part(slot, qualified, lines_of(node), "class"):
            _opened(walk, slot, qualified, bases if maker == "Class" else [], body)
            if listed is not None and maker in ("Struct", "Data"):
                with walk.type_scope(slot, qualified, walk.term("self", slot), open_=False):
                    calls.fields(walk, node, listed, "attr_accessor")
        return UNKNOWN
    value = walk.visit(right)
    walk.draft.entries.append(Entry(slot, "constant", value))
    walk.define(slot, left, "constant", node, qualified=qualified)
    return value
