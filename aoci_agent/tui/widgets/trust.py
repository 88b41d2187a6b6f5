"""The panel that asks whether a folder is trusted. It waits; the session works without it meanwhile."""

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets._static import Static

from aoci_agent.tui import foreign
from aoci_agent.tui.surroundings import screen_height
from aoci_agent.tui.trust_lines import TURNS_ON, headline, what_lines
from aoci_agent.tui.widgets.yielding import YieldingPanel

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import Key

    from aoci_agent.base.trust_store import Trust

CHROME = 13  # lines of the screen that are not the list while the panel has the keys
SCROLLS = {"up": -1, "down": 1}


class TrustPanel(YieldingPanel):
    """Not now is the default, and yes takes two different keys: y chooses it, Enter confirms it.

    So neither keys typed before the panel listened, nor a prompt that begins with "y", nor a paste
    can trust a folder: all of them go into the prompt, and the panel waits without the keys, small.
    """

    DEFAULT_CSS = """
    TrustPanel { height: auto; padding: 0 1; border: round $foreground 25%; background: $background; }
    TrustPanel:focus { border: round $warning; }
    TrustPanel Static { height: auto; }
    TrustPanel > VerticalScroll { height: auto; scrollbar-size-vertical: 1; background: $background; }
    """

    class Answered(Message):
        """The person decided; None: not now."""

        def __init__(self, *, trusted: bool | None) -> None:
            super().__init__()
            self.trusted = trusted

    def __init__(self, folder: str, trust: "Trust") -> None:
        super().__init__(id="trust")
        self._folder = folder
        self._trust = trust
        self._armed = ""  # y or n: Enter confirms it, anything else was meant for the prompt
        self._body = VerticalScroll()
        self._body.can_focus = False
        self._keys = Static(markup=False)

    def compose(self) -> "ComposeResult":
        title = foreign.line(headline(self._folder, self._trust.state), 300, "$text-warning bold")
        yield Static(title, markup=False)
        with self._body:
            yield Static(foreign.block("\n".join(what_lines(self._trust))), markup=False)
            yield Static(Content.styled(TURNS_ON, "$muted"), markup=False)
        yield self._keys

    def on_mount(self) -> None:
        self.watch(self._body, "scroll_y", self._paint, init=False)
        self.watch(self._body, "max_scroll_y", self._paint, init=False)
        self._paint()
        self.focus()

    def on_resize(self) -> None:
        self._paint()

    def on_focus(self) -> None:
        self.call_after_refresh(self._paint)

    def on_blur(self) -> None:
        self._armed = ""
        self.call_after_refresh(self._paint)

    async def _on_key(self, event: "Key") -> None:
        if self.passed_on(event):
            return
        key, character = event.key, event.character if event.is_printable else None
        early = self._quiet.too_early()
        if not early and key in ("y", "n") and not self._armed:
            self._armed = key
            self._paint()
        elif not early and key in ("enter", "escape"):
            answers = {"y": True, "n": False} if key == "enter" else {}
            self.post_message(self.Answered(trusted=answers.get(self._armed)))
        elif key in SCROLLS:
            self._body.scroll_relative(y=SCROLLS[key], animate=False)
        elif character:
            self.leave(self._armed + character)
            self._armed = ""
        elif not early:
            return
        event.stop()
        event.prevent_default()

    @property
    def overflows(self) -> bool:
        """It has the keys, and there is more in it than fits."""
        return self.has_focus and self._body.max_scroll_y > 0

    def page(self, by: int) -> None:
        """Scroll what would run by a page."""
        self._body.scroll_relative(y=by * max(1, self._body.size.height - 1), animate=False)

    def _paint(self) -> None:
        # In code, because Textual ignores a max-height in vh when it sizes the panel again.
        self._body.styles.max_height = max(2, screen_height(self) - CHROME)
        self._body.display = self.has_focus
        self._keys.update(self._answers())

    def _answers(self) -> Content:
        if not self.has_focus:
            return Content.styled(
                "not trusted meanwhile; /trust yes or /trust no decides", "$muted"
            )
        if self._armed == "y":
            return Content.styled(" Enter trusts this folder; any other key does not ", "reverse")
        if self._armed:
            return Content.styled(" Enter says no for good; any other key does not ", "reverse")
        below = max(0, int(self._body.max_scroll_y - self._body.scroll_y))
        return Content.assemble(
            Content.styled(f"↓ {below} more lines: Down or PageDown\n", "$text-warning")
            if below
            else "",
            Content.styled(" Enter not now ", "reverse"),
            "  y trust  n no, and do not ask again",
        )
