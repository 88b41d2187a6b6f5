"""A panel that nothing waits for: it has the keys until words are typed, which go to the prompt."""

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.events import Key
from textual.message import Message

from aoci_agent.tui.quiet_keys import QuietKeys
from aoci_agent.tui.surroundings import send_app

if TYPE_CHECKING:
    from textual.events import Click, Paste


class YieldingPanel(Vertical, can_focus=True):
    """Keys are ignored until none came for a moment, so that type-ahead does not answer (T21)."""

    class Typed(Message):
        """Text meant for the prompt, which gets the keys with it."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._quiet = QuietKeys()
        self._left = False  # the keys are on their way to the prompt

    def on_focus(self) -> None:
        self._left = False
        self._quiet.begin()

    def on_click(self, event: "Click") -> None:
        event.stop()

    def on_paste(self, event: "Paste") -> None:
        event.stop()
        self.leave(event.text)

    def leave(self, text: str) -> None:
        """Hand the keys over to the prompt, and what was typed."""
        self._left = True
        send_app(self, self.Typed(text))

    def passed_on(self, event: Key) -> bool:
        """Whether this key came behind typed words: it follows them, also Enter."""
        if self._left:
            event.stop()
            event.prevent_default()
            send_app(self, Key(event.key, event.character))
        return self._left
