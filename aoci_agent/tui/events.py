"""From event to widget: one match over everything the loop can say."""

from typing import TYPE_CHECKING, Protocol, assert_never

from textual.content import Content

from aoci_agent.agent import events as happened
from aoci_agent.agent.approval import Answer, Decision, Question
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.policies.conversation import AssistantMessage, UserMessage
from aoci_agent.policies.digest import Digest
from aoci_agent.tui import foreign
from aoci_agent.tui.account_lines import saving_line
from aoci_agent.tui.figures import buckets, cost, seconds, tokens
from aoci_agent.tui.widgets.call import Call
from aoci_agent.tui.widgets.footer import Figures
from aoci_agent.tui.widgets.reply import Reply
from aoci_agent.tui.widgets.transcript import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aoci_agent.agent.gauge import Gauge
    from aoci_agent.agent.saving import Saving
    from aoci_agent.policies.conversation import Message
    from aoci_agent.tui.session import Status
    from aoci_agent.tui.widgets.activity import Activity
    from aoci_agent.tui.widgets.footer import Footer
    from aoci_agent.tui.widgets.transcript import Transcript


EARLIER = 40  # messages of a resumed session that are shown again


class Measured(Protocol):
    """What is shown of a session beside its events. Satisfied by `tui.session.Session`."""

    @property
    def status(self) -> "Status": ...

    def gauge(self) -> "Gauge | None": ...

    def cost(self) -> Totals: ...

    def turn(self) -> Totals: ...

    def saving(self) -> "Saving | None": ...


