"""Rust paths, and what `use` brings in."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common.walk import Walk
from aoci_agent.views.graph.languages.rust.notes import RustNotes
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.graph.scopes import Scope


def start(walk: Walk, node: "Node", use: str) -> int:
    """The first part of a path: a module keyword, a name in sight, a crate."""
    text = walk.text_of(node)
    if text == "Self":
        return name(walk, node, "type")
    if text == "self":
        inner = _inner(walk)
        return walk.term("own", inner[0].slot) if inner else walk.term("import", "self", "")
    if text == "super":
        return _above(walk, 1)
    if text == "crate":
        return walk.term("import", "crate", "")
    if not node.type.endswith("identifier"):
        return walk.visit(node, "type")
    place = walk.place(node)
    crate = UNKNOWN if text[:1].isupper() else walk.term("import", text, "")
    if (
        text in walk.notes(RustNotes).given_names
    ):  # `use log::log`: the name must not lead back to itself
        here = walk.term("import", f"self::{text}", "")
    else:
        here = walk.draft.read(text, place.at)
    return walk.draft.use(place, use if use == "import" else "read", walk.draft.first(here, crate))


def _inner(walk: Walk) -> "list[Scope]":
    """The modules of the file around, the innermost first."""
    found: list[Scope] = []
    scope: Scope | None = walk.draft.scope
    while scope is not None:
        if scope in walk.draft.inner:
            found.append(scope)
        scope = scope.parent
    return found


def _above(walk: Walk, count: int) -> int:
    inner = _inner(walk)
    if count < len(inner):
        return walk.term("own", inner[count].slot)
    left = count - len(inner)
    return walk.term("import", "::".join(["super"] * left) if left else "self", "")


def head(walk: Walk, node: "Node", use: str) -> int:
    """The term of a path up to some part."""
    if node.type not in ("scoped_identifier", "scoped_type_identifier"):
        return start(walk, node, use)
    supers, at = 1, node
    while (
        at.type == "scoped_identifier" and walk.text_of(at.child_by_field_name("name")) == "super"
    ):
        inner = at.child_by_field_name("path")
        if inner is None:
            break
        supers, at = supers + 1, inner
    if at.type == "super" and supers > 1:
        return _above(walk, supers)
    return part(walk, node, use)


def part(walk: Walk, node: "Node", use: str) -> int:
    """`path::name`, where a name may be that of a method, too."""
    inside, named = node.child_by_field_name("path"), node.child_by_field_name("name")
    if named is None:
        return UNKNOWN
    text = walk.text_of(named)
    if inside is None:
        value = walk.term("import", text, "")
        return walk.draft.use(walk.place(named), use, value)
    base = head(walk, inside, "import" if use == "import" else "path")
    term = walk.term(".", base, text)
    if use in ("call", "read"):
        method = walk.term(".", base, f"{text}()")
        term = walk.draft.first(*((method, term) if use == "call" else (term, method)))
    return walk.draft.use(walk.place(named), "read" if use == "path" else use, term)


def name(walk: Walk, node: "Node", use: str) -> int:
    """A plain name, `Self` among them."""
    if walk.text_of(node) == "Self":
        kind = use if use in ("call", "read") else "type"
        walk.draft.use(walk.place(node), kind, walk.base_of(walk.own_type))
        return walk.own_type
    return walk.name(node, use, called=use not in ("type", "base"))


def use_tree(walk: Walk, node: "Node", _use: str) -> int:
    """`use a::{b, c as d, e::*};`"""
    argument = node.child_by_field_name("argument")
    if argument is not None:
        notes = walk.notes(RustNotes)
        notes.given_names = frozenset(_bound(walk, argument))
        _used(walk, argument, None)
        notes.given_names = frozenset()
    return UNKNOWN


def _bound(walk: Walk, node: "Node") -> Iterator[str]:
    """The names a `use` gives to something."""
    if node.type in ("use_list", "scoped_use_list"):
        listed = node.child_by_field_name("list") or node
        for child in listed.named_children:
            yield from _bound(walk, child)
    elif node.type == "use_as_clause":
        yield walk.text_of(node.child_by_field_name("alias"))
    elif node.type in ("identifier", "scoped_identifier"):
        yield walk.text_of(node).rpartition("::")[2]


def _used(walk: Walk, node: "Node", before: int | None) -> None:
    """One branch of a `use`, below what was read `before`."""
    inside = node.child_by_field_name("path")
    if node.type in ("use_list", "scoped_use_list"):
        value = _path(walk, inside, before) if inside is not None else before
        listed = node.child_by_field_name("list") or node
        for child in listed.named_children:
            _used(walk, child, value)
    elif node.type == "use_as_clause" and inside is not None:
        alias = walk.text_of(node.child_by_field_name("alias"))
        imported(walk, alias, _path(walk, inside, before))
    elif node.type == "use_wildcard":
        value = _path(walk, node.named_children[0], before) if node.named_children else before
        _star(walk, value)
    elif node.type == "self" and before is not None:
        raw = walk.draft.raw.nodes[before]
        last = str(raw[-1]) if raw[0] == "." else str(raw[1]) if raw[0] == "import" else ""
        imported(walk, last, before)
    elif node.type in ("identifier", "scoped_identifier"):
        value = _path(walk, node, before)
        imported(walk, walk.text_of(node).rpartition("::")[2], value)


def _path(walk: Walk, node: "Node", before: int | None) -> int:
    if before is None:
        return head(walk, node, "import")
    if node.type == "scoped_identifier":
        inside, named = node.child_by_field_name("path"), node.child_by_field_name("name")
        before = _path(walk, inside, before) if inside is not None else before
        node = named if named is not None else node
    value = walk.term(".", before, walk.text_of(node))
    return walk.draft.use(walk.place(node), "import", value)


def imported(walk: Walk, name: str, value: int) -> None:
    """A name for something of elsewhere."""
    holder = walk.holder()
    if holder.kind == "function":
        walk.alias(name, value)
    elif name not in ("_", ""):
        walk.draft.entries.append(Entry(walk.draft.slot(name), "import", value))


def _star(walk: Walk, value: int | None) -> None:
    if value is None:
        return
    node = walk.draft.raw.nodes[value]
    if walk.holder().kind == "module":
        walk.draft.entries.append(Entry("*", "star", value))
    elif node[:2] not in (("import", "self"), ("import", "super")):
        walk.draft.behind.append(value)
