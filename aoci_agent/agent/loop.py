"""The loop: ask the model, run what it calls, until it is done or a limit is reached."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace

from aoci_agent.agent.budget import Budget
from aoci_agent.agent.compaction import Choice, Compaction
from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import (
    CallDelta,
    Event,
    HistoryRewritten,
    Notice,
    ReasoningDelta,
    Replied,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from aoci_agent.agent.limits import Stop, within
from aoci_agent.agent.masking import Streamed, hidden
from aoci_agent.agent.meter import Meter
from aoci_agent.agent.models.model import (
    BrokenReply,
    CallPiece,
    ContextOverflow,
    Model,
    NoticePiece,
    Piece,
    ReasoningPiece,
    Reply,
    TextPiece,
)
from aoci_agent.agent.prompts import render
from aoci_agent.agent.record import Recorder
from aoci_agent.agent.turn import Turn
from aoci_agent.base.cancelled import carried
from aoci_agent.base.errors import ForUser
from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.conversation import ToolCall

ATTEMPTS = 3  # per step: cut streams, malformed replies, overflows that making room may cure


class Agent:
    """One conversation with one model. The session may exchange the model between turns."""

    def __init__(
        self,
        model: Model,
        conversation: Conversation,
        dispatcher: Dispatcher,
        recorder: Recorder,
        budget: Budget,
        compaction: Choice = "auto",
    ) -> None:
        self.model = model
        self.conversation = conversation
        self.meter = Meter()
        self.dispatcher = dispatcher
        self.recorder = recorder
        self.budget = budget
        self.compaction = Compaction(conversation, self.meter, budget, recorder.write, compaction)
        self._sent = 0  # tokens of the newest request, counted locally

    async def run(
        self, prompt: str, note: str = "", candidates: Sequence[Candidate] = ()
    ) -> AsyncGenerator[Event]:
        """One turn. Cancelling or closing it stops model and command and leaves a valid history.

        A CancelledError carries the calls that ended with it, each as a ToolFinished.
        """
        turn = Turn(self.budget.guard())
        self.compaction.new_turn()
        prompt = self.conversation.begin(prompt, note, candidates)
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
            finished = turn.finished("model", _said(error))
        except (asyncio.CancelledError, GeneratorExit) as error:
            self._settle(turn, turn.finished("interrupted", "interrupted by the user"))
            if isinstance(error, GeneratorExit):
                raise
            raise asyncio.CancelledError(*turn.cut) from error
        finally:
            self.conversation.end()
            self.budget.release()
        settled = self._settle(turn, finished)
        for event in (*turn.cut, settled):
            yield event

    async def compact(self, focus: str) -> AsyncGenerator[Event]:
        """Digest and summarise the conversation now, between two turns."""
        made = self.compaction.by_hand(self.model, focus, lambda _: None)
        try:
            async with aclosing(made) as events:
                async for event in events:
                    yield self._record(event)
        finally:
            self.budget.release()

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
        failure, overflow = "", False
        for _ in range(ATTEMPTS):
            room = self.compaction.before_call(self.model, turn.spent)
            async with aclosing(room) as events:
                async for event in events:
                    yield event
            overflow = False
            try:
                async with aclosing(self._stream(turn)) as events:
                    async for event in events:
                        yield event
                for near in self.budget.near(self.meter.session):
                    yield Notice(near, "warning")
                return
            except BrokenReply as error:
                failure = str(error)
                yield Notice(f"{error}; nothing of it was run, asking again", "warning")
            except ContextOverflow as error:
                failure, overflow = str(error), True
                self.budget.release()
                self.compaction.refused(self.model, self._sent, error)
                yield Notice(f"{error}; making room", "warning")
        if overflow:
            raise Stop("overflow", f"{failure}, also after making room (/clear, or a larger model)")
        why = f"the model's reply failed {ATTEMPTS} times in a row: {failure}"
        raise Stop("model", f"{why} (try again, or another model)")

    async def _stream(self, turn: Turn) -> AsyncGenerator[Event]:
        request = self.conversation.request(self.model.window)
        call = self.meter.start(request, self.model, self.conversation.policy.name)
        ahead, recorded = call.ahead.usage, self.model.recorded
        self.budget.before(ahead, self.meter.session, recorded=recorded)
        self._sent = call.prompt_tokens
        if free := self.budget.unbound(self.model):
            yield Notice(free, "warning")
        yield StepStarted(turn.totals.steps + 1, call.prompt_tokens)
        told = Streamed(self.conversation.mask), Streamed(self.conversation.mask)
        try:
            async with aclosing(self.model.stream(request)) as pieces:
                async for piece in pieces:
                    call.saw(piece)
                    for event in _told(piece, *told):
                        yield event
                    if isinstance(piece, Reply):
                        heard = self.conversation.hear(piece.message)
                        turn.calls, turn.text = piece.message.calls, heard.text
                        yield Replied(heard)
            record = call.finish()
        except (BrokenReply, asyncio.CancelledError, GeneratorExit) as error:
            # Whatever was received has been paid for: a cut call is metered, as an estimate.
            record = call.abort(error)
            turn.spent(record)
            self.budget.after(record)
            self._record(StepFinished(record, self.meter.session))
            if not isinstance(error, BrokenReply) and not call.replied:
                self.conversation.hear_part(call.text)
            raise
        turn.spent(record)
        self.budget.after(record)
        self.compaction.scale.learn(self.model.name, call.prompt_tokens, record.usage)
        yield StepFinished(record, self.meter.session)

    async def _act(self, calls: tuple[ToolCall, ...], turn: Turn) -> AsyncGenerator[Event]:
        """Run the calls. A start is in the record before the effect, an answer before anything else."""
        malformed = 0
        with self._kept(turn):
            async with aclosing(self.dispatcher.run(calls)) as events:
                async for happened in events:
                    event = hidden(happened, self.conversation.mask)
                    if isinstance(event, ToolStarted):
                        self.conversation.start(event.call)
                    stop = None
                    if isinstance(event, ToolFinished):
                        malformed += event.result.malformed
                        stop = self._answer(event, turn)
                    yield event
                    if stop is not None:
                        raise stop
        turn.count_strike(malformed=malformed == len(calls))
        if rewritten := self.conversation.after_step():
            self._grew()
            self.conversation.rewrite(rewritten, self.conversation.opening)
            reason = f"policy {self.conversation.policy.name}"
            yield HistoryRewritten(reason, rewritten)

    def _answer(self, event: ToolFinished, turn: Turn) -> Stop | None:
        """Store a result, whatever comes of it; the stop where the turn must end behind it."""
        try:
            nudge, stop = turn.saw(event), None
        except Stop as repeated:
            nudge, stop = "", repeated
        self.conversation.answer(event, nudge)
        return stop

    @contextmanager
    def _kept(self, turn: Turn) -> Generator[None]:
        """Store what a cancellation carries of the calls that it cut off; it goes on."""
        try:
            yield
        except asyncio.CancelledError as cut:
            by = "the limit of time" if turn.guard.remaining == 0 else "the person"
            for finished in carried(cut, ToolFinished):
                event = hidden(finished, self.conversation.mask)
                turn.cut.append(self.conversation.cut(event, by=by))
            raise

    def _follow_up(self, turn: Turn) -> str:
        """What to ask instead of ending: the rest of a cut reply, or the check that is missing."""
        if self.meter.last_finish == "length" and not turn.cut_asked:
            turn.cut_asked = True
            return render("cut")
        paths = turn.gate.due()
        return render("check", paths=paths) if paths else ""

    def _settle(self, turn: Turn, finished: TurnFinished) -> TurnFinished:
        """Leave a history that can be sent, and a record that has all of it, or say why it has not."""
        self.conversation.end()
        self.budget.release()
        try:
            self._grew()
            for event in (*turn.cut, finished):
                self.recorder.write(event)
        except ForUser as error:
            told = dict.fromkeys((finished.message, _said(error)))  # often the same, twice
            message = "; ".join(filter(None, told))
            reason = "model" if finished.reason == "done" else finished.reason
            return replace(finished, reason=reason, message=message)
        return finished

    def _grew(self) -> None:
        """Write down what the conversation grew by, before anything else is said of it."""
        self.conversation.write_grown(self.recorder.write)

    def _record(self, event: Event) -> Event:
        self.recorder.write(event)
        return event


def _told(piece: Piece, text: Streamed, thought: Streamed) -> Iterator[Event]:
    """What is shown of a reply while it comes."""
    match piece:
        case TextPiece(more):
            yield from map(TextDelta, text.more(more))
        case ReasoningPiece(more):
            yield from map(ReasoningDelta, thought.more(more))
        case CallPiece(name, characters):
            yield CallDelta(name, characters)
        case NoticePiece(said):
            yield Notice(said, "warning")
        case Reply():
            yield from map(ReasoningDelta, thought.rest())
            yield from map(TextDelta, text.rest())


def _said(error: ForUser) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message
