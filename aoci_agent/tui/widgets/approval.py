"""The approval panel: what would run, exactly, and four answers. Deny is the default."""

import re
from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets._input import Input
from textual.widgets._static import Static

from aoci_agent.agent.approval import Answer, Decision, Question
from aoci_agent.base.terminal import one_line
from aoci_agent.tui import diff, foreign
from aoci_agent.tui.exactly import exact_command, exact_lines, warnings
from aoci_agent.tui.quiet_keys import QuietKeys
from aoci_agent.tui.surroundings import screen_height, screen_width

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.events import Blur, Click, Key, Paste
    from textual.timer import Timer

WORDS = {
    "y": "yes, once",
    "a": "always",
    "o": "yes, outside the sandbox",
    "n": "no",
    "c": "no, with a comment",
}
SETTLE = 0.4  # seconds in which a letter that answers may turn out to begin a word
CHROME = 18  # lines of the screen that are not the body while a question is up
MOVES = {"left": -1, "right": 1, "tab": 1}
SCROLLS = {"up": -1, "down": 1, "space": 1}


class Comment(Input):
    """One line for the model: why not. Enter denies with it, Esc goes back."""

    class Written(Message):
        """`words` is None when the person went back."""

        def __init__(self, words: str | None) -> None:
            super().__init__()
            self.words = words

    def __init__(self) -> None:
        super().__init__(id="comment", compact=True, placeholder="what should it do instead?")

    async def _on_key(self, event: "Key") -> None:
        if event.key in ("enter", "escape"):
            event.stop()
            event.prevent_default()
            self.finish(event.key)

    def finish(self, key: str) -> None:
        """Enter hands the words over, Esc goes back."""
        self.post_message(self.Written(self.value if key == "enter" else None))

    def _on_paste(self, event: "Paste") -> None:
        event.stop()
        event.prevent_default()
        self.insert_text_at_cursor(one_line(event.text, 2000))


