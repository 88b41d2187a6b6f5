"""A reply of the model while it streams and after."""

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.widgets._static import Static

from aoci_agent.tui.prose import ProseStyler

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

PAINT_EVERY = 1 / 15  # seconds
FREEZE_AFTER = 24  # lines; only what comes after them is styled again


class Reply(Vertical):
    """Collects pieces and paints them in batches; finished lines are never painted twice."""

    def __init__(self) -> None:
        super().__init__(classes="block reply")
        self.text = ""
        self._waiting = ""
        self._tail = ""
        self._fenced = False
        self._live = Static(markup=False)
        self._timer: Timer | None = None
        self._mounted = False

    def compose(self) -> "ComposeResult":
        yield self._live

    def on_mount(self) -> None:
        self._mounted = True
        self._paint()

    def append(self, piece: str) -> None:
        """Take a piece; it is on the screen within a fifteenth of a second."""
        self.text += piece
        self._waiting += piece
        if self._timer is None and self._mounted:
            self._timer = self.set_timer(PAINT_EVERY, self._paint)

    def finish(self, text: str) -> None:
        """The whole reply is known; it replaces what was streamed if that differs."""
        if text != self.text:
            self.text = self._waiting = text
            self._tail, self._fenced = "", False
            if self._mounted:
                self.remove_children()
                self._live = Static(markup=False)
                self.mount(self._live)
        self._paint()

    def _paint(self) -> None:
        if not self._mounted:
            return  # on_mount paints what came before it
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._tail += self._waiting
        self._waiting = ""
        if self._tail.count("\n") > FREEZE_AFTER:
            self._freeze()
        self._live.update(ProseStyler(fenced=self._fenced).style(self._tail.rstrip("\n")))

    def _freeze(self) -> None:
        done, _, rest = self._tail.rpartition("\n")
        styler = ProseStyler(fenced=self._fenced)
        self._live.update(styler.style(done))
        self._fenced, self._tail = styler.fenced, rest
        self._live = Static(markup=False)
        self.mount(self._live)
