"""The map of `/context`: what fills the window, by layer, as of the last request."""

from typing import TYPE_CHECKING

from aoci_agent.tui.figures import percent, tokens

if TYPE_CHECKING:
    from aoci_agent.agent.gauge import Gauge

WIDTH = 40  # cells of a bar that is the whole window
NO_WINDOW = (
    "the window of this model is not known: state it as `window` in [prices] of config.toml; "
    "bars show shares of the request"
)


def context_map(gauge: "Gauge") -> str:
    """Plain text. The sum is the provider's where it is unmarked; the split into layers is an estimate."""
    guess = gauge.provenance != "measured"
    window = gauge.window
    whole = window or gauge.used or 1
    rows = [(name, count, True) for name, count in gauge.layers.items() if count]
    rows += [("last reply", gauge.output, guess)] if gauge.output else []
    told = [(name, tokens(count, estimated=mark), count) for name, count, mark in rows]
    told.append(("in use", tokens(gauge.used, estimated=guess), gauge.used))
    if window is not None:
        told.append(("kept for a reply", tokens(gauge.reserve), gauge.reserve))
        told.append(("left", tokens(gauge.left or 0, estimated=guess), gauge.left or 0))
    names = max(len(name) for name, _, _ in told)
    figures = max(len(figure) for _, figure, _ in told)
    lines = [_origin(gauge, guess=guess), ""]
    for name, figure, count in told:
        share = "<1%" if 0 < count / whole < 0.005 else percent(count / whole)
        line = f"{name:<{names}}  {figure:>{figures}}  {share:>4}  {bar(count, whole)}"
        lines += ["", line.rstrip()] if name == "in use" else [line.rstrip()]
    size = "?" if window is None else tokens(window)
    lines += ["", f"window {size}"]
    if window is None:
        lines.append(NO_WINDOW)
    elif gauge.used > window:
        lines.append("this is more than the window holds")
    return "\n".join((*lines, "~ counted locally; the split into layers always is"))


def bar(part: int, whole: int, width: int = WIDTH) -> str:
    """Eighths of a cell; anything at all is visible."""
    eighths = min(width * 8, max(1 if part else 0, round(part / whole * width * 8)))
    rest = " ▏▎▍▌▋▊▉"[eighths % 8].strip()
    return "█" * (eighths // 8) + rest


def _origin(gauge: "Gauge", *, guess: bool) -> str:
    if not guess:
        return "context: the last request as the provider counted it, and its reply"
    if gauge.since:
        return "context: the last request and its reply, and what came since, counted locally"
    if gauge.output:
        return "context: the last request and its reply; the provider sent no usage, so it is estimated"
    return "context: the next request as it stands, counted locally; no call has measured it yet"