class ApprovalPanel(Vertical, can_focus=True):
    """Holds the future of one question.

    Keys are ignored until none came for 0.3 s, so that somebody typing a prompt when the panel
    appears does not answer it: what they type goes on into the prompt. Later too, words are no
    answer: a letter counts once no other key came for 0.4 s, any other letter goes into the prompt,
    and all that follow it; and while a prompt is being written, arrows and Enter answer only.
    """

    class Typed(Message):
        """Text meant for the prompt."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self,
        question: Question,
        answered: "asyncio.Future[Decision]",
        drafting: "Callable[[], bool]" = bool,
    ) -> None:
        """`drafting` says whether there is text in the prompt."""
        super().__init__()
        self.question = question
        self._drafting = drafting
        self._letter = ""  # that answers, unless another key follows at once
        self._timer: Timer | None = None
        self._answered = answered
        self._comment: Comment | None = None
        self._at = self._choices.index("n")
        self._quiet = QuietKeys()
        self._body = VerticalScroll(Static(markup=False, id="approval-text"), id="approval-body")
        self._body.can_focus = False
        self._more = Static(markup=False, id="approval-more")
        self._keys = Static(markup=False, id="approval-keys")

    def compose(self) -> "ComposeResult":
        preview = self.question.preview
        title = preview.title or self.question.tool
        yield Static(_title(preview.kind, title), markup=False, id="approval-title")
        yield self._body
        yield self._more
        yield Static(self._why(), markup=False, id="why")
        yield self._keys

    def on_mount(self) -> None:
        self._quiet.begin()
        self.query_one("#approval-text", Static).update(self._text())
        self.watch(self._body, "scroll_y", self._paint_more, init=False)
        self.watch(self._body, "max_scroll_y", self._paint_more, init=False)
        self._paint_keys()
        self._fit()
        self.focus()

    def on_resize(self) -> None:
        self._fit()
        self.query_one("#approval-text", Static).update(self._text())
        self.call_after_refresh(self._paint_more)
        self._paint_keys()

    def on_blur(self, event: "Blur") -> None:
        """While a question is open no other widget gets the keys, except the comment's input."""
        self.call_after_refresh(self._take_focus)

    def on_paste(self, event: "Paste") -> None:
        event.stop()
        self.post_message(self.Typed(event.text))

    async def _on_key(self, event: "Key") -> None:
        typed = event.character if event.is_printable else None
        if self._comment is not None:
            # Typed before the comment's own line had the focus: words, never an answer.
            if typed:
                self._comment.insert_text_at_cursor(typed)
            elif event.key in ("enter", "escape"):
                self._comment.finish(event.key)
        elif self._quiet.too_early():
            if typed:
                self.post_message(self.Typed(typed))
        elif typed and typed != " ":
            self._spell(typed)
        elif not self._key(event.key):
            return
        event.stop()
        event.prevent_default()

    def _spell(self, typed: str) -> None:
        """A letter: an answer when it stays alone, else the beginning of words for the prompt."""
        if self._letter or typed not in self._choices or self._drafting():
            self.post_message(self.Typed(self._taken() + typed))
            self._quiet.begin()
            self.call_after_refresh(self._paint_keys)
        else:
            self._letter = typed
            self._at = self._choices.index(typed)
            self._paint_keys()
            self._timer = self.set_timer(SETTLE, self._settle)

    def _settle(self) -> None:
        if letter := self._taken():
            self._choose(letter)

    def _taken(self) -> str:
        """The letter that waits, which waits no more."""
        if self._timer is not None:
            self._timer.stop()
        letter, self._letter, self._timer = self._letter, "", None
        return letter

    def _key(self, key: str) -> bool:
        self._taken()
        if key in ("enter", "escape"):
            self._choose("n" if key == "escape" else self._choices[self._at])
        elif key in MOVES:
            self._at = (self._at + MOVES[key]) % len(self._choices)
            self._paint_keys()
        elif key in SCROLLS:
            self._body.scroll_relative(y=SCROLLS[key], animate=False)
        else:
            return False
        return True

    @property
    def _choices(self) -> list[str]:
        """Those that are offered for this question."""
        offered = {"a": bool(self.question.always), "o": self.question.confined}
        return [name for name in WORDS if offered.get(name, True)]

    def on_click(self, event: "Click") -> None:
        event.stop()

    @property
    def overflows(self) -> bool:
        """There is more of the command or diff than fits."""
        return self._body.max_scroll_y > 0

    def page(self, by: int) -> None:
        """Scroll the command or diff by a page."""
        self._body.scroll_relative(y=by * max(1, self._body.size.height - 1), animate=False)

    def deny(self, comment: str = "") -> None:
        """Answer no."""
        self._resolve(Decision(Answer.DENY, comment))

    def _choose(self, key: str) -> None:
        if key == "n":
            self.deny()
        elif key == "c":
            self._ask_comment()
        elif self.question.preview.kind != "diff" and self._below() > 0:
            self.page(1)  # a command is approved only when its end has been on the screen
        elif key == "a":
            self._resolve(Decision(Answer.SESSION))
        else:
            self._resolve(Decision(Answer.ONCE, outside=key == "o"))

    def _ask_comment(self) -> None:
        self._comment = Comment()
        self.mount(self._comment)
        self._comment.focus()

    def on_comment_written(self, event: "Comment.Written") -> None:
        """The words are there, or None when the person went back."""
        event.stop()
        if event.words is None and self._comment is not None:
            self._comment.remove()
            self._comment = None
            self.focus()
        else:
            self.deny(event.words or "")

    def _resolve(self, decision: Decision) -> None:
        if not self._answered.done():
            self._answered.set_result(decision)

    def _fit(self) -> None:
        # In code, because Textual ignores a max-height in vh when it sizes the panel again.
        height = screen_height(self)
        self._body.styles.max_height = max(2, min(height - CHROME, height * 2 // 5))

    def _take_focus(self) -> None:
        if self.is_attached and self._comment is None:
            self.focus()

    def _text(self) -> Content:
        preview = self.question.preview
        if preview.kind == "diff":
            shown = diff.render(preview.body)
        elif preview.kind == "command":
            shown = exact_command(preview.body or preview.title)
        else:
            shown = foreign.block(preview.body)
        return Content.assemble(shown, *self._parts(), *([] if self._fits() else self._grants()))

    def _parts(self) -> list[Content]:
        """The parts that need consent, where they are not all of the command."""
        parts = self.question.parts
        if not parts or parts == (self.question.preview.body,):
            return []
        return [Content.styled("\nneeds your consent:\n", "$muted"), exact_lines(parts)]

    def _why(self) -> Content:
        reason = foreign.line(f"the model asks; {self.question.reason}".rstrip("; "), 300, "$muted")
        box = self.question.box
        style = "$text-warning" if re.search(r"NO SANDBOX|partial|NETWORK", box) else "$muted"
        return Content("\n").join([reason, foreign.line(box, 300, style)] if box else [reason])

    def _fits(self) -> bool:
        """What "always" grants is one rule, short enough for the line of the keys."""
        always = self.question.always
        return len(always) == 1 and len(exact_lines(always).plain) + 45 < screen_width(self)

    def _grants(self) -> list[Content]:
        """The rules that "always" adds, exactly, one a line."""
        always = self.question.always
        if not always:
            return []
        told = Content.styled("\na allows in this session:", "$muted")
        return [
            told,
            Content(" " if self._fits() else "\n"),
            exact_lines(always, "" if self._fits() else "  "),
        ]

    def _below(self) -> int:
        return max(0, int(self._body.max_scroll_y - self._body.scroll_y))

    def _paint_more(self) -> None:
        below = self._below()
        notes = [f"↓ {below} more lines: Down or PageDown"] if below else []
        if self.question.preview.kind == "command":
            notes += warnings(self.question.preview.body or self.question.preview.title)
        self._more.display = bool(notes)
        self._more.update(foreign.block("\n".join(notes), "$text-warning"))

    def _paint_keys(self) -> None:
        parts = [
            Content.styled(f" {name} {WORDS[name]} ", "reverse" if self._at == place else "")
            for place, name in enumerate(self._choices)
        ]
        if self._drafting():
            parts.append(Content.styled("(arrows and Enter: letters go to the prompt)", "$muted"))
        self._keys.update(
            Content.assemble(Content(" ").join(parts), *(self._grants() if self._fits() else []))
        )


def _title(kind: str, title: str) -> Content:
    asks = {"diff": "Allow this edit?", "command": "Run this command?"}.get(kind, "Allow this?")
    shown = foreign.line(title, 300, "$muted")
    return Content.assemble((asks, "$text-warning bold"), "  ", shown)