class Renderer:
    """Draws one session's events into the transcript, the activity line and the footer."""

    def __init__(
        self, session: Measured, transcript: "Transcript", activity: "Activity", footer: "Footer"
    ) -> None:
        self._session = session
        self._transcript = transcript
        self._activity = activity
        self._footer = footer
        self._reply: Reply | None = None
        self._calls: dict[str, Call] = {}
        self._questions: dict[str, Question] = {}
        self._turn: Totals | None = None
        self.answer = ""  # the newest text of the model, for copying

    def render(self, event: happened.Event) -> None:  # noqa: C901, PLR0912 - one arm per event
        """Show one event."""
        match event:
            case happened.SessionStarted() | happened.TurnStarted() | happened.Grew():
                pass  # on the screen already, or for the record only
            case happened.StepStarted():
                self._activity.note(f"waiting for the model ({tokens(event.prompt_tokens)} sent)")
            case happened.TextDelta(text):
                self._stream(text)
            case happened.ReasoningDelta():
                self._activity.note("thinking")
            case happened.CallDelta(name, characters):
                self._activity.note(f"writing a call of {name} ({tokens(characters)} characters)")
            case happened.Replied(message):
                self._replied(message.text)
            case happened.StepFinished(record):
                self._measured(record)
            case happened.ApprovalAsked(question):
                self._questions[question.call_id] = question
                self._activity.note("waiting for your answer")
            case happened.ApprovalAnswered(call_id, decision):
                self._answered(call_id, decision)
            case happened.ToolStarted(call, preview):
                self._started(call.id, preview.title or call.name)
            case happened.ToolFinished():
                self._finished(event)
            case happened.HistoryRewritten(reason):
                self._transcript.say_notice(f"history rewritten: {reason}")
            case happened.Notice(text, level):
                self._transcript.say_notice(text, level)
            case happened.TurnFinished():
                self._ended(event)
            case _:
                assert_never(event)

    def earlier(self, messages: "Sequence[Message]") -> None:
        """What was said before, of a session that is gone on with: its newest questions and answers."""
        for message in messages[-EARLIER:]:
            match message:
                case Digest():
                    self._transcript.say(message.text)
                case UserMessage(harness=False, question=question):
                    self._transcript.say_prompt(question or message.text)
                case AssistantMessage(text=text) if text.strip():
                    self._replied(text)
                case _:
                    pass

    def begin(self) -> None:
        """A turn begins."""
        self._turn = Totals()

    def close(self, *, interrupted: bool) -> None:
        """The turn is over; whatever still looks as if it ran does not."""
        for call in self._calls.values():
            call.interrupt()
        self._calls.clear()
        self._close_reply()
        if interrupted:
            # The cut call was metered after its last event could reach the screen.
            self._turn = self._session.turn()
            self._end_line("interrupted", self._turn, self._turn.seconds)
        self.refresh()

    def forget(self) -> None:
        """The conversation was cleared."""
        self._turn = self._reply = None
        self._calls.clear()
        self.answer = ""

    def refresh(self) -> None:
        """Read status and sums again."""
        session = self._session
        figures = Figures(session.status, session.gauge(), self._turn, session.cost())
        self._footer.show(figures)

    def _stream(self, text: str) -> None:
        if self._reply is None:
            if not text.strip():
                return
            text = text.lstrip("\n")
            self._reply = Reply()
            self._transcript.add(self._reply)
        self._reply.append(text)
        self._activity.note("answering")

    def _replied(self, text: str) -> None:
        if text.strip():
            if self._reply is None:
                self._reply = Reply()
                self._transcript.add(self._reply)
            self._reply.finish(text.strip("\n"))
            self.answer = text
        elif self._reply is not None:
            self._reply.remove()
        self._reply = None

    def _close_reply(self) -> None:
        if self._reply is not None:
            self.answer = self._reply.text
            self._reply.finish(self._reply.text)
            self._reply = None

    def _measured(self, record: StepRecord) -> None:
        self._turn = (self._turn or Totals()).plus(record)
        self.refresh()

    def _answered(self, call_id: str, decision: Decision) -> None:
        question = self._questions.pop(call_id, None)
        what = question.preview.title if question else ""
        if decision.answer is Answer.DENY:
            comment = f": {decision.comment}" if decision.comment else ""
            self._transcript.say_notice(f"you denied {what}{comment}", "warning")
        elif decision.answer is Answer.SESSION:
            rules = ", ".join(question.always) if question else ""
            self._transcript.say_notice(f"you allowed for this session: {rules}")
        elif decision.outside:
            self._transcript.say_notice(f"outside the sandbox, once: {what}", "warning")

    def _started(self, call_id: str, title: str) -> Call:
        self._close_reply()
        call = Call(title)
        self._calls[call_id] = call
        self._transcript.add(call)
        self._activity.note(f"running {title}")
        return call

    def _finished(self, event: happened.ToolFinished) -> None:
        call = self._calls.pop(event.call.id, None)
        if call is None:
            call = self._started(event.call.id, event.title or event.call.name)
            del self._calls[event.call.id]
        call.finish(event.result, event.status, event.seconds)
        self._activity.note("working")

    def _ended(self, event: happened.TurnFinished) -> None:
        self._close_reply()
        self._turn = event.turn
        if event.message and event.reason != "done":
            if event.reason in ("model", "overflow"):
                self._transcript.say_error(event.message)
            else:
                self._transcript.say_notice(event.message, "warning")
        if event.text.strip():
            self.answer = event.text
        self._end_line(event.reason, event.turn, event.seconds)
        self.refresh()

    def _end_line(self, reason: str, turn: Totals, took: float) -> None:
        done = reason == "done"
        steps = "1 step" if turn.steps == 1 else f"{turn.steps} steps"
        label = Content.styled(
            "done" if done else f"stopped: {reason}", "$text-success" if done else "$text-warning"
        )
        figures = f" · {steps} · {seconds(took)} · {cost(turn)} · {buckets(turn)}"
        parts = [Content.assemble(label, foreign.line(figures, 300, "$muted"))]
        if turn.disputed:
            told = (
                f"≠ the provider's cost of {turn.disputed} calls is not what our prices give: /cost"
            )
            parts.append(foreign.line(told, 300, "$text-warning"))
        if turn.steps and (saving := self._session.saving()) is not None:
            parts.append(foreign.line(saving_line(saving), 400, "$muted"))
        self._transcript.add(Block(Content("\n").join(parts), "ended"))
