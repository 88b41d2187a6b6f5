"""Scala packages and imports."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common.walk import Walk
from aoci_agent.views.graph.model import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text


OBJECT = "$"


@dataclass(slots=True)
class ScalaNotes:
    """What the rules of Scala note for each other."""

    package: str = ""  # as far as clauses have said it


def _clauses(text: "Text", root: "Node") -> list[str]:
    found = [
        c.child_by_field_name("name") for c in root.named_children if c.type == "package_clause"
    ]
    return [
        text.data[n.start_byte : n.end_byte].decode("utf-8", "replace")
        for n in found
        if n is not None
    ]


def package(text: "Text", root: "Node") -> str:
    return ".".join(_clauses(text, root)) or "."


def clause(walk: Walk, node: "Node", _use: str) -> int:
    """Every clause but the last is a package around that is seen, too."""
    named = node.child_by_field_name("name")
    written = walk.text_of(named)
    notes = walk.notes(ScalaNotes)
    whole = notes.package = f"{notes.package}.{written}" if notes.package else written
    if walk.draft.space != whole:
        walk.stars.append(whole)
    walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def import_(walk: Walk, node: "Node", _use: str) -> int:
    """`import a.b.C, d.{E, F => G}, h._`"""
    paths: list[Node] = []
    done = True
    for child in node.named_children:
        if child.type in ("identifier", "operator_identifier"):
            paths = [child] if done else [*paths, child]
            done = False
        elif child.type == "namespace_wildcard":
            _whole(walk, paths)
            done = True
        elif child.type == "namespace_selectors":
            _selected(walk, child, paths)
            done = True
        following = child.next_sibling
        if not done and (following is None or following.type == ","):
            _bound(walk, paths, walk.text_of(paths[-1]))
            done = True
    return UNKNOWN


def _path(walk: Walk, parts: "list[Node]") -> tuple[int, str]:
    """The term of a path, and its text where it is all packages."""
    names = [walk.text_of(part) for part in parts]
    count = next((n for n, name in enumerate(names) if name[:1].isupper()), len(names))
    value = UNKNOWN
    for number, part in enumerate(parts[count:], count):
        name = names[number]
        if number == count:
            before = ".".join(names[:count])
            pair = [_imported(walk, before, name + OBJECT), _imported(walk, before, name)]
        else:
            pair = [walk.term(".", value, name + OBJECT), walk.term(".", value, name)]
        value = walk.draft.use(walk.place(part), "import", walk.draft.first(*pair))
    return value, ".".join(names) if count == len(names) else ""


def _imported(walk: Walk, module: str, name: str) -> int:
    return walk.term("import", module, name) if module else walk.draft.read(name, 0)


def _bound(walk: Walk, parts: "list[Node]", shown: str) -> None:
    value, text = _path(walk, parts[:-1])
    _give(walk, value, text, parts[-1], shown)


def _give(walk: Walk, value: int, text: str, named: "Node", shown: str) -> None:
    """Bind an imported name, and the object of that name."""
    name = walk.text_of(named)
    terms = {
        mark: walk.term(".", value, name + mark)
        if not text
        else walk.term("import", text, name + mark)
        for mark in ("", OBJECT)
    }
    either = walk.draft.first(terms[""], terms[OBJECT])
    walk.draft.use(walk.place(named), "import", either)
    walk.alias(shown, either)
    walk.alias(shown + OBJECT, walk.draft.first(terms[OBJECT], terms[""]))


def _whole(walk: Walk, parts: "list[Node]") -> None:
    value, text = _path(walk, parts)
    if text:
        walk.stars.append(text)
    elif value != UNKNOWN:
        walk.draft.behind.append(value)


def _selected(walk: Walk, node: "Node", parts: "list[Node]") -> None:
    value, text = _path(walk, parts)
    for child in node.named_children:
        if child.type == "identifier":
            _give(walk, value, text, child, walk.text_of(child))
        elif child.type == "namespace_wildcard":
            if text:
                walk.stars.append(text)
            else:
                walk.draft.behind.append(value)
        else:
            named, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if named is not None and alias is not None:
                _give(walk, value, text, named, walk.text_of(alias))
