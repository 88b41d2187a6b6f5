"""What a `case` pattern names: classes, values, and names it binds."""

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node


class Captured(Enum):
    """What a name in a pattern is."""

    CLASS = "class"
    VALUE = "value"
    NAME = "name"


class Capture(NamedTuple):
    """A name in a pattern; `type` is the class a bound name is an instance of."""

    kind: Captured
    node: "Node"
    type: "Node | None" = None


def captured(node: "Node") -> Iterator[Capture]:
    """Everything a pattern names, in source order."""
    if node.type == "as_pattern":
        inner, *names = node.named_children
        yield from captured(inner)
        kind = inner.named_children[0] if inner.named_children else inner
        held = kind.named_children[0] if kind.type == "class_pattern" else None
        yield from (Capture(Captured.NAME, name, held) for name in names)
    elif node.type == "class_pattern":
        head, *inside = node.named_children
        yield Capture(Captured.CLASS, head)
        for child in inside:
            yield from captured(child)
    elif node.type == "keyword_pattern":
        for child in node.named_children[1:]:
            yield from _bound(child)
    elif node.type == "dotted_name":
        yield from _bound(node)
    else:
        for child in node.named_children:
            yield from captured(child)


def _bound(node: "Node") -> Iterator[Capture]:
    if node.type == "identifier":
        yield Capture(Captured.NAME, node)
    elif node.type == "dotted_name":
        several = len(node.named_children) > 1
        kind = Captured.CLASS if several else Captured.NAME
        yield Capture(kind, node if several else node.named_children[0])
    else:
        yield from captured(node)
