"""A summary written by the model itself: a side call, metered, in pieces where the text is too long for one."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing

from aoci_agent.agent.budget import Budget
from aoci_agent.agent.events import Event, Notice, StepFinished
from aoci_agent.agent.limits import Stop
from aoci_agent.agent.meter import Meter, StepRecord
from aoci_agent.agent.models.model import BrokenReply, Model, ModelError, Reply, Request
from aoci_agent.agent.prompts import render
from aoci_agent.agent.room import reply_room
from aoci_agent.base import tokens
from aoci_agent.base.errors import ForUser
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from aoci_agent.policies.layers import Layer, Prefix

PURPOSE = "summary"
_OUTPUT = 150  # tokens of a tool's output that the transcript holds
_SAID = 600  # and of a message
_UNKNOWN = 32_000  # tokens of a piece where the window is not known
_PIECES = 8  # the newest ones; more would cost more than they tell
_AROUND = 200  # tokens of a request beside prompt and piece
_WORDS = 0.6  # words per token of English


class Summariser:
    """Writes one summary at a time into `text`; "" when the model could not."""

    def __init__(self, meter: Meter, budget: Budget, write: Callable[[Event], None]) -> None:
        self.text = ""
        self._meter = meter
        self._budget = budget
        self._write = write

    async def run(
        self,
        model: Model,
        messages: Iterable[Message],
        limits: tuple[int | None, int],
        focus: str,
        spent: Callable[[StepRecord], None],
    ) -> AsyncGenerator[Event]:
        """Summarise. `limits` are the tokens a request and the summary may have.

        An error is said and leaves `text` empty: the caller has a digest without a model.
        """
        self.text = ""
        request_limit, most = limits
        task = render("summary", words=max(40, int(most * _WORDS)))
        if focus:
            task += f"\n\nThe user asks to keep above all: {focus}"
        room = (request_limit or _UNKNOWN) - tokens.count(task) - most - _AROUND
        made = ""
        try:
            for piece in _pieces(transcript(messages), max(room, _AROUND))[-_PIECES:]:
                before = f"Earlier summary:\n{made}\n\n" if made else ""
                request = Request(
                    Prefix((), (Layer("rules", task),)),
                    (UserMessage(f"{before}Transcript:\n{piece}", harness=True),),
                    reply_room(model.window),
                )
                async with aclosing(self._call(model, request, spent)) as events:
                    async for event in events:
                        yield event
                if not self.text:
                    raise BrokenReply("the model wrote no summary")
                made = self.text = tokens.cut_middle(self.text, most).text or self.text[:most]
        except (ModelError, ForUser, Stop) as error:
            self.text = ""
            self._budget.release()
            yield Notice(f"no summary was written: {error}; the facts are kept", "warning")

    async def _call(
        self, model: Model, request: Request, spent: Callable[[StepRecord], None]
    ) -> AsyncGenerator[Event]:
        call = self._meter.start(request, model, PURPOSE, side=True)
        self._budget.before(call.ahead.usage, self._meter.session, recorded=model.recorded)
        self.text = ""
        try:
            async with aclosing(model.stream(request)) as pieces:
                async for piece in pieces:
                    call.saw(piece)
                    if isinstance(piece, Reply):
                        self.text = piece.message.text.strip()
            record = call.finish()
        except (BrokenReply, asyncio.CancelledError, GeneratorExit) as error:
            record = call.abort(error)
            spent(record)
            self._budget.after(record)
            self._write(StepFinished(record, self._meter.session))
            raise
        spent(record)
        self._budget.after(record)
        yield StepFinished(record, self._meter.session)


def transcript(messages: Iterable[Message]) -> list[str]:
    """The messages as text to be read, outputs by their ends only."""
    told: list[str] = []
    for message in messages:
        match message:
            case ToolMessage():
                name = message.title or message.name
                cut = tokens.cut_middle(message.text, _OUTPUT).text
                told.append(f"Result of {name}{'' if message.ok else ' (failed)'}:\n{cut}")
            case AssistantMessage():
                if message.text.strip():
                    told.append(f"Agent: {tokens.cut_middle(message.text, _SAID).text}")
            case UserMessage(harness=True):
                told.append(message.text)
            case UserMessage():
                words = message.question or message.text
                told.append(f"User: {tokens.cut_middle(words, _SAID).text or words[:_SAID]}")
    return told


def _pieces(told: Iterable[str], room: int) -> list[str]:
    """As few texts as hold everything, each within `room` tokens."""
    pieces: list[str] = []
    left = 0
    for text in told:
        part = tokens.cut_middle(text, room).text if tokens.count(text) > room else text
        size = tokens.count(part) + 2
        if pieces and size <= left:
            pieces[-1] += f"\n\n{part}"
            left -= size
        else:
            pieces.append(part)
            left = room - size
    return pieces
