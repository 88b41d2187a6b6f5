"""The table of `/cost`: steps, turn and session, by bucket and by prompt layer, with where figures come from."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aoci_agent.tui.figures import cost, money, percent, seconds, tokens

if TYPE_CHECKING:
    from aoci_agent.agent.meter import StepRecord, Totals

HEADS = ("step", "fresh", "read", "write", "1h", "output", "reason", "cost", "from", "time", "")
HOUR = HEADS.index("1h")
ORDER = (
    *("tools", "rules", "index header", "index", "index changes"),
    *("candidates", "conversation", "tool results"),
)
NEWEST = 30  # steps shown one by one
KEY = (
    "~ counted locally   $? no price known   1h: written for an hour or longer, contained in write",
    "from: who named the price; layers are always an estimate",
)


def cost_table(
    steps: "Sequence[StepRecord]", totals: "Totals", turn: "Totals | None" = None
) -> str:
    """Plain text. `turn` is the newest one; a step with no mark was measured by the provider."""
    if not steps:
        return "no model call yet in this session"
    shown = steps[-NEWEST:]
    rows = [HEADS, *(_step_row(step) for step in shown)]
    rows += [_total_row("turn", turn)] if turn and 0 < turn.steps < totals.steps else []
    rows.append(_total_row("all", totals))
    if not totals.cache_write_1h:
        rows = [(*row[:HOUR], *row[HOUR + 1 :]) for row in rows]
    lines = [f"the newest {NEWEST} of {len(steps)} steps"] if len(steps) > NEWEST else []
    lines += [*aligned(rows), "", *_layer_lines(shown[-1], turn, totals), "", *_remarks(totals)]
    return "\n".join((*lines, *KEY))


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    """Columns to the right, the last one to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()


def _step_row(step: "StepRecord") -> tuple[str, ...]:
    usage = step.usage
    guess = usage.tokens_from != "measured"
    counts = (
        *(usage.fresh, usage.cache_read, usage.cache_write, usage.cache_write_1h),
        *(usage.output, usage.reasoning),
    )
    notes = (
        "recorded" if step.recorded else "",
        "summary" if step.side else "",
        "cut" if step.finish == "cut" else "",
        f"≠ ours {money(usage.own_cost)}" if usage.disputed else "",
    )
    return (
        str(step.number),
        *(tokens(count, estimated=guess) for count in counts),
        _paid(step),
        usage.price_from or "-",
        seconds(step.seconds),
        ", ".join(filter(None, notes)),
    )


def _paid(step: "StepRecord") -> str:
    usage = step.usage
    if usage.price_from == "local":
        return "-"
    return money(usage.cost, estimated=usage.cost_from == "estimated")


def _total_row(name: str, totals: "Totals") -> tuple[str, ...]:
    counts = (
        *(totals.fresh, totals.cache_read, totals.cache_write, totals.cache_write_1h),
        *(totals.output, totals.reasoning),
    )
    return (
        name,
        *(tokens(count, estimated=totals.estimated) for count in counts),
        cost(totals),
        "",
        seconds(totals.seconds),
        f"hit {percent(totals.hit_rate)}",
    )


def _layer_lines(last: "StepRecord", turn: "Totals | None", totals: "Totals") -> list[str]:
    whole = sum(totals.layers.values())
    if not whole:
        return ["no layer split was measured"]
    rows: list[tuple[str, ...]] = [("layer", "last step", "turn", "all steps", "share", "")]
    for name in sorted(totals.layers, key=_place):
        count = totals.layers[name]
        told = (last.layers.get(name, 0), turn.layers.get(name, 0) if turn else 0, count)
        figures = (tokens(one, estimated=True) for one in told)
        rows.append((name, *figures, percent(count / whole), ""))
    width = max(len(row[0]) for row in rows)
    return list(aligned([(row[0].ljust(width), *row[1:]) for row in rows]))


def _place(layer: str) -> int:
    """Layers in the order in which they are sent, others after them."""
    return ORDER.index(layer) if layer in ORDER else len(ORDER)


def _remarks(totals: "Totals") -> list[str]:
    """What is wrong with the sums, in words."""
    calls = "call" if totals.unpriced == 1 else "calls"
    remarks = (
        (totals.unpriced, f"{totals.unpriced} {calls} without a known price; the rest: {money(totals.priced)}"),
        (totals.disputed, f"{totals.disputed} with a cost of the provider that is not what our prices give (over 1 % off)"),
        (totals.cut, f"{totals.cut} cut in the middle: what they took is estimated"),
    )  # fmt: skip
    lines = [text for count, text in remarks if count]
    return [*lines, ""] if lines else []
