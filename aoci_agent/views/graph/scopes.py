"""Scopes, blocks and bindings of one file, and which bindings a name can mean at a place."""

from collections.abc import Iterable
from dataclasses import dataclass, field

MOST = 8  # bindings one name may mean at one place; more of them are as good as none


@dataclass(slots=True, eq=False)
class Block:
    """A stretch of statements that runs as a whole, or not at all.

    Blocks with one `statement` and different `choice` exclude each other (the arms of an `if`).
    """

    parent: "Block | None" = None
    statement: int = -1
    choice: int = 0
    loop: bool = False
    leaves: bool = False  # ends by return, raise, break or continue
    depth: int = 0

    def inside(self, other: "Block") -> bool:
        """Whether this block is the other one or lies in it."""
        here: Block | None = self
        while here is not None and here.depth > other.depth:
            here = here.parent
        return here is other


@dataclass(slots=True, eq=False)
class Binding:
    """A name bound at a place. `value` is a raw term; `at` orders places within the file."""

    name: str
    kind: str  # variable parameter import class function ...
    value: int
    at: int
    block: Block
    line: int = 0
    column: int = 0
    alias: bool = False  # stands for its value altogether: imports, definitions


@dataclass(slots=True, eq=False)
class Scope:
    """Names of a module, class, function or bare block. `slot` is "" for the module."""

    kind: str  # module class function block
    slot: str
    qualified: str
    parent: "Scope | None"
    block: Block
    names: dict[str, list[Binding]] = field(default_factory=dict[str, list[Binding]])
    tested: dict[str, list[Binding]] = field(default_factory=dict[str, list[Binding]])
    elsewhere: dict[str, "Scope"] = field(default_factory=dict[str, "Scope"])  # global, nonlocal
    part: int = 0
    results: list[int] = field(default_factory=list[int])
    yields: list[int] = field(default_factory=list[int])
    receiver: str = ""  # name of the parameter that is the object itself


def reaching(bindings: Iterable[Binding], block: Block, at: int) -> list[Binding]:
    """Bindings of one scope that a use at this place may mean, the latest first.

    A binding in a block around the use hides all earlier ones. Later ones count where a loop around
    both leads back, unless the loop binds the name anew before the use.
    """
    ordered = sorted(bindings, key=lambda binding: binding.at)
    found: list[Binding] = []
    sure: Binding | None = None
    for binding in reversed([binding for binding in ordered if binding.at <= at]):
        if not _may_reach(binding, block):
            continue
        found.append(binding)
        if block.inside(binding.block):
            sure = binding
            break
    loops = _loops(block)
    later = [b for b in ordered if b.at > at] if loops else []
    for binding in later:
        around = [loop for loop in loops if binding.block.inside(loop)]
        if around and (sure is None or not any(sure.block.inside(loop) for loop in around)):
            found.append(binding)
    return found[: MOST + 1]


def tested(scope: Scope, name: str, block: Block, at: int, bound: int) -> Binding | None:
    """The last type test of a name that holds at a place and comes after what was `bound` there."""
    known = scope.tested.get(name, ())
    holding = [b for b in known if bound <= b.at <= at and block.inside(b.block)]
    return max(holding, key=lambda binding: binding.at, default=None)


def _may_reach(binding: Binding, block: Block) -> bool:
    if block.inside(binding.block):
        return True
    if _left(binding.block, block):
        return False
    return not _exclusive(binding.block, block)


def _left(bound: Block, used: Block) -> bool:
    """Whether control never comes from the binding's block to the use."""
    here: Block | None = bound
    while here is not None and not used.inside(here):
        if here.leaves:
            return True
        here = here.parent
    return False


def _exclusive(one: Block, other: Block) -> bool:
    """Whether both lie in different arms of one statement."""
    arms: dict[int, int] = {}
    here: Block | None = one
    while here is not None:
        if here.statement >= 0:
            arms[here.statement] = here.choice
        here = here.parent
    here = other
    while here is not None:
        if arms.get(here.statement, here.choice) != here.choice:
            return True
        here = here.parent
    return False


def _loops(block: Block) -> list[Block]:
    found: list[Block] = []
    here: Block | None = block
    while here is not None:
        if here.loop:
            found.append(here)
        here = here.parent
    return found
