"""What turns and commands are shown on: the widgets of the screen, spoken to in one place."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from aoci_agent.base.errors import ForUser
from aoci_agent.base.terminal import clean
from aoci_agent.tui.surroundings import copy
from aoci_agent.tui.welcome import OPENING, offers, welcome
from aoci_agent.tui.widgets.transcript import Block

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from textual.containers import Container

    from aoci_agent.agent.approval import Decision, Question
    from aoci_agent.agent.events import Event, SessionStarted
    from aoci_agent.tui.events import Renderer
    from aoci_agent.tui.session import Session
    from aoci_agent.tui.widgets.activity import Activity
    from aoci_agent.tui.widgets.approval import ApprovalPanel
    from aoci_agent.tui.widgets.footer import Footer
    from aoci_agent.tui.widgets.prompt import Prompt
    from aoci_agent.tui.widgets.transcript import Transcript
    from aoci_agent.tui.widgets.trust import TrustPanel


@dataclass(frozen=True, slots=True)
class Widgets:
    """The places on the screen."""

    transcript: "Transcript"
    activity: "Activity"
    question: "Container"
    entry: "Container"
    prompt: "Prompt"
    footer: "Footer"


def _nothing(events: "AsyncGenerator[Event]", title: str) -> None:
    """Before there are turns."""


class Stage:
    """Shows turns (`turns.View`), serves commands (`commands.Front`) and puts up questions."""

    def __init__(
        self, session: "Session", widgets: Widgets, leave: Callable[[], Awaitable[None]]
    ) -> None:
        self.session = session
        self.leave = leave
        self.work: Callable[[AsyncGenerator[Event], str], None] = _nothing
        self.panel: ApprovalPanel | None = None
        self._trust_panel: TrustPanel | None = None
        self._on = widgets
        self._renderer: Renderer | None = None
        self._welcome = Block(OPENING, "welcome")

    @property
    def pages(self) -> "ApprovalPanel | TrustPanel | None":
        """The question that is up and longer than its place."""
        panels = (self.panel, self._trust_panel)
        return next((panel for panel in panels if panel is not None and panel.overflows), None)

    @property
    def answer(self) -> str:
        """The newest text of the model."""
        return self._renderer.answer if self._renderer else ""

    def copy_answer(self) -> str:
        """Put it on the clipboard, its controls shown; what to say of it."""
        if not self.answer:
            return "there is no answer to copy yet"
        copy(self._on.prompt, clean(self.answer))
        return "copied the last answer"

    # -- turns ------------------------------------------------------------------------------------

    def opening(self) -> None:
        """The session opens; this is the first thing on the screen."""
        self._on.transcript.add(self._welcome)

    async def opened(self, started: "SessionStarted") -> None:
        """Say what was opened. Heavy modules are loaded here, behind the prompt."""
        await asyncio.to_thread(import_module, "aoci_agent.tui.widgets.approval")
        events = await asyncio.to_thread(import_module, "aoci_agent.tui.events")
        on = self._on
        renderer = events.Renderer(self.session, on.transcript, on.activity, on.footer)
        self._renderer = renderer
        status = self.session.status
        self._welcome.update(welcome(started, status, on.transcript.size.width))
        self.status_changed()
        renderer.earlier(self.session.messages)
        for notice in self.session.notices:
            self.happened(notice)
        self.ask_trust(started.root)
        if not status.model:
            self.say(offers(await self.session.models()))

    def turn_began(self, prompt: str) -> None:
        """A prompt is being worked on."""
        self._on.transcript.say_prompt(prompt)
        self._on.activity.begin("starting")
        if self._renderer:
            self._renderer.begin()

    def work_began(self, title: str) -> None:
        """Something that takes a while and is no turn."""
        self._on.activity.begin(title)

    def work_over(self, *, interrupted: bool) -> None:
        """It ended."""
        self._on.activity.end()
        if interrupted:
            self._on.transcript.say_notice("interrupted; nothing was changed", "warning")
        self.status_changed()

    def happened(self, event: "Event") -> None:
        """Something happened in the turn."""
        if self._renderer:
            self._renderer.render(event)

    def turn_over(self, *, interrupted: bool) -> None:
        """The turn ended, cleanly or not."""
        self._on.activity.end()
        if self._renderer:
            self._renderer.close(interrupted=interrupted)

    def failed(self, message: str, hint: str) -> None:
        """An error that a person must act on."""
        if self._renderer is None:
            hint = f"{hint + '; ' if hint else ''}Enter tries again"
        self._on.activity.end()
        self._on.transcript.say_error(message, hint)

    def give_back(self, text: str) -> None:
        """Return words that were not used."""
        self._on.prompt.give_back(text)

    def queue_changed(self, waiting: tuple[str, ...]) -> None:
        """These prompts wait."""
        self._on.activity.queue(waiting)

    # -- commands ---------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Show plain text."""
        self._on.transcript.say(text)

    def start_over(self) -> None:
        """Empty the transcript."""
        self._on.transcript.clear()
        if self._renderer:
            self._renderer.forget()

    async def choose_point(self) -> None:
        """Put up the rewind panel; it has the keys until one is chosen, or Esc."""
        from aoci_agent.tui.widgets.rewind import RewindPanel

        try:
            points = await self.session.rewind.points()
        except ForUser as error:
            self._on.transcript.say_error(error.message, error.hint)
            return
        if not points:
            self.say("there is no question to go back to yet")
        elif not self._on.question.children:
            self._on.question.mount(RewindPanel(self.session.rewind, points))

    def rewound(self, what: str, prompt: str) -> None:
        """Show the conversation as it is now, and the question that can be asked anew."""
        if self._renderer:
            self.start_over()
            self._renderer.earlier(self.session.messages)
        self._on.transcript.say_notice(what)
        if prompt:
            self._on.prompt.give_back(prompt)
        self.status_changed()

    def ask_trust(self, folder: str) -> None:
        """Ask whether the folder is trusted, unless that is decided; nothing waits for the answer."""
        from aoci_agent.tui.widgets.trust import TrustPanel

        if self.session.trust.state in ("unknown", "changed"):
            self._trust_panel = TrustPanel(folder, self.session.trust)
            self._on.question.screen.mount(self._trust_panel, before=self._on.question)

    def decide_trust(self, *, trusted: bool) -> None:
        """Keep the answer, and say what it changes."""
        try:
            self._on.transcript.say_notice(self.session.set_trust(trusted=trusted))
        except ForUser as error:
            self._on.transcript.say_error(error.message, error.hint)

    def trust_decided(self) -> None:
        """The question is answered, or put off; the prompt has the keys again."""
        if self._trust_panel is not None:
            self._on.prompt.focus()
            self._trust_panel.remove()
            self._trust_panel = None
        self.status_changed()

    def status_changed(self) -> None:
        """Show status and figures again."""
        if self._renderer:
            self._renderer.refresh()
            self._on.entry.set_classes(f"mode-{self.session.status.mode}")

    def next_mode(self) -> None:
        """Step through the modes that ask, then around; full-auto is only left this way."""
        from aoci_agent.agent.approval import Mode

        modes = list(Mode)
        at = modes.index(self.session.status.mode)
        refused: ForUser | None = None
        for mode in (*modes[at + 1 :], *modes[: at + 1]):
            if mode is Mode.FULL_AUTO:
                continue
            try:
                self.session.set_mode(mode)
                break
            except ForUser as error:  # it may not hold here: said once, and the next one is tried
                refused = refused or error
        if refused is not None:
            self._on.transcript.say_error(refused.message, refused.hint)
        self.status_changed()

    # -- questions --------------------------------------------------------------------------------

    def present(self, question: "Question", answered: "asyncio.Future[Decision]") -> None:
        """Put up the approval panel; it has the keys until it is answered."""
        from aoci_agent.tui.widgets.approval import ApprovalPanel

        self.panel = ApprovalPanel(question, answered, lambda: bool(self._on.prompt.text.strip()))
        self._on.question.mount(self.panel)

    def dismiss(self) -> None:
        """Take the panel down and give the keys back to the prompt."""
        if self.panel is not None:
            # First the focus, at once: a panel that goes with it hands it to some tool call, and the
            # transcript scrolls there and stops following.
            if self._on.prompt.is_attached:
                self._on.prompt.screen.set_focus(self._on.prompt, scroll_visible=False)
            self.panel.remove()
            self.panel = None
