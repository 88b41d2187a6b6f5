"""The meter: one record per model call, and sums of them. Everything that shows a number reads these."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from aoci_agent.agent.ledger import Ledger, scaled
from aoci_agent.agent.models.model import (
    BrokenReply,
    Model,
    NoticePiece,
    Piece,
    Provenance,
    Reply,
    Request,
    TextPiece,
    Usage,
)
from aoci_agent.base import tokens


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One model call, measured. `layers` splits the prompt by part, counted locally.

    Keys of `layers`: tools, rules, index header, index, candidates, conversation, tool results. The split is
    scaled so that its sum equals `usage.prompt`; it is therefore an estimate even when the total is
    measured.
    """

    number: int  # counts from 1 within the session
    model: str
    policy: str
    usage: Usage
    layers: dict[str, int] = field(default_factory=dict[str, int])
    first_token_s: float | None = None
    seconds: float = 0.0
    finish: str = "stop"
    recorded: bool = False  # the reply came from a file: usage is what the recording measured


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over steps. `cost` is None as soon as one step has no price."""

    steps: int = 0
    fresh: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    estimated: bool = False  # at least one step's tokens were counted locally

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
        cost = None if self.cost is None or usage.cost is None else self.cost + usage.cost
        return Totals(
            steps=self.steps + 1,
            fresh=self.fresh + usage.fresh,
            cache_read=self.cache_read + usage.cache_read,
            cache_write=self.cache_write + usage.cache_write,
            output=self.output + usage.output,
            reasoning=self.reasoning + usage.reasoning,
            cost=cost,
            seconds=self.seconds + record.seconds,
            estimated=self.estimated or usage.tokens_from is Provenance.ESTIMATED,
        )


def total(records: Iterable[StepRecord]) -> Totals:
    """Sum any number of step records."""
    sums = Totals()
    for record in records:
        sums = sums.plus(record)
    return sums


class Meter:
    """The records of a session, and the clock of the call that is running."""

    def __init__(self) -> None:
        self.records: list[StepRecord] = []
        self.session = Totals()
        self._ledger = Ledger()

    @property
    def last_finish(self) -> str:
        """How the newest call ended; "" before the first."""
        return self.records[-1].finish if self.records else ""

    def parts(self, request: Request) -> dict[str, int]:
        """The request counted as it would be sent, by part."""
        return self._ledger.parts(request)

    def start(self, request: Request, model: Model, policy: str) -> "RunningCall":
        """Begin measuring one model call."""
        return RunningCall(self, model, policy, self._ledger.parts(request))

    def add(self, record: StepRecord) -> StepRecord:
        """Take a finished record into the sums."""
        self.records.append(record)
        self.session = self.session.plus(record)
        return record


class RunningCall:
    """One model call while it streams."""

    def __init__(self, meter: Meter, model: Model, policy: str, parts: dict[str, int]) -> None:
        self._meter = meter
        self._model = model
        self._policy = policy
        self._parts = parts
        self._started = time.monotonic()
        self._first: float | None = None
        self.text = ""
        self._reply: Reply | None = None

    @property
    def prompt_tokens(self) -> int:
        """The request as counted locally."""
        return sum(self._parts.values())

    def saw(self, piece: Piece) -> None:
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
        return self._add(self._reply.usage, self._reply.finish)

    def abort(self, error: BaseException) -> StepRecord:
        """The record of a call that was cut or interrupted: an estimate, said so.

        The provider's own figure is used where the client still learned it.
        """
        usage = error.usage if isinstance(error, BrokenReply) else None
        if usage is None:
            usage = self._model.priced(
                Usage(
                    fresh=self.prompt_tokens,
                    output=tokens.estimate(self.text),
                    tokens_from=Provenance.ESTIMATED,
                )
            )
        return self._add(usage, "cut")

    def _add(self, usage: Usage, finish: str) -> StepRecord:
        record = StepRecord(
            number=len(self._meter.records) + 1,
            model=self._reply.model if self._reply else self._model.name,
            policy=self._policy,
            usage=usage,
            layers=scaled(self._parts, usage.prompt),
            first_token_s=self._first,
            seconds=time.monotonic() - self._started,
            finish=finish,
            recorded=self._model.recorded,
        )
        return self._meter.add(record)
