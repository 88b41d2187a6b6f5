"""PHP names: namespaces, what `use` brings in, and types, written or in the comment above."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common.walk import Walk, child_of
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.graph.draft import Place
    from aoci_agent.views.syntax.text import Text

GLOBAL = "\\"


@dataclass(slots=True)
class PhpNotes:
    """What the rules of PHP note for each other."""

    spaces: dict[str, str] = field(default_factory=dict[str, str])  # name in this file -> in full


_PLAIN = frozenset((
    "int", "string", "bool", "float", "array", "mixed", "void", "null", "callable", "iterable", "object", "true",
    "false", "never", "resource", "class-string", "boolean", "integer", "double",
))  # fmt: skip
_TAG = re.compile(
    r"@(return|var)[ \t]+([\w\\|?$<>\[\]]+)|@param[ \t]+([\w\\|?<>\[\]]+)[ \t]+(\$\w+)"
)


def namespace_of(text: "Text", root: "Node") -> str:
    """The first namespace a file declares."""
    stated = child_of(root, "namespace_definition")
    named = stated.child_by_field_name("name") if stated is not None else None
    return GLOBAL if named is None else text.data[named.start_byte : named.end_byte].decode()


def used(walk: Walk, node: "Node", _use: str) -> int:
    """`use A\\B as C, D\\{E, F as G};`, also of functions and constants."""
    prefix = child_of(node, "namespace_name")
    group = node.child_by_field_name("body")
    kind = next((child.type for child in node.children if child.type in ("function", "const")), "")
    before = f"{walk.text_of(prefix)}\\" if prefix is not None and group is not None else ""
    for clause in (group or node).named_children:
        if clause.type == "namespace_use_clause":
            _clause(walk, clause, before, kind)
    return UNKNOWN


def _clause(walk: Walk, clause: "Node", before: str, kind: str) -> None:
    alias = clause.child_by_field_name("alias")
    named = next((child for child in clause.named_children if child != alias), None)
    if named is None:
        return
    kind = next((c.type for c in clause.children if c.type in ("function", "const")), kind)
    full = (before + walk.text_of(named)).lstrip("\\")
    space, _, last = full.rpartition("\\")
    slot = f"{last}()" if kind == "function" else last
    value = walk.term("import", space or GLOBAL, slot)
    walk.draft.use(place_of(walk, named, last), "import", value)
    shown = walk.text_of(alias) if alias is not None else last
    walk.alias(f"{shown}()" if kind == "function" else shown, value)
    walk.notes(PhpNotes).spaces[shown] = full


def class_name(walk: Walk, node: "Node", use: str) -> int:
    """The name of a class, as written."""
    text = walk.text_of(node)
    used_as = use if use in ("call", "base", "type") else "read"
    if text.lower() in ("self", "static", "parent"):
        return own(walk, text.lower())
    if "\\" in text:
        last = text.rpartition("\\")[2]
        return walk.draft.use(place_of(walk, node, last), used_as, full(walk, text, last))
    place = walk.place(node)
    return walk.draft.use(place, used_as, walk.draft.read_type(text, place.at))


def place_of(walk: Walk, node: "Node", last: str) -> "Place":
    """Where the last part of a name stands."""
    place = walk.place(node)
    return place._replace(column=place.column + place.length - len(last), length=len(last))


def full(walk: Walk, text: str, slot: str) -> int:
    """The term of a name with a namespace in it."""
    space = text.rpartition("\\")[0]
    if text[0] != "\\":
        first, slash, rest = space.partition("\\")
        around = walk.notes(PhpNotes).spaces.get(first)
        if around is None:
            around = first if walk.draft.space == GLOBAL else f"{walk.draft.space}\\{first}"
        space = around + slash + rest
    return walk.term("import", space.lstrip("\\") or GLOBAL, slot)


def own(walk: Walk, word: str) -> int:
    """`self`, `static` and `parent`."""
    scope = walk.around("class")
    if scope is None:
        return UNKNOWN
    return walk.term({"self": "own", "static": "type", "parent": "super"}[word], scope.slot)


def above(walk: Walk, node: "Node") -> dict[str, int]:
    """Types the comment directly above says: by `return`, `var`, and names of parameters."""
    comment = node.prev_named_sibling
    while comment is not None and comment.type == "attribute_list":
        comment = comment.prev_named_sibling
    if comment is None or comment.type != "comment":
        return {}
    found: dict[str, int] = {}
    for tag, held, kind, parameter in _TAG.findall(walk.text_of(comment)):
        found[parameter or tag] = stated(walk, held or kind, comment.start_byte)
    return found


def stated(walk: Walk, text: str, at: int) -> int:
    """A type as a comment writes it."""
    terms: list[int] = []
    for piece in text.split("|"):
        name = piece.strip("?")
        if name.endswith("[]"):
            inner = stated(walk, name[:-2], at)
            terms += [walk.term("outside", "array", inner)] if inner != UNKNOWN else []
        elif name in ("$this", "static", "self"):
            terms.append(own(walk, "self" if name == "self" else "static"))
        elif name and name.lower() not in _PLAIN and re.fullmatch(r"[\w\\]+", name):
            last = name.rpartition("\\")[2]
            written = full(walk, name, last) if "\\" in name else walk.draft.read_type(name, at)
            terms.append(written)
    return walk.any_of(terms)
