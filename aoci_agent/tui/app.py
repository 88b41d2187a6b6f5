"""The terminal app: puts the widgets together and turns keys into actions."""

import asyncio
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.theme import Theme
from textual.widgets._static import Static

from aoci_agent.base.errors import AgentError, ForUser
from aoci_agent.tui import commands, foreign, signs
from aoci_agent.tui.approver import ScreenApprover
from aoci_agent.tui.history import PromptHistory
from aoci_agent.tui.session import Session
from aoci_agent.tui.signals import held_back, leave_on_signals
from aoci_agent.tui.stage import Stage, Widgets
from aoci_agent.tui.turns import Turns
from aoci_agent.tui.widgets.activity import Activity
from aoci_agent.tui.widgets.completions import Completions
from aoci_agent.tui.widgets.footer import Footer
from aoci_agent.tui.widgets.prompt import Prompt
from aoci_agent.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import Key, Paste

    from aoci_agent.tui.widgets.approval import ApprovalPanel
    from aoci_agent.tui.widgets.rewind import RewindPanel
    from aoci_agent.tui.widgets.trust import TrustPanel
    from aoci_agent.tui.widgets.yielding import YieldingPanel

CLOSE_WITHIN = 3.0  # seconds
TWICE_WITHIN = 2.0  # seconds between two Ctrl+C that quit
DARK = Theme(
    name="aoci",
    primary="#6aa5e8",
    secondary="#9fb4c7",
    accent="#7fc8c2",
    warning="#e0b45c",
    error="#e8736c",
    success="#84c47c",
    foreground="#d8dbe0",
    background="#14161a",
    surface="#1d2026",
    panel="#262a31",
    dark=True,
    variables={"muted": "#8b929e", "faint": "#565c66"},
)


