"""Ruby calls, and names that may be one."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex
from aoci_agent.views.graph.languages.common.callables import Parameter
from aoci_agent.views.graph.languages.common.walk import Walk, child_of
from aoci_agent.views.graph.languages.ruby.names import RubyNames
from aoci_agent.views.graph.languages.ruby.notes import Level
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node

_MIXING = ("include", "prepend")
_FIELDS = ("attr_accessor", "attr_reader", "attr_writer")
_BY_NAME = ("send", "public_send", "__send__", "method", "respond_to?")


def receiver(walk: Walk) -> int:
    """The object methods without a receiver are called on."""
    scope = walk.around("class")
    if scope is None:
        return UNKNOWN
    return walk.term("type" if walk.notes(Level).prefix else "self", scope.slot)


def bare(walk: Walk, node: "Node", use: str) -> int:
    """A local variable, or a method of the receiver; gives the name's own term."""
    place, name = walk.place(node), walk.text_of(node)
    draft = walk.draft
    if isinstance(draft, RubyNames):
        draft.calls[name, place.at] = receiver(walk), f"{walk.notes(Level).prefix}{name}()"
    return draft.use(place, use, draft.read(name, place.at))


def identifier(walk: Walk, node: "Node", use: str) -> int:
    """A name alone: a method is called by it."""
    term = bare(walk, node, "call" if use == "read" else use)
    return walk.draft.first(walk.term("()", term), term)


def me(walk: Walk, _node: "Node", _use: str) -> int:
    return receiver(walk)


def call(walk: Walk, node: "Node", _use: str) -> int:
    """A call, with a receiver or without."""
    receiver, verb = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    listed, block = node.child_by_field_name("arguments"), node.child_by_field_name("block")
    name = walk.text_of(verb)
    if receiver is not None:
        held = walk.visit(receiver)
        given = ex.arguments(walk, listed)
        _block(walk, block, walk.term("each", held))
        if verb is None:
            return ex.called(walk, held, given)
        return _called_on(walk, receiver, held, verb, given)
    if verb is None or _declaring(walk, node, name, listed):
        return UNKNOWN
    return _bare_call(walk, verb, name, listed, block)


def _called_on(walk: Walk, receiver: "Node", held: int, verb: "Node", given: list[int]) -> int:
    """`receiver.verb(given)`."""
    name, place = walk.text_of(verb), walk.place(verb)
    constant = receiver.type in ("constant", "scope_resolution")
    scope = walk.around("class")
    if name == "class" and receiver.type == "self":
        return walk.term("type", scope.slot) if scope is not None else UNKNOWN
    if name == "new" and constant:
        pair = walk.term(".", held, "self.new()"), walk.term(".", held, "initialize()")
        walk.draft.use(place, "call", walk.draft.first(*pair))
        return walk.is_a(held)
    if verb.type == "constant":
        return walk.draft.use(place, "read", walk.term(".", held, name))
    of_class = constant or (receiver.type == "self" and bool(walk.notes(Level).prefix))
    member = walk.term(".", held, f"{'self.' if of_class else ''}{name}()")
    if not of_class and receiver.type not in ("self", "instance_variable"):
        member = walk.draft.first(member, walk.term(".", held, f"self.{name}()"))
    return ex.called(walk, walk.draft.use(place, "call", member), given)


def _bare_call(
    walk: Walk, verb: "Node", name: str, listed: "Node | None", block: "Node | None"
) -> int:
    """A call without a receiver."""
    given = ex.arguments(walk, listed)
    scope = walk.around("class")
    named = _super if verb.type == "super" else bare
    term = named(walk, verb, "call")
    if name in _BY_NAME or walk.holder().kind == "class":
        _symbols(walk, listed, 1 if name in _BY_NAME else 50)
    _block(walk, block, UNKNOWN)
    if name == "new" and walk.notes(Level).prefix and scope is not None:
        return walk.is_a(walk.term("type", scope.slot))
    return ex.called(walk, term, given)


def _symbols(walk: Walk, listed: "Node | None", most: int) -> None:
    """Symbols that name methods of the type around: `before_action :name`, `send(:name)`."""
    scope = walk.around("class")
    for child in listed.named_children[:most] if listed is not None and scope is not None else ():
        if child.type == "simple_symbol" and scope is not None:
            receiver = walk.term("self", scope.slot)
            term = walk.term(".", receiver, f"{walk.text_of(child)[1:]}()")
            walk.draft.use(walk.place(child), "read", term)


def _super(walk: Walk, node: "Node", _use: str) -> int:
    scope, function = walk.around("class"), walk.around("function")
    if scope is None or function is None:
        return UNKNOWN
    name = function.slot.removeprefix(f"{scope.slot}.")
    term = walk.term(".", walk.term("super", scope.slot), name)
    return walk.draft.use(walk.place(node), "call", term)


def super_alone(walk: Walk, node: "Node", use: str) -> int:
    return walk.term("()", _super(walk, node, use))


def _block(walk: Walk, node: "Node | None", item: int) -> None:
    """A block; what it is given where it is given but one thing."""
    if node is None:
        return
    with walk.draft.scoped("block"):
        listed = node.child_by_field_name("parameters")
        found = parameters(walk, listed) if listed is not None else []
        if len(found) == 1:
            found = [found[0]._replace(value=item)]
        callables.bind_all(walk, found)
        walk.visit(node.child_by_field_name("body"))


def _declaring(walk: Walk, node: "Node", name: str, listed: "Node | None") -> bool:
    """Calls that declare something: fields, what is required, what was read with the type."""
    if name in ("require", "require_relative", "load"):
        said = listed.named_children[0] if listed is not None and listed.named_children else None
        inner = (
            child_of(said, "string_content") if said is not None and said.type == "string" else None
        )
        if inner is not None:
            module = walk.text_of(inner)
            module = f"./{module}" if name == "require_relative" else module
            walk.stars.append(module)
            walk.draft.use(walk.place(inner), "import", walk.term("import", module, ""))
        return inner is not None
    scope = walk.around("class")
    if scope is None or walk.holder().kind != "class":
        return False
    if name in _FIELDS and listed is not None:
        fields(walk, node, listed, name)
        return True
    return name in _MIXING


def fields(walk: Walk, node: "Node", listed: "Node", verb: str) -> None:
    """`attr_accessor :name`: methods over `@name`."""
    scope = walk.draft.scope
    for child in listed.named_children:
        if child.type != "simple_symbol":
            continue
        name = walk.text_of(child)[1:]
        prefix = "self." if walk.notes(Level).singleton else ""
        slot = f"{scope.slot}.{prefix}{name}()"
        value = walk.term(".", walk.term("self", scope.slot), f"@{name}")
        walk.draft.entries.append(Entry(slot, "method", value, (), (), (("self", UNKNOWN),)))
        if verb != "attr_reader":
            setter = f"{scope.slot}.{prefix}{name}=()"
            walk.draft.entries.append(Entry(setter, "import", walk.term("own", slot)))
            walk.offers.append(setter)
        walk.define(slot, child, "field", node)


def parameters(walk: Walk, node: "Node") -> list[Parameter]:
    found: list[Parameter] = []
    for child in node.named_children:
        named = child if child.type == "identifier" else child.child_by_field_name("name")
        value = walk.visit(child.child_by_field_name("value"))
        if named is not None:
            found.append(Parameter(named, value=value))
        elif child.type == "destructured_parameter":
            found += parameters(walk, child)
    return found
