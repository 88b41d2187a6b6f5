"""The rewind panel: where one can go back to, what that would change, and which of it is wanted."""

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets._static import Static

from aoci_agent.base.errors import ForUser
from aoci_agent.tui import foreign, signs
from aoci_agent.tui.rewind_lines import point_line, preview_lines, told
from aoci_agent.tui.surroundings import screen_height, screen_width
from aoci_agent.tui.widgets.yielding import YieldingPanel

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import Blur, Key

    from aoci_agent.agent.past import What
    from aoci_agent.agent.rewind import Point, Preview
    from aoci_agent.tui.session import Rewinding

CHROME = 14  # lines of the screen that are not the list while the panel is up
WIDE = 60
KEYS = "↑↓ choose   Enter goes on   Esc leaves everything as it is"
KEYS_OF_POINT = "↑↓ choose   Enter goes back   Esc shows the list again"


class RewindPanel(YieldingPanel):
    """First a point is chosen, newest first, then what of it: code, conversation or both.

    Words are no answer: they go into the prompt, and the panel closes.
    """

    class Closed(Message):
        """The panel is gone. `told` says what was done, "" for nothing."""

        def __init__(self, told: str = "", prompt: str = "") -> None:
            super().__init__()
            self.told = told
            self.prompt = prompt

    def __init__(self, rewind: "Rewinding", points: "tuple[Point, ...]") -> None:
        super().__init__()
        self._rewind = rewind
        self._points = points
        self._at = 0
        self._preview: Preview | None = None
        self._choice = 0
        self._error = ""
        self._text = Static(markup=False, id="rewind-text")
        self._body = VerticalScroll(self._text, id="rewind-body")
        self._body.can_focus = False
        self._keys = Static(markup=False, id="rewind-keys")

    def compose(self) -> "ComposeResult":
        yield self._body
        yield self._keys

    def on_mount(self) -> None:
        self._paint()
        self.focus()

    def on_resize(self) -> None:
        self._paint()

    def on_blur(self, event: "Blur") -> None:
        """While the panel is up no other widget gets the keys."""
        self.call_after_refresh(self._take_focus)

    def leave(self, text: str) -> None:
        super().leave(text)
        self.call_later(self._close)  # keys that wait for it are passed on first

    async def _on_key(self, event: "Key") -> None:
        if self.passed_on(event):
            return
        event.stop()
        event.prevent_default()
        if event.is_printable and event.character:
            self.leave(event.character)
        elif not self._quiet.too_early():
            await self._act(event.key)

    async def _act(self, key: str) -> None:
        match key:
            case "up":
                self._move(-1)
            case "down" | "tab":
                self._move(1)
            case "left":
                self._body.scroll_relative(y=-3, animate=False)
            case "right":
                self._body.scroll_relative(y=3, animate=False)
            case "enter":
                await self._enter()
            case "escape":
                self._back()
            case _:
                pass

    def _move(self, by: int) -> None:
        if self._preview is None:
            self._at = (self._at + by) % len(self._points)
        else:
            self._choice = (self._choice + by) % len(self._choices())
        self._paint()

    def _back(self) -> None:
        if self._preview is None:
            self._close()
        else:
            self._preview, self._error = None, ""
            self._paint()

    async def _enter(self) -> None:
        point = self._points[self._at]
        try:
            if self._preview is None:
                self._choice = 0
                self._preview = await self._rewind.preview(point)
                self._quiet.begin()
            else:
                what = self._choices()[self._choice][1]
                done = await self._rewind.restore(point, what, only_safe=True)
                self._close(told(point, what, done), done.prompt)
                return
        except ForUser as error:
            self._error = f"{error.message} ({error.hint})" if error.hint else error.message
        self._paint()

    def _close(self, what: str = "", prompt: str = "") -> None:
        self.post_message(self.Closed(what, prompt))
        self.remove()

    def _choices(self) -> "list[tuple[str, What]]":
        """What can be had of the chosen point."""
        preview = self._preview
        files = "the other files" if preview is not None and preview.conflicts else "code"
        code: tuple[str, What] = (f"{files} only", "code")
        if not self._points[self._at].conversation:
            return [code]
        talk: tuple[str, What] = ("conversation only", "conversation")
        if preview is None or not preview.files:
            return [talk]
        return [(f"{files} and conversation", "both"), code, talk]

    # -- painting ---------------------------------------------------------------------------------

    def _paint(self) -> None:
        # In code, because Textual ignores a max-height in vh when it sizes the panel again.
        self._body.styles.max_height = max(3, screen_height(self) - CHROME)
        self._text.update(self._list() if self._preview is None else self._shown(self._preview))
        self._keys.update(self._bottom())
        if self._preview is None:
            self.call_after_refresh(self._body.scroll_to, None, self._at - 2, animate=False)

    def _list(self) -> Content:
        width = max(WIDE, screen_width(self)) - 6
        lines = [
            point_line(point, width, chosen=place == self._at)
            for place, point in enumerate(self._points)
        ]
        title = Content.styled("Go back to before …", "bold")
        return Content("\n").join([title, *lines])

    def _shown(self, preview: "Preview") -> Content:
        point = self._points[self._at]
        title = foreign.line(f"Back to before {point.name}: {point.prompt}", 140, "bold")
        return Content("\n").join([title, preview_lines(preview)])

    def _bottom(self) -> Content:
        lines: list[Content] = []
        if self._error:
            lines.append(foreign.line(self._error, 600, "$text-error"))
        if self._preview is not None:
            for place, (words, _) in enumerate(self._choices()):
                chosen = place == self._choice
                sign = signs.PROMPT if chosen else " "
                lines.append(Content.styled(f"{sign} {words}", "reverse" if chosen else ""))
        keys = KEYS if self._preview is None else KEYS_OF_POINT
        lines.append(Content.styled(keys, "$muted"))
        return Content("\n").join(lines)

    def _take_focus(self) -> None:
        if self.is_attached and not self._left:
            self.focus()
