"""What ends a turn: steps, tokens, money, time, repetition. All counted, none guessed."""

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from aoci_agent.agent.events import Event, Reason
from aoci_agent.agent.meter import Totals
from aoci_agent.policies.conversation import ToolCall

NUDGE_AT = 3  # the same call with the same result: tell the model (peers.md 85)
STOP_AT = 5


class Stop(Exception):
    """The turn is over for a reason other than the model being done."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one turn, except `cost`, which bounds the session. None means unbounded."""

    steps: int | None = 100
    tokens: int | None = None  # prompt + output, summed over the turn
    cost: float | None = None  # US dollars
    seconds: float | None = None


class Guard:
    """Checks the limits before every model call and watches for repetition after every tool call."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._started = time.monotonic()
        self._seen: Counter[str] = Counter()

    def before_step(self, turn: Totals, session: Totals) -> None:
        """Raise Stop when a bound is reached, before more is spent."""
        bounds = self._limits
        if bounds.steps is not None and turn.steps >= bounds.steps:
            raise Stop("steps", f"stopped after {turn.steps} steps (--max-steps)")
        if bounds.tokens is not None and turn.tokens >= bounds.tokens:
            raise Stop("tokens", f"stopped after {turn.tokens} tokens (--max-tokens)")
        if bounds.cost is not None:
            self._check_cost(session, bounds.cost)
        if bounds.seconds is not None and self.elapsed >= bounds.seconds:
            raise self.out_of_time()

    def out_of_time(self) -> Stop:
        """The stop for a turn whose time is up."""
        return Stop("time", f"stopped after {self.elapsed:.0f} s (--max-seconds)")

    @property
    def elapsed(self) -> float:
        """Seconds since the turn began."""
        return time.monotonic() - self._started

    @property
    def remaining(self) -> float | None:
        """Seconds left of the turn's time, None when unbounded."""
        bound = self._limits.seconds
        return None if bound is None else max(0.0, bound - self.elapsed)

    def repeated(self, call: ToolCall, result: str) -> int:
        """How often this call gave this result in this turn. Raises Stop at the fifth.

        The result is part of the key: repeating a call that makes progress is honest work.
        """
        digest = hashlib.blake2b(
            f"{call.name}\0{call.arguments}\0{result}".encode(), digest_size=12
        )
        key = digest.hexdigest()
        self._seen[key] += 1
        times = self._seen[key]
        if times >= STOP_AT:
            raise Stop(
                "repeats", f"stopped: the same {call.name} call gave the same result {times} times"
            )
        return times

    def _check_cost(self, session: Totals, bound: float) -> None:
        if session.cost is None:
            raise Stop("cost", "stopped: --max-cost is set but this model has no known price")
        if session.cost >= bound:
            raise Stop("cost", f"stopped at ${session.cost:.4f} (--max-cost {bound})")


async def within(events: AsyncGenerator[Event], guard: Guard) -> AsyncGenerator[Event]:
    """The same events, ended by Stop when the turn's time is up, also in the middle of a call.

    The event that is waited for is cancelled, which stops the model or the command behind it.
    """
    while True:
        try:
            event = await asyncio.wait_for(anext(events), guard.remaining)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            raise guard.out_of_time() from error
        yield event
