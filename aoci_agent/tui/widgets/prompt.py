"""The prompt: several lines, history, folded pastes, completion of commands."""

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets._text_area import TextArea

from aoci_agent.base.terminal import clean
from aoci_agent.tui.pastes import Pastes

if TYPE_CHECKING:
    from textual.document._document import Location, Selection
    from textual.events import Key, Paste

    from aoci_agent.tui.history import PromptHistory
    from aoci_agent.tui.widgets.completions import Completions

PLACEHOLDER = "Ask for a change, or / for commands"


class Prompt(TextArea):
    """Enter sends. A paste never does, and a long one is a single unit that is sent in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+enter,ctrl+j,alt+enter", "newline", "new line", show=False),
        Binding("ctrl+c", "app.clear_or_quit", "clear", show=False),
        Binding("ctrl+d", "delete_or_leave", "quit", show=False),
        Binding("ctrl+r", "search_history", "search", show=False),
    ]

    class Sent(Message):
        """The person sent this text; folded pastes are unfolded."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, history: "PromptHistory", completions: "Completions") -> None:
        self.pastes = Pastes()
        self._history = history
        self._completions = completions
        self._search: tuple[str, int] | None = None
        super().__init__(
            id="prompt",
            compact=True,
            highlight_cursor_line=False,
            placeholder=Content(PLACEHOLDER),
        )

    # -- what the app does with it --------------------------------------------------------------

    def put(self, text: str) -> None:
        """Replace the text, cursor at its end."""
        self.load_text(clean(text))
        self.move_cursor(self.document.end)

    def give_back(self, text: str) -> None:
        """Return text that was not used, before whatever has been typed since."""
        if self.text.strip():
            self.put(f"{text}\n{self.text}")
        else:
            self.put(text)
            self.select_all()  # the next word typed replaces it; an arrow keeps it

    def throw_away(self) -> None:
        """Empty it; undo brings the text back."""
        self.clear()

    # -- keys -----------------------------------------------------------------------------------

    async def _on_key(self, event: "Key") -> None:
        if event.key != "ctrl+r":
            self._search = None
        self._offer()
        if event.key == "enter":
            self._taken(event)
            self._enter()
        elif event.key == "tab":
            self._taken(event)
            await self._tab()
        elif event.key == "escape" and self._completions.chosen:
            self._taken(event)
            self._completions.close()
        elif not event.is_printable:
            await self._run_bound(event)

    async def _run_bound(self, event: "Key") -> None:
        # Left to bubble, a bound key runs after the letters typed behind it: type-ahead would mix.
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            self._taken(event)
            await self.run_action(binding.action)

    async def _on_paste(self, event: "Paste") -> None:
        event.stop()
        event.prevent_default()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Insert pasted text; a long one is folded."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        folded = self.pastes.fold(text)
        shown = folded if folded != text else clean(text)
        self.replace(shown, *self.selection, maintain_selection_offset=False)

    def on_text_area_changed(self) -> None:
        self._offer()

    def action_newline(self) -> None:
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    def action_cursor_up(self, select: bool = False) -> None:  # noqa: FBT001, FBT002
        if self._completions.chosen and not select:
            self._completions.move(-1)
        elif select or not self.navigator.is_first_wrapped_line(self.cursor_location):
            super().action_cursor_up(select)
        elif (entry := self._history.older(self.pastes.unfold(self.text))) is not None:
            self.put(entry)

    def action_cursor_down(self, select: bool = False) -> None:  # noqa: FBT001, FBT002
        if self._completions.chosen and not select:
            self._completions.move(1)
        elif select or not self.navigator.is_last_wrapped_line(self.cursor_location):
            super().action_cursor_down(select)
        elif (entry := self._history.newer()) is not None:
            self.put(entry)

    def action_search_history(self) -> None:
        """Ctrl+R: the newest prompt that contains what is typed; again for an older one."""
        words, skip = self._search or (self.text, 0)
        if (entry := self._history.search(words, skip)) is not None:
            self.put(entry)
            self._search = (words, skip + 1)

    async def action_delete_or_leave(self) -> None:
        if self.text:
            self.action_delete_right()
        else:
            await self.run_action("app.leave")

    # -- a folded paste is one unit ---------------------------------------------------------------

    def validate_selection(self, selection: "Selection") -> "Selection":
        return type(selection)(self._outside(selection.start), self._outside(selection.end))

    def action_delete_left(self) -> None:
        if not self._delete_unit(before=True):
            super().action_delete_left()

    def action_delete_word_left(self) -> None:
        if not self._delete_unit(before=True):
            super().action_delete_word_left()

    def action_delete_right(self) -> None:
        if not self._delete_unit(before=False):
            super().action_delete_right()

    def action_delete_word_right(self) -> None:
        if not self._delete_unit(before=False):
            super().action_delete_word_right()

    def _delete_unit(self, *, before: bool) -> bool:
        row, column = self.cursor_location
        span = self.pastes.span_at(self.document.get_line(row), column)
        if self.selection.start != self.selection.end or span is None:
            return False
        if column != span[1 if before else 0]:
            return False
        self.delete((row, span[0]), (row, span[1]), maintain_selection_offset=False)
        return True

    def _unfold_here(self) -> None:
        """Show the paste that the cursor touches in full."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        if span := self.pastes.span_at(line, column):
            whole = clean(self.pastes.unfold(line[slice(*span)]))
            self.replace(whole, (row, span[0]), (row, span[1]), maintain_selection_offset=False)

    def _outside(self, place: "Location") -> "Location":
        row, column = place
        if row >= self.document.line_count:
            return place
        span = self.pastes.span_at(self.document.get_line(row), column)
        if span is None or column in span:
            return place
        was_right = self.cursor_location >= (row, span[1])
        return (row, span[0] if was_right else span[1])

    # -- sending ----------------------------------------------------------------------------------

    def _taken(self, event: "Key") -> None:
        event.stop()
        event.prevent_default()

    def _enter(self) -> None:
        chosen = self._completions.chosen
        typed = self.text.strip()
        if chosen and typed[1:] not in (chosen.name, *chosen.aliases):
            self._complete(chosen.name)
        elif typed:
            text = self._history.add(self.pastes.unfold(self.text).strip("\n"))
            self.load_text("")
            self.pastes.forget()
            self.post_message(self.Sent(text))

    async def _tab(self) -> None:
        if chosen := self._completions.chosen:
            self._complete(chosen.name)
        elif self.text:
            self._unfold_here()
        else:
            await self.run_action("app.focus_call(-1)")

    def _complete(self, name: str) -> None:
        self.put(f"/{name} ")

    def _offer(self) -> None:
        self._completions.offer_for(self.text)
