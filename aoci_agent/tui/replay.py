"""The screen on a session that is over: step by step, forwards and back, without a model."""

from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.widgets._static import Static

from aoci_agent.agent import events as happened
from aoci_agent.agent.meter import Totals
from aoci_agent.agent.mode import Mode
from aoci_agent.tui import diff, foreign
from aoci_agent.tui.app import DARK
from aoci_agent.tui.events import Renderer
from aoci_agent.tui.signals import leave_on_signals
from aoci_agent.tui.trajectory import Ending, Trajectory, figures, used
from aoci_agent.tui.widgets.activity import Activity
from aoci_agent.tui.widgets.footer import Footer
from aoci_agent.tui.widgets.transcript import Block, Transcript

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from aoci_agent.agent.events import Event
    from aoci_agent.agent.gauge import Gauge
    from aoci_agent.agent.saving import Saving

KEYS = "n next · p back · q quit · g first · G last · Ctrl+O outputs · PgUp PgDn scroll"
ENDING_LINES = 2_000


class _Status:
    """The session as it began; of another agent only what it is called."""

    def __init__(self, started: "happened.SessionStarted | None") -> None:
        self.model = started.model if started else ""
        self.policy = started.policy if started else "peer"
        self.mode = Mode(started.mode) if started else Mode.FULL_AUTO
        self.index_status = started.index_status if started else ""
        self.branch = started.branch if started else ""
        self.window: int | None = None
        self.sandbox = "recorded"
        self.trusted = True


class _Past:
    """What the renderer asks a session for: the sums up to the step that is shown."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.status = _Status(trajectory.started)
        self.sums = Totals()

    def gauge(self) -> "Gauge | None":
        return None

    def cost(self) -> Totals:
        return self.sums

    def turn(self) -> Totals:
        return self.sums

    def saving(self) -> "Saving | None":
        return None


class ReplayApp(App[int], inherit_bindings=False):
    """Shows all that happened up to one step; beyond the last step, what came of it."""

    CSS_PATH = "screen.tcss"
    CSS = "#step, #keys { height: 1; padding: 0 1; } #step { margin: 1 0 0 0; }"
    TITLE = "aoci-agent"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,right,space", "go(1)", show=False),
        Binding("p,left,backspace", "go(-1)", show=False),
        Binding("g,home", "first", show=False),
        Binding("G,end", "last", show=False),
        Binding("down", "focus_call(1)", show=False),
        Binding("up", "focus_call(-1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("ctrl+o", "toggle_outputs", show=False, priority=True),
        Binding("q,escape,ctrl+c,ctrl+q", "leave", show=False),
    ]

    def __init__(self, trajectory: Trajectory) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self._trajectory = trajectory
        self._steps = trajectory.steps()
        self._past = _Past(trajectory)
        self._at = 0
        self._about, self._step = Static(markup=False, id="banner"), Static(markup=False, id="step")
        self._transcript, self._activity = Transcript(id="transcript"), Activity()
        self._footer = Footer()
        self._footer.display = False  # window, mode and box are those of a session that is over
        self._renderer = self._new_renderer()

    @property
    def _last(self) -> int:
        return len(self._steps) + len(self._trajectory.endings) - 1

    def compose(self) -> "ComposeResult":
        leave_on_signals(self)
        yield self._about
        yield self._transcript
        yield self._activity
        yield self._step
        yield Static(foreign.line(KEYS, 200, "$muted"), markup=False, id="keys")
        yield self._footer

    async def on_mount(self) -> None:
        self._about.update(foreign.line(self._trajectory.about))
        self._show(0)
        self._tell()

    async def action_go(self, by: int) -> None:
        await self._go(self._at + by)

    async def action_first(self) -> None:
        await self._go(0)

    async def action_last(self) -> None:
        await self._go(self._last)

    def action_page(self, by: int) -> None:
        self._transcript.page(by)

    def action_toggle_outputs(self) -> None:
        self._transcript.toggle_outputs()

    def action_focus_call(self, by: int) -> None:
        """Move the focus among the calls."""
        call = self._transcript.call_beside(self.focused, by)
        self.set_focus(call)

    def action_focus_prompt(self) -> None:
        self.set_focus(None)

    def action_leave(self) -> None:
        self.exit(0)

    async def _go(self, to: int) -> None:
        to = max(0, min(self._last, to))
        if to < self._at:  # what is shown grows with the steps: going back draws it anew
            await self._transcript.remove_children()
            self._renderer = self._new_renderer()
            self._at = -1
        if not self._transcript.is_attached:
            return  # the screen closed meanwhile
        while self._at < to:
            self._at += 1
            self._show(self._at)
        self._transcript.anchor()
        self._tell()

    def _new_renderer(self) -> Renderer:
        return Renderer(self._past, self._transcript, self._activity, self._footer)

    def _show(self, number: int) -> None:
        if number >= len(self._steps):
            self._end(self._trajectory.endings[number - len(self._steps)])
            return
        for event in self._steps[number]:
            if isinstance(event, happened.TurnStarted):
                self._transcript.say_prompt(event.prompt)
                self._renderer.begin()
            else:
                self._renderer.render(event)

    def _end(self, ending: Ending) -> None:
        self._transcript.add(Block(foreign.line(ending.title, 200, "bold"), "said"))
        if ending.kind == "diff" and ending.text.strip():
            self._transcript.add(Block(diff.render(ending.text, ENDING_LINES), "said"))
        else:
            lines = ending.text.rstrip("\n").split("\n")
            self._transcript.say("\n".join(lines[-ENDING_LINES:]))

    def _tell(self) -> None:
        """Where one is, what that step used, and all up to there."""
        shown = self._steps[: self._at + 1]
        so_far: list[Event] = [event for step in shown for event in step]
        self._past.sums = used(so_far)
        steps = len(self._steps) - 1
        if self._at > steps:
            what = self._trajectory.endings[self._at - len(self._steps)].title
        elif self._at:
            what = f"step {self._at} of {steps} · {figures(used(self._steps[self._at]))}"
        else:
            what = f"the prompt; {steps} steps follow"
        told = f"{what} · so far {figures(self._past.sums)}" if self._at else what
        self._step.update(foreign.line(told, 200, "$text-accent"))
        self._renderer.refresh()


def run_replay(trajectory: Trajectory) -> int:
    """Look at it until the person leaves; the exit code of the program."""
    app = ReplayApp(trajectory)
    left_with = app.run()
    return left_with if left_with is not None else (app.return_code or 0)
