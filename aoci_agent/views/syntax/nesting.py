"""What is in what: owners, kinds that depend on them, and what a function keeps to itself."""

from collections.abc import Iterable, Iterator

from aoci_agent.views.syntax.captures import Item, Syntax
from aoci_agent.views.syntax.outline import CALLABLES, KINDS, SPACES, VALUES

_DEEPEST = 40  # definitions within each other that are kept


def nested(order: Iterable[Item], syntax: Syntax) -> Iterator[Item]:
    """The items that are definitions, each with its owner; `order` has the outer before the inner."""
    around: list[Item] = []
    fields: set[str] = set()
    for item in order:
        while around and around[-1].end <= item.start:
            around.pop()
        item.holder = around[-1] if around and "global" not in item.captured else None
        beside = item.holder is not None and _is_beside(item, item.holder)
        if beside and item.holder is not None:
            item.holder = item.holder.holder
        if len(around) > _DEEPEST or _is_local(item) or not _settle(item, syntax, fields):
            continue
        if not beside:
            around.append(item)
        if item.kind in KINDS:
            yield item


def _is_beside(item: Item, holder: Item) -> bool:
    """Whether two values are of one statement: `a = b = 1`, `x, y int`."""
    if item.kind not in VALUES or holder.kind not in VALUES:
        return False
    return item.kind != "field" or (item.start, item.end) == (holder.start, holder.end)


def _is_local(item: Item) -> bool:
    """What a function keeps to itself, and what is no definition."""
    if item.kind == "skip" or not item.name:
        return True
    if item.holder is None:
        return item.kind == "member"
    if item.holder.kind not in CALLABLES:
        return False
    bare = item.kind in CALLABLES and "body" not in item.captured and "parameters" in item.captured
    return item.kind in ("constant", "variable", "member") or bare


def _settle(item: Item, syntax: Syntax, fields: set[str]) -> bool:
    """Give an item its kind and its qualified name; False for a field that has no owner, or is known."""
    holder = item.holder
    if item.kind == "field" and holder is not None and holder.kind in CALLABLES:
        while holder is not None and holder.kind not in syntax.members:
            holder = holder.holder
        if holder is None:
            return False
    around = holder.qualified if holder is not None else ""
    if "owner" in item.captured or item.owner:
        spaced = holder is not None and holder.kind in SPACES and item.owner
        around = ".".join(filter(None, (around if spaced else "", item.owner)))
    inside = holder.kind if holder is not None else ""
    is_space = item.kind == "space"
    item.kind, item.owner = _kind(item, inside, syntax), around
    item.qualified = around if is_space else f"{around}.{item.name}" if around else item.name
    if item.kind == "field":
        if item.qualified in fields:
            return False
        fields.add(item.qualified)
    return True


def _kind(item: Item, inside: str, syntax: Syntax) -> str:
    if item.kind == "member":
        return "method"
    if item.kind == "space":
        return "namespace"
    if item.kind == "function" and (inside in syntax.members or item.owner):
        return "method"
    if item.kind == "variable":
        if inside in syntax.members:
            return "field"
        return "constant" if item.name.isupper() else "variable"
    return item.kind


def attach(loose: list[tuple[int, str]], order: list[Item], syntax: Syntax) -> None:
    """Give bases found by themselves to the innermost type around them."""
    around: list[Item] = []
    left = iter([item for item in order if item.kind in syntax.members])
    item = next(left, None)
    for place, base in sorted(loose):
        while item is not None and item.start <= place:
            while around and around[-1].end <= item.start:
                around.pop()
            around.append(item)
            item = next(left, None)
        while around and around[-1].end <= place:
            around.pop()
        if around:
            around[-1].bases.append(base)
