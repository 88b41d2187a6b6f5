"""Figures for plain text output: the same records the screen shows."""

from aoci_agent.agent.meter import StepRecord, Totals


def money(cost: float | None) -> str:
    """Dollars, or `$?` when no price is known."""
    return "$?" if cost is None else f"${cost:.4f}"


def turn_line(totals: Totals) -> str:
    """One line: steps, buckets, hit rate, cost. `~` marks counts that are estimates."""
    mark = "~" if totals.estimated else ""
    return (
        f"{totals.steps} {'step' if totals.steps == 1 else 'steps'}, {mark}{totals.prompt} prompt (fresh {totals.fresh}, cache read "
        f"{totals.cache_read}, cache write {totals.cache_write}), {mark}{totals.output} output, "
        f"hit {totals.hit_rate:.0%}, {money(totals.cost)}, {totals.seconds:.1f} s of model time"
    )


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
    """What the index layer (header and entries) took of a step's prompt."""
    return record.layers.get("index header", 0) + record.layers.get("index", 0)
