"""The table of `/policy`: what the next call would use and cost under each policy."""

from typing import TYPE_CHECKING

from aoci_agent.tui.cost_table import aligned
from aoci_agent.tui.figures import money, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aoci_agent.agent.preview import Choice

HEADS = ("", "policy", "index", "candidates", "history", "prompt", "cached", "new", "cost", "")
NOTES = (
    "all figures are estimates of the next call alone, made here without asking anyone",
    "index: header and entries   history: conversation and tool results   cached: what the provider's",
    "cache holds now and the call would read   new: what it would have to take in   cost: with a typical reply",
    "compact costs as eager at first, and less once the first file was read",
    "switch with /policy NAME; see for another question: /policy for QUESTION",
)


def policy_table(choices: "Sequence[Choice]", window: int | None) -> str:
    """Plain text; the policy in force is marked."""
    rows = [HEADS, *(_row(choice, window) for choice in choices)]
    names = max(len(row[1]) for row in rows)
    lines = aligned([(row[0], row[1].ljust(names), *row[2:]) for row in rows])
    return "\n".join((*lines, "", *NOTES))


def _row(choice: "Choice", window: int | None) -> tuple[str, ...]:
    layers, usage = choice.layers, choice.usage
    index = sum(count for name, count in layers.items() if name.startswith("index"))
    history = layers.get("conversation", 0) + layers.get("tool results", 0)
    over = "more than the window" if window is not None and usage.prompt > window else ""
    return (
        "●" if choice.current else "○",
        choice.name,
        *(_told(count) for count in (index, layers.get("candidates", 0), history)),
        *(_told(count) for count in (usage.prompt, choice.kept, usage.prompt - choice.kept)),
        money(usage.cost, estimated=True),
        ", ".join(filter(None, (choice.without, over))),
    )


def _told(count: int) -> str:
    return tokens(count, estimated=True) if count else "-"
