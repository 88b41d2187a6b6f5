"""The plots of a report, as SVG text. matplotlib is imported here only, when a page is made."""

import io
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from aoci_agent.base.terminal import clean
from aoci_agent.evals.replay.extras import need
from aoci_agent.evals.replay.figures import Figures, front

_INK, _FAINT, _FRONT = "#5b6472", "#c9ced6", "#d9822b"
_BUCKETS = {"fresh": "#3b6fb6", "write": "#d9822b", "read": "#9cc3e6", "output": "#7a5ea8"}
_SIZE = (6.4, 3.4)  # inches


def success_and_cost(found: Sequence[Figures]) -> str:
    """Success with its interval against cost; the front is joined. "" where no cost is known."""
    priced = [one for one in found if one.cost is not None and one.cells]
    if not priced:
        return ""
    figure, axes = _axes()
    edge = front(priced)
    axes.plot(
        [one.cost for one in edge], [one.passed.share for one in edge], color=_FRONT, lw=1, zorder=1
    )
    for one in priced:
        share = one.passed
        low, high = share.share - share.low, share.high - share.share
        colour = _FRONT if one in edge else _INK
        axes.errorbar(
            one.cost,
            share.share,
            yerr=[[max(low, 0)], [max(high, 0)]],
            fmt="o",
            color=colour,
            capsize=3,
        )
        axes.annotate(
            _name(one, found),
            (one.cost, share.share),
            xytext=(6, 6),
            textcoords="offset points",
            fontsize=9,
        )
    in_dollars = all(one.dollars is not None for one in priced)
    axes.set_xlabel("dollars a cell" if in_dollars else "tokens a cell")
    axes.set_ylabel("passed")
    axes.set_ylim(-0.03, 1.06)
    axes.set_xlim(left=0)
    return _svg(figure)


def tokens_by_bucket(found: Sequence[Figures]) -> str:
    """Stacked bars of the tokens of a cell. "" where none is measured."""
    measured = [one for one in found if one.buckets is not None]
    if not measured:
        return ""
    figure, axes = _axes()
    names = [_name(one, found) for one in measured]
    left = [0.0] * len(measured)
    for bucket, colour in _BUCKETS.items():
        values = [one.buckets[bucket] if one.buckets else 0.0 for one in measured]
        label = {"read": "cache read", "write": "cache write"}.get(bucket, bucket)
        axes.barh(names, values, left=left, color=colour, label=label, height=0.6)
        left = [before + value for before, value in zip(left, values, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("tokens a cell")
    axes.legend(frameon=False, fontsize=8, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return _svg(figure)


def differences(found: Sequence[Figures]) -> str:
    """Differences in success to the baseline with their intervals, and the margin. "" without any."""
    rows = [(_name(one, found), one.against.success) for one in found if one.against]
    rows = [(name, apart) for name, apart in rows if apart is not None]
    if not rows:
        return ""
    figure, axes = _axes()
    axes.axvline(0, color=_INK, lw=0.8)
    axes.axvline(-0.05, color=_FRONT, lw=0.8, ls="--")
    for place, (_, apart) in enumerate(rows):
        error = [[apart.mean - apart.low], [apart.high - apart.mean]]
        axes.errorbar(apart.mean, place, xerr=error, fmt="o", color=_INK, capsize=3)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("success minus that of grep-read (dashed: the margin)")
    return _svg(figure)


def _name(one: Figures, found: Sequence[Figures]) -> str:
    several = len({other.model for other in found}) > 1
    name = f"{one.solver} · {one.model}" if several else one.solver
    return clean(name).replace("$", r"\$")  # or it would be read as mathematics


def _axes() -> tuple[Any, Any]:
    need("matplotlib")
    figure: Any = import_module("matplotlib.figure").Figure(figsize=_SIZE, layout="constrained")
    axes = figure.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color=_FAINT, lw=0.4)
    axes.set_axisbelow(True)
    return figure, axes


def _svg(figure: Any) -> str:
    """Text stays text; nothing in it depends on when it was made."""
    out = io.StringIO()
    with (
        import_module("matplotlib").rc_context({"svg.fonttype": "none", "svg.hashsalt": "replay"}),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", UserWarning)  # a glyph it lacks; the browser draws the text
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
