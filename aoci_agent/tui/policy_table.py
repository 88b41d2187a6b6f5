"""The table of `/policy`: what the next call would use and cost under each policy. Fits 80 columns."""

from typing import TYPE_CHECKING

from aoci_agent.tui.cost_table import aligned
from aoci_agent.tui.figures import money, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aoci_agent.agent.preview import Choice

HEADS = ("policy", "fixed", "index", "code", "talk", "prompt", "cached", "cost", "")
HISTORY = ("conversation", "tool results")
REASONS = {
    "i": ("no index", "i: there is no index"),
    "c": ("no candidates yet", "c: no code was searched for yet"),
    "w": ("more than the window", "w: more than the window holds; room is made first"),
}
UNFIT = "does not fit: tools, rules and index leave no room in this window"
NOTES = (
    "all figures are estimates of the next call, made here without asking anyone",
    "prompt = fixed (tools, rules) + index (header, entries) + code (candidates)",
    "  + talk (conversation, tool results)   cost: with a typical reply",
    "cached: what the last request left in the cache and the call would read;",
    "  older requests are not looked at",
    "compact costs as eager at first, and less once the first file was read",
    "switch: /policy eager,no-index   for another question: /policy for QUESTION",
)


def policy_table(choices: "Sequence[Choice]", window: int | None) -> str:
    """Plain text; the policy in force is marked. Options stand below the policy they belong to."""
    rows: list[tuple[str, ...]] = [("  " + HEADS[0], *HEADS[1:])]
    bare = ""  # the policy whose options may follow
    for choice in choices:
        name, _, options = choice.name.partition(",")
        shown = f",{options}" if options and name == bare else choice.name
        bare = name
        rows.append(_row(choice, shown, window))
    names, cached, costs = (max(len(row[place]) for row in rows) for place in (0, 6, 7))
    lines = aligned([_laid(row, names, cached, costs) for row in rows])
    marks = "".join(row[-1] for row in rows)
    said = [told for mark, (_, told) in REASONS.items() if mark in marks]
    said += [] if all(choice.fits for choice in choices) else [UNFIT]
    return "\n".join((*lines, "", *said, *NOTES))


def _row(choice: "Choice", name: str, window: int | None) -> tuple[str, ...]:
    layers, usage = choice.layers, choice.usage
    index = sum(count for layer, count in layers.items() if layer.startswith("index"))
    code, talk = layers.get("candidates", 0), sum(layers.get(layer, 0) for layer in HISTORY)
    fixed = sum(layers.values()) - index - code - talk
    over = window is not None and usage.prompt > window
    reasons = (*choice.without, *(["more than the window"] if over and choice.fits else ()))
    return (
        f"{'●' if choice.current else '○'} {name}",
        *(_told(count) for count in (fixed, index, code, talk, usage.prompt)),
        _told(choice.kept) if choice.fits else "",
        money(usage.cost, estimated=True) if choice.fits else "",
        "".join(mark for mark, (reason, _) in REASONS.items() if reason in reasons),
    )


def _laid(row: tuple[str, ...], names: int, cached: int, costs: int) -> tuple[str, ...]:
    """What cannot run is not priced: the words stand where `cached` and `cost` would."""
    last = f"{row[6]:>{cached}}  {row[7]:>{costs}}" if row[6] else "does not fit"
    return (row[0].ljust(names), *row[1:6], f"{last:<{cached + costs + 2}} {row[-1]}")


def _told(count: int) -> str:
    return tokens(count, estimated=True) if count else "-"
