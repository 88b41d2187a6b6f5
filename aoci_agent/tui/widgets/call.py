"""One tool call: a line that says what runs and how it went, its output folded below."""

import time
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets._static import Static

from aoci_agent.tui import diff, foreign
from aoci_agent.tui.figures import seconds
from aoci_agent.tui.surroundings import moving, screen_width, spinner

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import Click
    from textual.timer import Timer

    from aoci_agent.tools.tool import ToolResult

DIFF_LINES = 16  # shown without being asked
OUTPUT_LINES = 400  # shown when asked
ICONS = {
    "done": ("✓", "$text-success"),
    "failed": ("✗", "$text-error"),
    "denied": ("✗", "$text-warning"),
    "interrupted": ("■", "$text-warning"),
}


class Call(Vertical, can_focus=True):
    """Starts running; `finish` settles it. Enter or a click opens and closes the output."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "toggle_output", "open", show=False),
        Binding("up", "app.focus_call(-1)", "previous", show=False),
        Binding("down", "app.focus_call(1)", "next", show=False),
        Binding("escape", "app.focus_prompt", "back", show=False),
    ]

    def __init__(self, title: str) -> None:
        super().__init__(classes="block call")
        self.title = title
        self.status = "running"
        self.opened = False
        self._result: ToolResult | None = None
        self._seconds = 0.0
        self._since = time.monotonic()
        self._spin: Timer | None = None
        self._head = Static(markup=False, classes="call-head")
        self._diff = Static(markup=False, classes="call-diff")
        self._output = Static(markup=False, classes="call-output")
        self._diff.display = self._output.display = False

    def compose(self) -> "ComposeResult":
        yield self._head
        yield self._diff
        yield self._output

    def on_mount(self) -> None:
        if self.status == "running" and moving(self):
            self._spin = self.set_interval(0.1, self._paint_head)
        self._paint_head()

    def on_resize(self) -> None:
        self._paint_head()

    def finish(self, result: "ToolResult", status: str, took: float) -> None:
        """The call ended: `status` is done, failed, denied or interrupted."""
        self._result, self._seconds = result, took
        self._settle(status)
        if result.diff:
            self._diff.display = True
        self._paint_body()

    def interrupt(self) -> None:
        """The turn was interrupted while this ran."""
        self._seconds = time.monotonic() - self._since
        self._settle("interrupted")

    def show(self, *, opened: bool) -> None:
        """Open or close the output."""
        self.opened = opened
        self._paint_head()
        self._paint_body()

    def action_toggle_output(self) -> None:
        self.show(opened=not self.opened)

    def on_click(self, event: "Click") -> None:
        event.stop()
        self.action_toggle_output()

    def _settle(self, status: str) -> None:
        self.status = status
        if self._spin is not None:
            self._spin.stop()
            self._spin = None
        self._paint_head()

    def _paint_head(self) -> None:
        icon, style = ICONS.get(self.status, ("●", "$text-accent"))
        if self.status == "running" and moving(self):
            icon = spinner()
        tail = self._tail()
        room = max(20, screen_width(self) - tail.cell_length - 8)
        title = foreign.line(self.title, room)
        self._head.update(Content.assemble((f"{icon} ", style), title, "  ", tail))

    def _tail(self) -> Content:
        result = self._result
        words: list[Content] = []
        if result is not None:
            if result.diff:
                words.append(foreign.line(diff.tally(result.diff)))
            if result.summary:
                style = "$muted" if result.ok else "$text-error"
                words.append(foreign.line(result.summary, 60, style))
        if self.status in ("denied", "interrupted"):
            words.append(Content.styled(self.status, "$text-warning"))
        if self.status != "running":
            words.append(Content.styled(seconds(self._seconds), "$muted"))
        if result is not None and result.text:
            words.append(Content.styled("▾" if self.opened else "▸", "$muted"))
        return Content("  ").join(words)

    def _paint_body(self) -> None:
        result = self._result
        if result is None:
            return
        if result.diff:
            self._diff.update(diff.render(result.diff, None if self.opened else DIFF_LINES))
        self._output.display = self.opened
        if self.opened:
            self._output.update(_output(result.text))


def _output(text: str) -> Content:
    lines = text.rstrip("\n").split("\n")
    shown = foreign.block("\n".join(lines[:OUTPUT_LINES]), "$muted")
    hidden = len(lines) - OUTPUT_LINES
    if hidden <= 0:
        return shown
    note = f"\n… {hidden} more lines are in the session record"
    return Content.assemble(shown, (note, "$text-warning"))
