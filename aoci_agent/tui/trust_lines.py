"""What trust in a folder means, in lines a person reads before deciding."""

from typing import TYPE_CHECKING

from aoci_agent.base.terminal import one_line
from aoci_agent.base.trust import ORIGIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aoci_agent.base.trust import Item
    from aoci_agent.base.trust_store import Trust

WIDTH = 160  # cells of a line; the screen cuts further
ALL = 100_000  # names, and cells of them: nothing is left out
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


def what_lines(trust: "Trust", most: int = ALL) -> list[str]:
    """What was found, by kind, and what of it changed; at most so many names of a kind."""
    width = WIDTH if most < ALL else ALL
    lines: list[str] = []
    for kind, means in _MEANS.items():
        found = [item for item in trust.what if item.kind == kind and item.name != ORIGIN]
        if found:
            names = _names(found, most, with_who=kind == "shown")
            lines.append(one_line(f"{names}: {means}", width))
    if trust.changed:
        named = ", ".join(trust.changed[:most]) + _more(len(trust.changed) - most)
        lines.insert(0, one_line(f"new or changed: {named}", width))
    return lines or ["nothing in it runs or configures anything by itself"]


def _names(items: "Sequence[Item]", most: int, *, with_who: bool) -> str:
    named = [f"{item.name} ({item.who})" if with_who else item.name for item in items[:most]]
    return ", ".join(named) + _more(len(items) - most)


def _more(count: int) -> str:
    return f" and {count} more (/trust lists them)" if count > 0 else ""
