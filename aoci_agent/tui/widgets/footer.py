"""The footer: context gauge, mode and sandbox, cost of the turn by bucket, session cost, model in one line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets._static import Static

from aoci_agent.tui import foreign
from aoci_agent.tui.figures import buckets, cost, percent, tokens

if TYPE_CHECKING:
    from aoci_agent.agent.gauge import Gauge
    from aoci_agent.agent.meter import Totals
    from aoci_agent.tui.session import Status

SEPARATOR = Content.styled(" | ", "$faint")
KEPT = 2  # policy and context gauge: the last to go, behind them mode and sandbox
BAR_FROM = 130  # cells of a footer that has room for a bar
BAR = 8
MODE_STYLES = {"full-auto": "$text-error bold", "auto-edit": "$text-warning"}
BOX_STYLES = {"partial": "$text-warning", "NONE": "$text-error bold", "OFF": "$text-error bold"}


@dataclass(frozen=True, slots=True)
class Figures:
    """What the footer shows. `turn` is the sums of the newest turn."""

    status: "Status | None" = None
    gauge: "Gauge | None" = None
    turn: "Totals | None" = None
    session: "Totals | None" = None


class Footer(Static):
    """Repainted when the figures or the width change."""

    def __init__(self) -> None:
        super().__init__(markup=False, id="footer")
        self._figures = Figures()

    def show(self, figures: Figures) -> None:
        """Show new figures."""
        self._figures = figures
        self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        width = self.content_size.width
        self.update(fit(fields(self._figures, bar=width >= BAR_FROM), width))


def fields(figures: Figures, *, bar: bool = False) -> list[list[Content]]:
    """Every field in its forms from full to short, left to right."""
    status = figures.status
    if status is None:
        return [[Content.styled("opening…", "$muted")]]
    made = [
        [foreign.line(status.policy, 20, "$muted")],
        _context(figures.gauge, status.window, bar=bar),
        _hands(status),
        *([_turn(figures.turn)] if figures.turn and figures.turn.steps else []),
        *([_session(figures.session)] if figures.session else []),
    ]
    return [*made, _model(status.model)]


def fit(fields: Sequence[Sequence[Content]], width: int) -> Content:
    """Join what fits `width` cells.

    Fields right of the context gauge get shorter, the last one first; when that is not enough the
    last field goes. The gauge with the share of the index is kept to the end.
    """
    for count in range(len(fields), 0, -1):
        forms = [0] * count
        while (joined := _join(fields, forms)).cell_length > width:
            last_resort = count <= KEPT
            shorter = [
                place
                for place in range(0 if last_resort else KEPT, count)
                if forms[place] + 1 < len(fields[place])
            ]
            if not shorter:
                break
            forms[shorter[-1]] += 1
        else:
            return joined
    return _join(fields, [len(fields[0]) - 1]).truncate(width, ellipsis=True)


def _join(fields: Sequence[Sequence[Content]], forms: Sequence[int]) -> Content:
    return SEPARATOR.join([fields[place][form] for place, form in enumerate(forms)])


def _context(gauge: "Gauge | None", window: int | None, *, bar: bool) -> list[Content]:
    size = "?" if window is None else tokens(window)
    if gauge is None:
        return [Content.styled(f"ctx ?/{size}", "$muted")]
    used = gauge.used
    guess = gauge.provenance == "estimated"
    told = f"{tokens(used, estimated=guess)}/{size}"
    style = "$muted"
    if window:
        share = used / window
        told += f" {percent(share)}"
        style = "$text-error" if share >= 0.9 else "$text-warning" if share >= 0.7 else style
        told = f"{_bar(share)} {told}" if bar else told
    short = Content.styled(f"ctx {told}", style)
    index = gauge.index
    if not index:
        return [short]
    share = Content.styled(f" [index {tokens(index, estimated=True)}]", "$text-accent")
    return [Content.assemble(short, share), short]


def _bar(share: float) -> str:
    full = min(BAR, max(1 if share else 0, round(share * BAR)))
    return "█" * full + "░" * (BAR - full)


def _hands(status: "Status") -> list[Content]:
    """Mode and sandbox, which are always told: what it may do, and what holds it."""
    mode = str(status.mode)
    told = Content.styled(mode, MODE_STYLES.get(mode, "$muted"))
    box = Content.styled(f"box {status.sandbox}", BOX_STYLES.get(status.sandbox, "$muted"))
    doubt = [] if status.trusted else [Content.styled(" untrusted", "$text-warning")]
    return [Content.assemble(told, *doubt, " ", box), Content.assemble(told, " ", box)]


def _turn(turn: "Totals") -> list[Content]:
    paid = cost(turn)
    forms = (
        f"turn {paid} {buckets(turn)}",
        f"turn {paid} hit {percent(turn.hit_rate)}",
        f"turn {paid}",
    )
    return [Content.styled(form, "$muted") for form in forms]


def _session(session: "Totals") -> list[Content]:
    return [Content.styled(cost(session), "$text")]


def _model(name: str) -> list[Content]:
    if not name:
        return [Content.styled("no model", "$text-warning")]
    short = name.rpartition("/")[2]
    return [foreign.line(form, width, "$muted") for form, width in ((name, 60), (short, 24))]
