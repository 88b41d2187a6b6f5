"""What is given to Rust macros: names among bare tokens, as far as they read like expressions."""

from typing import TYPE_CHECKING

from aoci_agent.aoci.facts.parsing import grammar
from aoci_agent.views.graph.languages.common.walk import Walk
from aoci_agent.views.graph.languages.rust import paths
from aoci_agent.views.graph.languages.rust.notes import RustNotes
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

_LONGEST = 20_000  # bytes of what is given to one macro
_MOST = 3  # times the length of the file that is parsed again, macros within macros


def invocation(walk: Walk, node: "Node", _use: str) -> int:
    """`name!(tokens)`."""
    named = node.child_by_field_name("macro")
    path = named.child_by_field_name("path") if named is not None else None
    if named is not None and named.type == "scoped_identifier":
        named = named.child_by_field_name("name")
    if named is not None:
        place, name = walk.place(named), f"{walk.text_of(named)}!"
        anywhere = walk.term("only", name)
        if path is None:
            term = walk.draft.first(walk.draft.read(name, place.at), anywhere)
        else:
            term = walk.term(".", paths.head(walk, path, "path"), name)
            term = walk.draft.first(term, anywhere) if path.type == "crate" else term
        walk.draft.use(place, "call", term)
    for child in node.named_children:
        if child.type == "token_tree":
            inner = _as_expression(walk, child)
            if inner is not None:
                walk.inside(inner)
            else:
                tokens(walk, child)
    return UNKNOWN


def _as_expression(walk: Walk, tree: "Node") -> "Node | None":
    """What stands between the brackets, read as an expression; None where it is none."""
    from tree_sitter import Parser, Range

    size = tree.end_byte - tree.start_byte
    notes = walk.notes(RustNotes)
    notes.parsed += size
    if size > _LONGEST or notes.parsed > _MOST * len(walk.data):
        return None
    place = Range(tree.start_point, tree.end_point, tree.start_byte, tree.end_byte)
    parser = Parser(grammar("tree_sitter_rust", "language"), included_ranges=[place])
    stated = parser.parse(walk.data).root_node.named_children
    if len(stated) != 1 or not stated[0].named_children:
        return None
    inner = stated[0] if stated[0].type == "block" else stated[0].named_children[0]
    whole = inner.start_byte == tree.start_byte and inner.end_byte == tree.end_byte
    return inner if whole and not inner.has_error else None


def tokens(walk: Walk, tree: "Node") -> None:
    """The names in a tree of tokens."""
    value, before = UNKNOWN, ""
    children = tree.children
    for number, child in enumerate(children):
        after = children[number + 1] if number + 1 < len(children) else None
        kind = child.type
        if kind == "identifier":
            value = _name(walk, child, value, before, after)
        elif kind == "crate":
            value = walk.term("import", "crate", "")
        elif kind == "self":
            value = walk.me() if after is None or after.type != "::" else UNKNOWN
        elif kind == "token_tree":
            tokens(walk, child)
            value = walk.term("()", value) if before == "name" else UNKNOWN
        elif kind not in (".", "::"):
            value = UNKNOWN
        before = "name" if kind in ("identifier", "self") else kind


def _name(walk: Walk, node: "Node", value: int, before: str, after: "Node | None") -> int:
    place, name = walk.place(node), walk.text_of(node)
    kind = after.type if after is not None else ""
    opening = walk.data[after.start_byte : after.start_byte + 1] if after is not None else b""
    called = kind == "token_tree" and opening == b"("
    use = "call" if called else "read"
    if before == ".":
        return walk.member(value, node, use)
    if before == "::":
        pair = walk.term(".", value, name), walk.term(".", value, f"{name}()")
        return walk.draft.use(place, use, walk.draft.first(*(pair[::-1] if called else pair)))
    if kind in ("=", ":", "!", "=>") or before in ("'", "$", "fn", "let", "struct"):
        return UNKNOWN
    if kind == "::":
        here = walk.own_type if name == "Self" else walk.draft.read(name, place.at)
        term = walk.draft.first(here, walk.term("import", name, ""))
        return walk.draft.use(place, "read", term)
    return walk.draft.use(place, use, walk.draft.read(name, place.at))
