"""Figures for plain text output: the same records the screen shows."""

from aoci_agent.agent.ledger import index_of
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.models.model import Provenance


def money(cost: float | None, *, estimated: bool = False) -> str:
    """Dollars, or `$?` when no price is known; `~` where the tokens were counted locally."""
    return "$?" if cost is None else f"{'~' if estimated else ''}${cost:.4f}"


def turn_line(totals: Totals) -> str:
    """One line: steps, buckets, hit rate, cost. `~` marks counts that are estimates."""
    mark = "~" if totals.estimated else ""
    local = totals.steps and totals.local == totals.steps
    paid = "local" if local else money(totals.cost, estimated=totals.estimated)
    return (
        f"{totals.steps} {'step' if totals.steps == 1 else 'steps'}, {mark}{totals.prompt} prompt (fresh {totals.fresh}, cache read "
        f"{totals.cache_read}, cache write {totals.cache_write}), {mark}{totals.output} output, "
        f"hit {totals.hit_rate:.0%}, {paid}, {totals.seconds:.1f} s of model time"
    )


def step_line(record: StepRecord) -> str:
    """One line for a call: tokens, cost, and what is odd about them."""
    usage = record.usage
    guess = usage.tokens_from is Provenance.ESTIMATED
    mark = "~" if guess else ""
    odd = (
        "summary" if record.side else "",
        "cut" if record.finish == "cut" else "",
        f"≠ {money(usage.own_cost)} by our prices" if usage.disputed else "",
    )
    told = (
        f"{mark}{usage.prompt} prompt",
        f"{mark}{usage.output} output",
        "local" if usage.price_from == "local" else money(usage.cost, estimated=guess),
        *filter(None, odd),
    )
    return f"step {record.number}: {', '.join(told)}"


def table(records: tuple[StepRecord, ...], totals: Totals) -> str:
    """A table of steps by bucket with the index layer's share, and the sums."""
    head = ("step", "prompt", "fresh", "read", "write", "output", "index", "cost")
    rows = [
        (
            str(r.number),
            str(r.usage.prompt),
            str(r.usage.fresh),
            str(r.usage.cache_read),
            str(r.usage.cache_write),
            str(r.usage.output),
            str(index_tokens(r)),
            money(r.usage.cost),
        )
        for r in records
    ]
    sums = (
        "sum",
        str(totals.prompt),
        str(totals.fresh),
        str(totals.cache_read),
        str(totals.cache_write),
        str(totals.output),
        str(sum(index_tokens(r) for r in records)),
        money(totals.cost),
    )
    widths = [max(len(row[i]) for row in (head, *rows, sums)) for i in range(len(head))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in (head, *rows, sums)
    ]
    rule = "-" * len(lines[0])
    return "\n".join((lines[0], rule, *lines[1:-1], rule, lines[-1]))


def index_tokens(record: StepRecord) -> int:
    """What the index layer took of a step's prompt."""
    return index_of(record.layers)
