"""The meter: one record per model call, and sums of them. Everything that shows a number reads these."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from aoci_agent.agent.forecast import TYPICAL_OUTPUT, Ahead, Sent, forecast
from aoci_agent.agent.ledger import Ledger, Piece, added, index_share, scaled, unpriced
from aoci_agent.agent.models.model import (
    BrokenReply,
    Model,
    NoticePiece,
    Piece as StreamPiece,
    Provenance,
    Reply,
    Request,
    TextPiece,
    Usage,
    same_model,
)
from aoci_agent.agent.models.rates import rates_for
from aoci_agent.base import tokens
from aoci_agent.policies.conversation import Message


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One model call, measured. `layers` splits the prompt by part, counted locally.

    Keys of `layers`: tools, rules, index header, index, candidates, conversation, tool results. The split is
    scaled so that its sum equals `usage.prompt`; it is therefore an estimate even when the total is
    measured.
    """

    number: int  # counts from 1 within the session
    model: str  # as the user named it
    policy: str
    usage: Usage
    layers: dict[str, int] = field(default_factory=dict[str, int])
    first_token_s: float | None = None
    seconds: float = 0.0
    finish: str = "stop"
    recorded: bool = False  # the reply came from a file: usage is what the recording measured
    index: Usage = field(default_factory=Usage)  # of `usage`, what the index layer was; estimated
    side: bool = False  # a summary of the conversation: paid for, but not the conversation's size
    served: str = ""  # the model's name in the reply, where it is another one


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over steps. `cost` is None as soon as one step has no price; `priced` is what is known."""

    steps: int = 0
    fresh: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    estimated: bool = False  # at least one step's tokens were counted locally
    cache_write_1h: int = 0  # of cache_write
    priced: float = 0.0  # dollars of the steps that have a price
    unpriced: int = 0  # steps without one
    disputed: int = 0  # steps whose provider and whose prices differ by more than 1 %
    cut: int = 0  # steps whose stream was interrupted
    recorded: int = 0  # steps whose reply came from a file
    local: int = 0  # steps of a model on this machine: there is nothing to pay
    layers: dict[str, int] = field(default_factory=dict[str, int])  # the prompt by part, estimated
    index: Usage = field(default_factory=Usage)  # the index layer's part, by bucket; estimated

    @property
    def prompt(self) -> int:
        return self.fresh + self.cache_read + self.cache_write

    @property
    def tokens(self) -> int:
        return self.prompt + self.output

    @property
    def hit_rate(self) -> float:
        """Share of prompt tokens read from the provider's cache, 0 to 1."""
        return self.cache_read / self.prompt if self.prompt else 0.0

    def plus(self, record: StepRecord) -> "Totals":
        """The sums with one more step."""
        usage = record.usage
        known = usage.cost is not None
        return Totals(
            steps=self.steps + 1,
            fresh=self.fresh + usage.fresh,
            cache_read=self.cache_read + usage.cache_read,
            cache_write=self.cache_write + usage.cache_write,
            output=self.output + usage.output,
            reasoning=self.reasoning + usage.reasoning,
            cost=_sum(self.cost, usage.cost),
            seconds=self.seconds + record.seconds,
            estimated=self.estimated or usage.tokens_from is Provenance.ESTIMATED,
            cache_write_1h=self.cache_write_1h + usage.cache_write_1h,
            priced=self.priced + (usage.cost or 0.0),
            unpriced=self.unpriced + (not known),
            disputed=self.disputed + usage.disputed,
            cut=self.cut + (record.finish == "cut"),
            recorded=self.recorded + record.recorded,
            local=self.local + (usage.price_from == "local"),
            layers=added((self.layers, record.layers)),
            index=_both(self.index, record.index),
        )


def total(records: Iterable[StepRecord]) -> Totals:
    """Sum any number of step records."""
    sums = Totals()
    for record in records:
        sums = sums.plus(record)
    return sums


def _both(one: Usage, other: Usage) -> Usage:
    """Two shares as one."""
    return Usage(
        fresh=one.fresh + other.fresh,
        cache_read=one.cache_read + other.cache_read,
        cache_write=one.cache_write + other.cache_write,
        cache_write_1h=one.cache_write_1h + other.cache_write_1h,
        cost=_sum(one.cost if one.prompt else 0.0, other.cost if other.prompt else 0.0),
        cost_from=Provenance.ESTIMATED,
        tokens_from=Provenance.ESTIMATED,
    )


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


