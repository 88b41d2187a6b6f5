"""The plots of a report, as SVG text. matplotlib is imported here only, when a page is made."""

import io
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from aoci_agent.base.terminal import clean
from aoci_agent.evals.policies_statistics import MARGIN
from aoci_agent.evals.replay.extras import need
from aoci_agent.evals.replay.figures import BASELINE, Figures, front, in_dollars, priced
from aoci_agent.evals.replay.tables import label

_INK, _FAINT, _FRONT = "#5b6472", "#c9ced6", "#d9822b"
_BUCKETS = {"fresh": "#3b6fb6", "write": "#d9822b", "read": "#9cc3e6", "output": "#7a5ea8"}
_WIDTH, _HEIGHT = 4.6, 2.9  # inches: at 400 pixels the text is as large as that of the page
_ROW = 0.34  # inches of a solver, where each has a row of its own
_SIZE = 10  # points of the text
_LONGEST = 30  # characters of a name


def success_and_cost(found: Sequence[Figures]) -> str:
    """Success with its interval against cost; the front is joined. "" where no cost of a real model is known.

    Names stand in a column at the right, joined to their points: points of solvers lie close together.
    """
    found = [one for one in found if not one.own]
    known = priced(found)
    if not known:
        return ""
    figure, axes = _axes(len(known))
    edge = front(found)
    joined = sorted((cost, one.passed.share) for cost, one in known if one in edge)
    axes.plot(*zip(*joined, strict=True), color=_FRONT, lw=1, zorder=1)
    for cost, one in known:
        share = one.passed
        error = [[max(share.share - share.low, 0)], [max(share.high - share.share, 0)]]
        colour = _FRONT if one in edge else _INK
        axes.errorbar(cost, share.share, yerr=error, fmt="o", color=colour, capsize=3)
    ordered = sorted(known, key=lambda pair: (pair[1].passed.share, -pair[0]))
    for place, (cost, one) in enumerate(ordered):
        axes.annotate(
            _named(one, found),
            (cost, one.passed.share),
            xytext=(1.06, (place + 0.5) / len(ordered)),
            textcoords="axes fraction",
            va="center",
            fontsize=_SIZE,
            arrowprops={
                "arrowstyle": "-",
                "color": _FAINT,
                "lw": 0.8,
                "shrinkB": 4,
                "relpos": (0, 0.5),
            },
        )
    axes.set_xlabel("dollars a cell" if in_dollars(found) else "tokens a cell")
    axes.set_ylabel("passed")
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlim(left=0)
    axes.yaxis.set_major_formatter(import_module("matplotlib.ticker").PercentFormatter(1.0))
    _few_ticks(axes)
    return _svg(figure)


def tokens_by_bucket(found: Sequence[Figures]) -> str:
    """Stacked bars of the tokens of a cell. "" where none is measured."""
    measured = [one for one in found if one.buckets is not None]
    if not measured:
        return ""
    figure, axes = _axes(len(measured))
    names = [_named(one, found) for one in measured]
    places = range(len(measured))
    left = [0.0] * len(measured)
    for bucket, colour in _BUCKETS.items():
        values = [one.buckets[bucket] if one.buckets else 0.0 for one in measured]
        told = {"read": "cache read", "write": "cache write"}.get(bucket, bucket)
        axes.barh(places, values, left=left, color=colour, label=told, height=0.6)
        left = [before + value for before, value in zip(left, values, strict=True)]
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set_xlabel("tokens a cell")
    _few_ticks(axes)
    figure.legend(frameon=False, fontsize=_SIZE, ncols=2, loc="outside upper center")
    return _svg(figure)


def differences(found: Sequence[Figures]) -> str:
    """Differences in success to the baseline with their intervals, and the margin. "" without any."""
    rows = [(_named(one, found), one.against.success) for one in found if one.against]
    rows = [(name, apart) for name, apart in rows if apart is not None]
    if not rows:
        return ""
    figure, axes = _axes(len(rows))
    axes.axvline(0, color=_INK, lw=0.8)
    axes.axvline(MARGIN, color=_FRONT, lw=0.8, ls="--")
    for place, (_, apart) in enumerate(rows):
        error = [[apart.mean - apart.low], [apart.high - apart.mean]]
        axes.errorbar(apart.mean, place, xerr=error, fmt="o", color=_INK, capsize=3)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 2 * MARGIN), max(high, -2 * MARGIN))
    axes.set_xlabel(f"success minus that of {BASELINE}")
    _few_ticks(axes)
    return _svg(figure)


def _named(one: Figures, found: Sequence[Figures]) -> str:
    name = clean(label(one, found)).replace("\n", " ")
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return short.replace("$", r"\$")  # or it would be read as mathematics


def _axes(rows: int) -> tuple[Any, Any]:
    need("matplotlib")
    size = (_WIDTH, max(_HEIGHT, 1.2 + rows * _ROW))
    figure: Any = import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color=_FAINT, lw=0.4)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=_SIZE)
    return figure, axes


def _few_ticks(axes: Any) -> None:
    """Figures of an axis that do not run into each other: 20k for 20,000."""
    ticker = import_module("matplotlib.ticker")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(4))
    if axes.get_xlim()[1] > 1000:
        axes.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))


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
