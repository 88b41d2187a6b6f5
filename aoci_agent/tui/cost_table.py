"""The table of `/cost`: every step and the sums, by bucket and by prompt layer."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aoci_agent.tui.figures import money, percent, seconds, tokens

if TYPE_CHECKING:
    from aoci_agent.agent.meter import StepRecord, Totals

HEADS = ("step", "fresh", "read", "write", "output", "reason", "cost", "time", "")


def cost_table(steps: "Sequence[StepRecord]", totals: "Totals") -> str:
    """Plain text. `~` marks what was counted locally, `$?` a model without a known price."""
    if not steps:
        return "no model call yet in this session"
    rows = [HEADS, *(_step_row(step) for step in steps), _total_row(totals)]
    lines = list(_aligned(rows))
    lines.append("")
    lines += _layer_lines(steps)
    lines.append("")
    lines.append("~ counted locally   $? no price known   layers are always an estimate")
    return "\n".join(lines)


def _step_row(step: "StepRecord") -> tuple[str, ...]:
    usage = step.usage
    guess = usage.tokens_from != "measured"
    counts = (usage.fresh, usage.cache_read, usage.cache_write, usage.output, usage.reasoning)
    return (
        str(step.number),
        *(tokens(count, estimated=guess) for count in counts),
        money(usage.cost, estimated=usage.cost_from == "estimated"),
        seconds(step.seconds),
        "recorded" if step.recorded else "",
    )


def _total_row(totals: "Totals") -> tuple[str, ...]:
    counts = (
        totals.fresh,
        totals.cache_read,
        totals.cache_write,
        totals.output,
        totals.reasoning,
    )
    return (
        "all",
        *(tokens(count, estimated=totals.estimated) for count in counts),
        money(totals.cost, estimated=totals.estimated),
        seconds(totals.seconds),
        f"hit {percent(totals.hit_rate)}",
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()


def _layer_lines(steps: "Sequence[StepRecord]") -> list[str]:
    sums: dict[str, int] = {}
    for step in steps:
        for name, count in step.layers.items():
            sums[name] = sums.get(name, 0) + count
    whole = sum(sums.values())
    if not whole:
        return ["no layer split was measured"]
    last = steps[-1].layers
    rows = [("layer", "last step", "all steps", "share", "")]
    for name, count in sums.items():
        newest = tokens(last.get(name, 0), estimated=True)
        rows.append((name, newest, tokens(count, estimated=True), percent(count / whole), ""))
    width = max(len(row[0]) for row in rows)
    return list(_aligned([(row[0].ljust(width), *row[1:]) for row in rows]))
