"""One line above the prompt: what the agent does right now and what waits."""

import time
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets._static import Static

from aoci_agent.tui import foreign
from aoci_agent.tui.figures import seconds
from aoci_agent.tui.surroundings import moving, screen_width, spinner

if TYPE_CHECKING:
    from textual.timer import Timer

REPAINT_EVERY = 0.12  # seconds


class Activity(Static):
    """Hidden while there is nothing to say."""

    def __init__(self) -> None:
        super().__init__(markup=False, id="activity")
        self._doing = ""
        self._hint = ""
        self._queued: tuple[str, ...] = ()
        self._since = 0.0
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        self._paint()

    def begin(self, doing: str) -> None:
        """Something long starts; the clock runs from now."""
        self._doing, self._since = doing, time.monotonic()
        if self._timer is None and moving(self):
            self._timer = self.set_interval(REPAINT_EVERY, self._paint)
        self._paint()

    def note(self, doing: str) -> None:
        """It is at another point now; the clock goes on. Painted with the next beat."""
        if not self._doing or doing == self._doing:
            return
        self._doing = doing
        if self._timer is None:
            self._paint()

    def end(self) -> None:
        """Nothing runs any more."""
        self._doing = ""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._paint()

    def hint(self, text: str, for_seconds: float) -> None:
        """A short word to the person, such as how to quit."""
        self._hint = text
        self._paint()
        self.set_timer(for_seconds, partial(self._take_away, text))

    def _take_away(self, text: str) -> None:
        if self._hint == text:
            self._hint = ""
            self._paint()

    def queue(self, prompts: tuple[str, ...]) -> None:
        """Prompts that wait for the turn to end."""
        self._queued = prompts
        self._paint()

    def _paint(self) -> None:
        width = max(20, screen_width(self) - 12)
        lines: list[Content] = []
        for prompt in self._queued:
            waiting = foreign.line(prompt, width, "$muted")
            lines.append(Content.assemble(("  queued ", "$text-warning"), waiting))
        if self._doing:
            lines.append(self._work())
        if self._hint:
            lines.append(Content.styled(f"  {self._hint}", "$text-warning"))
        self.display = bool(lines)
        self.update(Content("\n").join(lines))

    def _work(self) -> Content:
        still = not moving(self)
        sign = "●" if still else spinner()
        passed = "" if still else f" · {seconds(time.monotonic() - self._since)}"
        doing = foreign.line(self._doing, 80)
        return Content.assemble((f"{sign} ", "$text-accent"), doing, (passed, "$muted"))