class AgentApp(App[int], inherit_bindings=False):
    """The prompt is there at once; the session opens behind it."""

    CSS_PATH = "screen.tcss"
    TITLE = "aoci-agent"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "interrupt", show=False),
        Binding("ctrl+c", "clear_or_quit", show=False),
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("shift+tab", "next_mode", show=False, priority=True),
        Binding("ctrl+o", "toggle_outputs", show=False, priority=True),
        Binding("ctrl+y", "copy_answer", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]

    def __init__(
        self,
        session: Session,
        ask_through: ScreenApprover,
        first_prompt: str = "",
        banner: str = "",
        history: Path | None = None,
    ) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self._banner = banner
        self._first_prompt = first_prompt
        self._approver = ask_through
        self._history = PromptHistory(history)
        self._completions = Completions()
        self._on = Widgets(
            Transcript(id="transcript"),
            Activity(),
            Container(id="question"),
            Container(id="entry"),
            Prompt(self._history, self._completions),
            Footer(),
        )
        self._stage = Stage(session, self._on, self.action_leave)
        self._turns = Turns(session, self._stage)
        self._stage.work = self._turns.work
        self._quit_until = 0.0
        self._rewind_until = 0.0

    def compose(self) -> "ComposeResult":
        leave_on_signals(self)  # the first that is called once the terminal is raw
        if self._banner:
            yield Static(foreign.line(self._banner), markup=False, id="banner")
        yield self._on.transcript
        yield self._on.activity
        yield self._on.question
        with self._on.entry, Horizontal(id="line"):
            yield Static(signs.PROMPT, markup=False, id="sign")
            yield self._on.prompt
        yield self._completions
        yield self._on.footer

    def on_mount(self) -> None:
        self._on.prompt.focus()
        self._approver.attach(self._stage.present, self._stage.dismiss)
        self._stage.opening()
        self.call_after_refresh(self._open)

    async def on_unmount(self) -> None:
        """Every way out comes through here."""
        self._approver.detach()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_WITHIN):
                await self._turns.stop()
                await self._stage.session.close()

    async def on_prompt_sent(self, event: Prompt.Sent) -> None:
        command = commands.split(event.text)
        if command is None:
            if not self._turns.send(event.text):
                self._hint("still opening: it is sent as soon as the session is ready")
            return
        state = commands.State(opened=self._turns.opened, running=self._turns.running)
        try:
            await commands.dispatch(*command, self._stage, state)
        except AgentError as error:
            hint = error.hint if isinstance(error, ForUser) else ""
            self._on.transcript.say_error(str(error), hint)

    def on_approval_panel_typed(self, event: "ApprovalPanel.Typed") -> None:
        self._on.prompt.paste(event.text)

    def on_yielding_panel_typed(self, event: "YieldingPanel.Typed") -> None:
        self.screen.set_focus(self._on.prompt)  # at once: the keys behind it are its own
        self._on.prompt.paste(event.text)

    def on_trust_panel_answered(self, event: "TrustPanel.Answered") -> None:
        if event.trusted is not None:
            self._stage.decide_trust(trusted=event.trusted)
        self._stage.trust_decided()

    def on_rewind_panel_closed(self, event: "RewindPanel.Closed") -> None:
        self._on.prompt.focus()
        if event.told:
            self._stage.rewound(event.told, event.prompt)

    def on_key(self, event: "Key") -> None:
        """Typing while a tool call has the focus goes to the prompt."""
        if event.is_printable and event.character and self._stage.panel is None:
            self._on.prompt.focus()
            self._on.prompt.paste(event.character)

    def on_paste(self, event: "Paste") -> None:
        if self._stage.panel is None:
            self._on.prompt.focus()
        self._on.prompt.paste(event.text)

    async def action_leave(self) -> None:
        self.exit(0)

    async def action_interrupt(self) -> None:
        if self._turns.interrupt():
            self._on.activity.note("stopping")
        elif not self._turns.opened or self._on.prompt.text:
            self._rewind_until = 0.0
        elif self._rewind_until > time.monotonic():
            self._rewind_until = 0.0
            await self._stage.choose_point()
        else:
            self._rewind_until = time.monotonic() + TWICE_WITHIN
            self._hint("Esc again goes back to before a question")

    async def action_clear_or_quit(self) -> None:
        if selected := self.screen.get_selected_text():
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
        elif self._on.prompt.text:
            self._on.prompt.throw_away()
        elif self._quit_until > time.monotonic():
            await self.action_leave()
        else:
            self._quit_until = time.monotonic() + TWICE_WITHIN
            self._hint("Ctrl+C again quits")

    def action_next_mode(self) -> None:
        if self._turns.opened:
            self._stage.next_mode()

    def action_toggle_outputs(self) -> None:
        self._on.transcript.toggle_outputs()

    def action_copy_answer(self) -> None:
        self._hint(self._stage.copy_answer())

    def action_page(self, by: int) -> None:
        (self._stage.pages or self._on.transcript).page(by)

    def action_focus_call(self, by: int) -> None:
        """Move the focus among the tool calls; past the newest one it returns to the prompt."""
        if self._stage.panel is None and self._on.transcript.calls():
            (self._on.transcript.call_beside(self.focused, by) or self._on.prompt).focus()

    def action_focus_prompt(self) -> None:
        self._on.prompt.focus()

    async def _open(self) -> None:
        """After the first paint: the session, the history, the prompt of the command line."""
        if self._first_prompt:
            self._turns.send(self._history.mask.mask(self._first_prompt))
        self._turns.start()
        await asyncio.to_thread(self._history.load)

    def _hint(self, text: str) -> None:
        self._on.activity.hint(text, TWICE_WITHIN)


def run_app(
    session: Session,
    ask_through: ScreenApprover,
    first_prompt: str = "",
    banner: str = "",
    history: Path | None = None,
) -> int:
    """Run the screen until the person leaves; the exit code of the program.

    `ask_through` is the approver that was built into the session. `banner` labels the whole screen,
    for example "recorded replies". `history` is the file that keeps prompts across sessions.
    The session is closed on every way out.
    """
    app = AgentApp(session, ask_through, first_prompt, banner, history)
    with held_back():
        left_with = app.run()
    return left_with if left_with is not None else (app.return_code or 0)
