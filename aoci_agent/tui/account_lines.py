"""Lines about a session's own use: what the index saved, and what is left of the budget."""

from typing import TYPE_CHECKING

from aoci_agent.tui.figures import money, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aoci_agent.agent.budget import Line
    from aoci_agent.agent.saving import Saving


def saving_line(saving: "Saving") -> str:
    """`index this turn (estimate): saved ~$0.028 ...`. A loss is said as plainly as a gain."""
    count = len(saving.files)
    files = "1 file" if count == 1 else f"{count} files"
    found = f"{files} opened without a search" if count else "no file was opened without a search"
    spent = tokens(saving.index_tokens, estimated=True)
    if saving.index_cost is not None:
        spent += f", {money(saving.index_cost, estimated=True)}"
    if not count:
        return f"index this turn (estimate): {found}; the index took {spent}"
    saved = tokens(saving.tokens, estimated=True)
    if saving.cost is not None:
        saved += f", {money(saving.cost, estimated=True)}"
    how = "measured in your own sessions" if saving.sessions else "a stated guess"
    return (
        f"index this turn (estimate): {_net(saving)}; {found}, about {saving.steps:.1f} exploring steps"
        f" ({how}) not taken: {saved}; the index took {spent}"
    )


def budget_lines(lines: "Sequence[Line]") -> str:
    """Every limit with what is used, and how to set one."""
    told = [line.told() for line in lines]
    return "\n".join(
        (*told, "set one with /budget cost|tokens|steps|time|day-cost|day-tokens N, or none")
    )


def _net(saving: "Saving") -> str:
    net, unit = saving.net_cost, ""
    if net is None:
        net, unit = saving.net_tokens, " tokens"
    figure = tokens(abs(round(net)), estimated=True) if unit else money(abs(net), estimated=True)
    return f"saved {figure}{unit}" if net >= 0 else f"cost {figure}{unit} more than it saved"
