"""What trust in a folder means, in lines a person reads before deciding."""

from typing import TYPE_CHECKING

from aoci_agent.base.terminal import one_line
from aoci_agent.base.trust import ORIGIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aoci_agent.base.trust import Item
    from aoci_agent.base.trust_store import Trust

ALL = 100_000  # cells of a name: nothing of it is left out
MANY = 1_000  # names of one kind
_STATES = {
    "trusted": "is trusted",
    "changed": "was trusted, and has changed since",
    "unknown": "is not trusted yet",
    "refused": "is not trusted: you said no",
}
_MEANS = {
    "instructions": "becomes part of the rules of the model",
    "git": "takes effect when a git command runs",
    "servers": "steers a language server, where your settings start one",
    "shown": "is run or obeyed by other programs; never read by this one",
}
TURNS_ON = (
    "Trust turns on: the project's instructions, its tests, language servers (where your settings "
    "want them), commands that plainly read without asking, and modes above ask."
)
WITHOUT = "Without it: index, search, reading, and edits and commands you are asked for one by one."


def headline(folder: str, state: str) -> str:
    """`/home/me/shop is not trusted yet`."""
    return f"{one_line(folder, 100)} {_STATES[state]}"


def what_lines(trust: "Trust") -> list[str]:
    """What changed, then what was found: each kind by what it does, and below it every name."""
    lines = _named("new or changed", trust.changed)
    for kind, means in _MEANS.items():
        found = [item for item in trust.what if item.kind == kind and item.name != ORIGIN]
        lines += _named(means, [_item(item) for item in found])
    return lines or ["nothing in it runs or configures anything by itself"]


def _item(item: "Item") -> str:
    return f"{item.name} ({item.who})" if item.kind == "shown" else item.name


def _named(means: str, names: "Sequence[str]") -> list[str]:
    if not names:
        return []
    more = [f"  and {len(names) - MANY} more"] if len(names) > MANY else []
    return [f"{means}:", *(f"  {one_line(name, ALL)}" for name in names[:MANY]), *more]
