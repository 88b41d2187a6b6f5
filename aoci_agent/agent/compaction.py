"""Making room: the request is counted before every call, and the ladder climbed when it gets too long."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Literal, NamedTuple

from aoci_agent.agent.budget import Budget
from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.events import Event, HistoryRewritten, Notice
from aoci_agent.agent.limits import Stop
from aoci_agent.agent.meter import Meter, StepRecord
from aoci_agent.agent.models.model import Model
from aoci_agent.agent.room import Room, Scale, reply_room, room_of
from aoci_agent.agent.summary import Summariser
from aoci_agent.base import tokens
from aoci_agent.policies.digest import Digest, Shares, answers_of, bounded, summarised
from aoci_agent.policies.ladder import (
    Digested,
    Messages,
    cut_newest,
    digest,
    first_kept,
    shrink,
    size_of,
)

Choice = Literal["auto", "off"]
Spent = Callable[[StepRecord], None]


class Asking(NamedTuple):
    """For whom a summary is written; `always` also where the answers are short."""

    model: Model
    spent: Spent
    focus: str = ""
    always: bool = False


TRIES = 2
_SHRUNK_ENOUGH = 0.75  # of the room: dropping outputs alone is enough when it comes down to this
_WORDS, _ANSWERS, _FACTS = 0.25, 0.1, 0.18  # shares of the room for the parts of a digest
_SUMMARY = 0.6  # of the answers' share, the most a summary may have
_LONGEST_SUMMARY = 1_500
_GAIN = 0.98  # what is not below this share of what was there is no gain
_LAST = 0.95  # of the limit, what the newest outputs are cut down to
_WORTH = 400  # tokens of a conversation below which nobody should compact it
_UNKNOWN = 40_000  # tokens taken for the room where the window is not known
_CHOICES = "/clear starts over, /model takes a larger window"


class Compaction:
    """Keeps the conversation of one session within the window of its model."""

    def __init__(
        self,
        conversation: Conversation,
        meter: Meter,
        budget: Budget,
        write: Callable[[Event], None],
        choice: Choice = "auto",
    ) -> None:
        """`write` records an event that must not wait for its turn."""
        self.scale = Scale()
        self.choice: Choice = choice
        self._conversation = conversation
        self._meter = meter
        self._summariser = Summariser(meter, budget, write)
        self._write_grown = lambda: conversation.write_grown(write)
        self._stuck_at = 0  # tokens up to which nothing can be gained, as was found out
        self._summary = ""  # the newest one, for the digest that is being made
        self._summary_failed = False

    def room(self, model: Model) -> Room:
        """What the next request takes and may take."""
        request = self._conversation.request(model.window)
        return room_of(self._meter.parts(request), self.scale.limit(model))

    def new_turn(self) -> None:
        """What failed in the turn before may be tried again."""
        self._summary_failed = False
        self._stuck_at = 0

    async def before_call(self, model: Model, spent: Spent) -> AsyncGenerator[Event]:
        """Make room if it is time. Raises Stop when the request cannot be made to fit.

        At most two tries, and none after one without gain: never a loop (peers.md 23, 24).
        """
        room = self.room(model)
        if self.choice == "off" or not room.full or (room.fits and room.messages <= self._stuck_at):
            if not room.fits:
                raise self._overflow(room, model)
            return
        for _ in range(TRIES):
            before = room.messages
            async with aclosing(self._climb(model, room, spent)) as events:
                async for event in events:
                    yield event
            room = self.room(model)
            if not room.full or room.messages > before * _GAIN:
                break
        if not room.fits:
            raise self._overflow(room, model)
        self._stuck_at = int(room.messages * (2 - _GAIN)) if room.full else 0

    def refused(self, model: Model, local: int, error: Exception) -> None:
        """The provider said the request is too long. Raises Stop where nothing may be cut."""
        self.scale.refused(model.name, local)
        if self.choice == "off":
            raise self._overflow(self.room(model), model) from error

    async def by_hand(self, model: Model, focus: str, spent: Spent) -> AsyncGenerator[Event]:
        """Digest and summarise the whole conversation now."""
        self.new_turn()
        room = self.room(model)
        messages = self._conversation.messages
        if room.messages < _WORTH or not any(not isinstance(m, Digest) for m in messages):
            yield Notice(f"nothing to compact: the conversation has {room.messages:,} tokens")
            return
        made = digest(messages, len(messages), None, self._pinned(room))
        asking = Asking(model, spent, focus, always=True)
        async with aclosing(self._summarise(asking, room, made, messages)) as events:
            async for event in events:
                yield event
        made = self._within(made, room, self._summary)
        if size_of(made.messages, self._meter.size) >= room.messages * _GAIN:
            yield Notice("the conversation is as short as it gets; nothing was changed")
            return
        yield self._rewrite(made, "compacted", room, model)

    async def _climb(self, model: Model, room: Room, spent: Spent) -> AsyncGenerator[Event]:
        """Outputs first, then a digest of old steps, its answers summarised when they get long."""
        conversation, size = self._conversation, self._meter.size
        messages, opening = conversation.messages, conversation.opening
        limit = room.limit or 0
        shrunk = shrink(messages, room.goal, size, opening)
        made, did = Digested(shrunk, opening), "old tool outputs dropped"
        if size_of(shrunk, size) > limit * _SHRUNK_ENOUGH:
            kept = self._kept(shrunk, room, opening)
            if any(not isinstance(m, Digest) for m in shrunk[:kept]):
                made = digest(shrunk, kept, opening, self._pinned(room))
                did = "old steps digested"
                asking = Asking(model, spent)
                async with aclosing(self._summarise(asking, room, made, messages[:kept])) as events:
                    async for event in events:
                        yield event
                made = self._within(made, room, self._summary)
        if size_of(made.messages, size) > limit:
            cut = cut_newest(made.messages, int(limit * _LAST), size)
            made, did = Digested(cut, made.opening), f"{did}, the newest outputs cut"
        if made.messages != messages:
            yield self._rewrite(made, did, room, model)

    async def _summarise(
        self, asking: Asking, room: Room, made: Digested, old: Messages
    ) -> AsyncGenerator[Event]:
        """Let the model write what the digest of `old` says of the answers; the result is `self._summary`."""
        self._summary = ""
        head = made.messages[0]
        if not isinstance(head, Digest):
            return
        share = int((room.limit or _UNKNOWN) * _ANSWERS)
        long = tokens.count(answers_of(head)) > share and not self._summary_failed
        if not (asking.always or long):
            return
        yield Notice("summarising" if asking.always else "the window is nearly full: summarising")
        model, spent, focus, _ = asking
        limits = (self.scale.limit(model), min(_LONGEST_SUMMARY, max(60, int(share * _SUMMARY))))
        async with aclosing(self._summariser.run(model, old, limits, focus, spent)) as events:
            async for event in events:
                yield event
        self._summary = self._summariser.text
        self._summary_failed = not self._summary

    def _within(self, made: Digested, room: Room, summary: str = "") -> Digested:
        """The digest with its summary, if one was written, and within its shares."""
        head, *rest = made.messages
        if not isinstance(head, Digest):
            return made
        if summary:
            head = summarised(head, summary)
        limit = room.limit or _UNKNOWN
        shares = Shares(int(limit * _WORDS), int(limit * _ANSWERS))
        return Digested((bounded(head, shares, tokens.count), *rest), made.opening)

    def _kept(self, messages: Messages, room: Room, opening: int | None) -> int:
        """Where the part that stays begins, so that it and the digest come to the goal."""
        size = self._meter.size
        first = first_kept(messages, room.goal // 2, size, opening)
        guess = self._within(digest(messages, first, opening, self._pinned(room)), room)
        asked = 0 if opening is None else size(messages[opening])
        return first_kept(messages, room.goal - size(guess.messages[0]) - asked, size, opening)

    def _pinned(self, room: Room) -> str:
        share = int((room.limit or _UNKNOWN) * _FACTS)
        return self._conversation.notebook.pinned.told(share, tokens.count)

    def _rewrite(self, made: Digested, did: str, room: Room, model: Model) -> HistoryRewritten:
        self._write_grown()
        self._conversation.rewrite(made.messages, made.opening)
        now = self.room(model).messages
        reason = f"{did}: the conversation went from {room.messages:,} to {now:,} tokens"
        return HistoryRewritten(reason, made.messages)

    def _overflow(self, room: Room, model: Model) -> Stop:
        """What there is to do when nothing more can be cut."""
        part, size = max(room.parts.items(), key=lambda item: item[1])
        told = f"the request has about {room.messages + room.fixed:,} tokens"
        if model.window is not None:
            kept = reply_room(model.window)
            told += f", the window {model.window:,} less {kept:,} for the reply"
        told += f" (most of it: {part}, {size:,})"
        if self.choice == "off":
            return Stop("overflow", f"{told}; compaction is off: /compact makes room, {_CHOICES}")
        ways = f"{_CHOICES}, a shorter request or /policy grep-read may fit"
        return Stop("overflow", f"{told}; nothing more can be cut: {ways}")
