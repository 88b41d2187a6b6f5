"""The loop: ask the model, run what it calls, until it is done or a limit is reached."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import (
    CallDelta,
    Event,
    Grew,
    HistoryRewritten,
    Notice,
    ReasoningDelta,
    Replied,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolFinished,
    TurnStarted,
)
from aoci_agent.agent.limits import Guard, Limits, Stop, within
from aoci_agent.agent.meter import Meter
from aoci_agent.agent.models.model import (
    BrokenReply,
    CallPiece,
    ContextOverflow,
    Model,
    NoticePiece,
    ReasoningPiece,
    Reply,
    TextPiece,
)
from aoci_agent.agent.prompts import render
from aoci_agent.agent.record import Recorder
from aoci_agent.agent.turn import Turn
from aoci_agent.base.errors import ForUser
from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.conversation import ToolCall

ATTEMPTS = 3  # per step: cut streams, malformed replies, overflows that shrinking may cure


class Agent:
    """One conversation with one model. The session may exchange the model between turns."""

    def __init__(
        self,
        model: Model,
        conversation: Conversation,
        dispatcher: Dispatcher,
        recorder: Recorder,
        limits: Limits,
    ) -> None:
        self.model = model
        self.conversation = conversation
        self.meter = Meter()
        self._dispatcher = dispatcher
        self._recorder = recorder
        self._limits = limits

    async def run(
        self, prompt: str, note: str = "", candidates: Sequence[Candidate] = ()
    ) -> AsyncGenerator[Event]:
        """One turn. Cancelling or closing it stops model and command and leaves a valid history."""
        turn = Turn(Guard(self._limits))
        self.conversation.begin(prompt, note, candidates)
        try:
            yield self._record(TurnStarted(prompt))
            async with (
                aclosing(self._steps(turn)) as steps,
                aclosing(within(steps, turn.guard)) as events,
            ):
                async for event in events:
                    self._grew()
                    yield self._record(event)
            silent = "" if turn.text.strip() else "the model ended without an answer"
            finished = turn.finished("done", silent)
        except Stop as stop:
            finished = turn.finished(stop.reason, stop.message)
        except ForUser as error:
            hint = f" ({error.hint})" if error.hint else ""
            finished = turn.finished("model", f"{error.message}{hint}")
        except (asyncio.CancelledError, GeneratorExit):
            self._settle()
            self._record(turn.finished("interrupted", "interrupted by the user"))
            raise
        finally:
            self._settle()
        yield self._record(finished)

    async def _steps(self, turn: Turn) -> AsyncGenerator[Event]:
        while True:
            turn.guard.before_step(turn.totals, self.meter.session)
            async with aclosing(self._ask(turn)) as events:
                async for event in events:
                    yield event
            if turn.calls:
                async with aclosing(self._act(turn.calls, turn)) as events:
                    async for event in events:
                        yield event
                continue
            follow_up = self._follow_up(turn)
            if not follow_up:
                return
            yield Notice(follow_up)
            self.conversation.remind(follow_up)

    async def _ask(self, turn: Turn) -> AsyncGenerator[Event]:
        """One model call, asked again when the stream was cut or the window was too small."""
        failure = ""
        for _ in range(ATTEMPTS):
            try:
                async with aclosing(self._stream(turn)) as events:
                    async for event in events:
                        yield event
                return
            except BrokenReply as error:
                failure = str(error)
                yield Notice(f"{error}; nothing of it was run, asking again", "warning")
            except ContextOverflow as error:
                if not self.conversation.drop_old_outputs():
                    raise Stop(
                        "overflow", f"{error}; nothing is left to drop: /clear or a larger model"
                    ) from error
                yield HistoryRewritten(
                    "old tool outputs dropped: the window was full", self.conversation.messages
                )
        why = f"the model's reply failed {ATTEMPTS} times in a row: {failure}"
        raise Stop("model", f"{why} (try again, or another model)")

    async def _stream(self, turn: Turn) -> AsyncGenerator[Event]:
        request = self.conversation.request(self.model.window)
        call = self.meter.start(request, self.model, self.conversation.policy.name)
        yield StepStarted(turn.totals.steps + 1, call.prompt_tokens)
        try:
            async with aclosing(self.model.stream(request)) as pieces:
                async for piece in pieces:
                    call.saw(piece)
                    match piece:
                        case TextPiece(text):
                            yield TextDelta(text)
                        case ReasoningPiece(text):
                            yield ReasoningDelta(text)
                        case CallPiece(name, characters):
                            yield CallDelta(name, characters)
                        case NoticePiece(text):
                            yield Notice(text, "warning")
                        case Reply() as reply:
                            turn.calls, turn.text = reply.message.calls, reply.message.text
                            self.conversation.hear(reply.message)
                            yield Replied(reply.message)
            record = call.finish()
        except (BrokenReply, asyncio.CancelledError, GeneratorExit) as error:
            # Whatever was received has been paid for: a cut call is metered, as an estimate.
            record = call.abort(error)
            turn.spent(record)
            self._record(StepFinished(record, self.meter.session))
            if not isinstance(error, BrokenReply):
                self.conversation.hear_part(call.text)
            raise
        turn.spent(record)
        yield StepFinished(record, self.meter.session)

    async def _act(self, calls: tuple[ToolCall, ...], turn: Turn) -> AsyncGenerator[Event]:
        malformed = 0
        async with aclosing(self._dispatcher.run(calls)) as events:
            async for event in events:
                yield event
                if isinstance(event, ToolFinished):
                    malformed += event.result.malformed
                    nudge = turn.saw(event)
                    self.conversation.answer(event, nudge)
        turn.count_strike(malformed=malformed == len(calls))
        if rewritten := self.conversation.after_step():
            yield HistoryRewritten(f"policy {self.conversation.policy.name}", rewritten)

    def _follow_up(self, turn: Turn) -> str:
        """What to ask instead of ending: the rest of a cut reply, or the check that is missing."""
        if self.meter.last_finish == "length" and not turn.cut_asked:
            turn.cut_asked = True
            return render("cut")
        paths = turn.gate.due()
        return render("check", paths=paths) if paths else ""

    def _settle(self) -> None:
        """Leave a history that can be sent, and a record that has all of it."""
        self.conversation.close_open_calls()
        self._grew()

    def _grew(self) -> None:
        """Write down what the conversation grew by, before anything else is said of it."""
        if messages := self.conversation.grown():
            self._recorder.write(Grew(messages))

    def _record(self, event: Event) -> Event:
        self._recorder.write(event)
        return event
