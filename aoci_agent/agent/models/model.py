"""The one protocol every model client speaks, and the errors it may raise."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal, Protocol, runtime_checkable

from aoci_agent.base.errors import AgentError
from aoci_agent.policies.conversation import AssistantMessage, Message
from aoci_agent.policies.layers import Prefix


class Provenance(StrEnum):
    """Where a figure comes from. Shown as nothing, `~` and `?` (design section 1, point 2)."""

    MEASURED = "measured"  # the provider said so
    ESTIMATED = "estimated"  # counted locally: the provider sent no usage, or the stream was cut
    UNKNOWN = "unknown"  # for money only: no price is known; never shown as zero


PriceSource = Literal["", "provider", "config", "catalogue", "local"]
"""Who named the price; "" when nobody did."""

DISPUTE: Final = 0.01


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, in buckets that never overlap: prompt = fresh + cache_read + cache_write.

    `cache_write_1h` (kept for an hour or longer) is contained in `cache_write`, `reasoning` in
    `output`. `cost` is in US dollars; 0.0 is a legal price. `own_cost` is what our prices give when
    the provider named a cost too.
    """

    fresh: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    cost: float | None = None
    tokens_from: Provenance = Provenance.MEASURED
    cost_from: Provenance = Provenance.UNKNOWN
    cache_write_1h: int = 0
    price_from: PriceSource = ""
    own_cost: float | None = None

    @property
    def prompt(self) -> int:
        return self.fresh + self.cache_read + self.cache_write

    @property
    def disputed(self) -> bool:
        """The provider's cost and ours differ by more than 1 % of the dearer one."""
        if self.cost is None or self.own_cost is None:
            return False
        return abs(self.cost - self.own_cost) > DISPUTE * max(self.cost, self.own_cost)


@dataclass(frozen=True, slots=True)
class Request:
    """One model call as it will be sent.

    `extra` holds provider parameters (temperature, response_format, tool_choice) merged into the body.
    """

    prefix: Prefix
    messages: tuple[Message, ...]
    max_output: int = 8192
    extra: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of the visible reply, as it streams."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """A piece of the model's reasoning, as it streams."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """Progress on a tool call that is being written; display only, never executed."""

    name: str
    characters: int


@dataclass(frozen=True, slots=True)
class NoticePiece:
    """Something the person should know while waiting: a retry and how long it waits."""

    text: str


Finish = Literal["stop", "calls", "length", "filtered"]


@dataclass(frozen=True, slots=True)
class Reply:
    """The last item of every stream: the whole message. Its calls are complete and strict JSON text."""

    message: AssistantMessage
    usage: Usage
    finish: Finish
    model: str


Piece = TextPiece | ReasoningPiece | CallPiece | NoticePiece | Reply


def same_model(one: str, other: str) -> bool:
    """Whether two names differ in nothing but the provider before the first slash."""
    return not {one, one.partition("/")[2] or one}.isdisjoint(
        {other, other.partition("/")[2] or other}
    )


class Model(Protocol):
    """A source of replies. `stream` yields pieces and ends with exactly one `Reply`, or raises.

    Closing the iterator (aclose) aborts the request at once.
    """

    @property
    def name(self) -> str:
        """The name the user chose, e.g. `anthropic/claude-sonnet-5-5`."""
        ...

    @property
    def window(self) -> int | None:
        """Context window in tokens, None when unknown."""
        ...

    @property
    def recorded(self) -> bool:
        """True when replies come from a recording, so that screens and reports can label them."""
        ...

    def priced(self, usage: Usage) -> Usage:
        """`usage` with the cost this model's prices give it; unchanged when no price is known."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[Piece]: ...

    async def close(self) -> None:
        """Release connections and child processes."""
        ...


@runtime_checkable
class Warmable(Protocol):
    """A model that can prepare itself (imports, child process) before the first request."""

    async def warm(self) -> None:
        """Start preparing and return when ready; safe to cancel and to call twice."""
        ...


class ModelError(AgentError):
    """A call failed in a way the loop must decide about."""


class ContextOverflow(ModelError):
    """The request is longer than the model's window."""


class Busy(ModelError):
    """The provider cannot answer now (429, 5xx, dropped connection); nothing was received.

    Clients raise it, `retry.RetryingModel` waits and turns the last one into ModelUnavailable, so
    the loop never sees it. `retry_after` is in seconds, None when the provider named no time.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class BrokenReply(ModelError):
    """A reply that was paid for and cannot be used; nothing of it may be executed.

    `received` is the visible text so far and `usage` the estimate of what was spent.
    """

    def __init__(self, message: str, received: str = "", usage: Usage | None = None) -> None:
        super().__init__(message)
        self.received = received
        self.usage = usage


class StreamCut(BrokenReply):
    """The stream ended before its terminal event."""


class MalformedReply(BrokenReply):
    """The provider answered 200 with something that is not a chat completion."""