class Meter:
    """The records of a session, and the clock of the call that is running."""

    def __init__(self) -> None:
        self.records: list[StepRecord] = []
        self.session = Totals()
        self.sent: Sent | None = None  # the newest request that got a whole reply
        self._ledger = Ledger()

    @property
    def last_finish(self) -> str:
        """How the newest call ended; "" before the first."""
        return self.records[-1].finish if self.records else ""

    @property
    def typical_output(self) -> int:
        """Tokens of a reply: the mean of this session's, or a stated figure before the first."""
        sums = self.session
        return round(sums.output / sums.steps) if sums.steps and sums.output else TYPICAL_OUTPUT

    def parts(self, request: Request) -> dict[str, int]:
        """The request counted as it would be sent, by part."""
        return self._ledger.parts(request)

    def size(self, message: Message) -> int:
        """Tokens of one message as it is sent, counted locally."""
        return self._ledger.size(message)

    def pieces(self, request: Request) -> tuple[Piece, ...]:
        """The request counted as it would be sent, in its order."""
        return self._ledger.pieces(request)

    def ahead(self, pieces: tuple[Piece, ...], model: Model) -> Ahead:
        """What a call that sends this would use and cost, predicted locally."""
        guess = forecast(
            *(pieces, self.sent, rates_for(model.name), model.name),
            now=time.monotonic(),
            output=self.typical_output,
        )
        return replace(guess, usage=model.priced(guess.usage))

    def start(
        self, request: Request, model: Model, policy: str, *, side: bool = False
    ) -> "RunningCall":
        """Begin measuring one model call; a side call says nothing of the conversation's size."""
        return RunningCall(self, model, policy, request, side=side)

    def add(self, record: StepRecord) -> StepRecord:
        """Take a finished record into the sums."""
        self.records.append(record)
        self.session = self.session.plus(record)
        return record


class RunningCall:
    """One model call while it streams."""

    def __init__(
        self, meter: Meter, model: Model, policy: str, request: Request, *, side: bool = False
    ) -> None:
        self._meter = meter
        self._side = side
        self._model = model
        self._policy = policy
        self._parts = meter.parts(request)
        self._pieces = meter.pieces(request)
        self._started = time.monotonic()
        self._first: float | None = None
        self.text = ""
        self._reply: Reply | None = None

    @property
    def prompt_tokens(self) -> int:
        """The request as counted locally."""
        return sum(self._parts.values())

    @property
    def replied(self) -> bool:
        """Whether the whole reply has come."""
        return self._reply is not None

    @cached_property
    def ahead(self) -> Ahead:
        """What it will use and cost, predicted before it is sent."""
        return self._meter.ahead(self._pieces, self._model)

    def saw(self, piece: StreamPiece) -> None:
        """Note a piece of the stream."""
        if self._first is None and not isinstance(piece, NoticePiece):
            self._first = time.monotonic() - self._started
        if isinstance(piece, TextPiece):
            self.text += piece.text
        if isinstance(piece, Reply):
            self._reply = piece

    def finish(self) -> StepRecord:
        """The record of a call that ended with a reply."""
        if self._reply is None:
            raise RuntimeError("the model's stream ended without a reply")
        usage, now = self._as_predicted(self._reply.usage), time.monotonic()
        if not self._side:
            self._meter.sent = Sent(self._pieces, self._parts, usage, self._model.name, now)
        return self._add(usage, self._reply.finish)

    def abort(self, error: BaseException) -> StepRecord:
        """The record of a call that was cut or interrupted: an estimate, said so.

        The provider's own figure is used where the client still learned it, else the prompt is split
        as it was predicted before it was sent. What was interrupted behind its whole reply is no cut
        call.
        """
        if self._reply is not None:
            return self.finish()
        usage = error.usage if isinstance(error, BrokenReply) else None
        if usage is None:
            usage = Usage(
                fresh=self.prompt_tokens,
                output=tokens.estimate(self.text),
                tokens_from=Provenance.ESTIMATED,
            )
        return self._add(self._as_predicted(usage), "cut")

    def _as_predicted(self, usage: Usage) -> Usage:
        """A prompt that was counted here, in the buckets predicted for it: caches work unsaid too.

        What a provider said stays, and what a recording holds.
        """
        if usage.tokens_from is not Provenance.ESTIMATED or self._model.recorded:
            return usage
        guess = self.ahead.usage
        split = {name: getattr(guess, name) for name in ("fresh", "cache_read", "cache_write")}
        if guess.prompt and usage.prompt:
            usage = replace(usage, **scaled(split, usage.prompt))
        return self._model.priced(unpriced(usage))

    def _add(self, usage: Usage, finish: str) -> StepRecord:
        layers = scaled({"summary": 1} if self._side else self._parts, usage.prompt)
        record = StepRecord(
            number=len(self._meter.records) + 1,
            model=self._model.name,
            policy=self._policy,
            usage=usage,
            layers=layers,
            first_token_s=self._first,
            seconds=time.monotonic() - self._started,
            finish=finish,
            recorded=self._model.recorded,
            index=self._index(usage, layers),
            side=self._side,
            served=self._served,
        )
        return self._meter.add(record)

    @property
    def _served(self) -> str:
        told = self._reply.model if self._reply else ""
        return "" if same_model(self._model.name, told) else told

    def _index(self, usage: Usage, layers: dict[str, int]) -> Usage:
        """The index layer's share of the call, and what the call would have cost less without it."""
        share = index_share(usage, layers)
        whole = unpriced(usage)
        rest = replace(
            whole,
            fresh=whole.fresh - share.fresh,
            cache_read=whole.cache_read - share.cache_read,
            cache_write=whole.cache_write - share.cache_write,
            cache_write_1h=whole.cache_write_1h - share.cache_write_1h,
        )
        with_it, without = self._model.priced(whole).cost, self._model.priced(rest).cost
        cost = None if with_it is None or without is None else with_it - without
        return replace(share, cost=cost, cost_from=Provenance.ESTIMATED)
