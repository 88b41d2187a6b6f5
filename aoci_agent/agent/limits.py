"""What ends a turn: steps, time, repetition. All counted, none guessed. Money and tokens: `budget`."""

import asyncio
import hashlib
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from aoci_agent.agent.events import Event, Reason
from aoci_agent.agent.meter import Totals
from aoci_agent.policies.conversation import ToolCall

NUDGE_AT = 3  # the same call with the same result: tell the model (peers.md 85)
STOP_AT = 5
LONGEST_CYCLE = 4  # calls that go round and round, each with the result it had before
ROUNDS = 4  # times a cycle of several calls goes round before the turn ends; nudged one earlier


class Stop(Exception):
    """The turn is over for a reason other than the model being done."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a session, except where said. None means unbounded."""

    steps: int | None = None
    tokens: int | None = None  # prompt + output, summed over all calls
    cost: float | None = None  # US dollars
    seconds: float | None = None  # of work: turns, not the time between them
    turn_steps: int | None = 100  # of one turn: a turn that runs away ends
    day_cost: float | None = None  # US dollars of all sessions of a day
    day_tokens: int | None = None


class Guard:
    """Checks steps and time before every model call and watches for repetition after every tool call."""

    def __init__(self, limits: Limits, worked: float = 0.0) -> None:
        """`worked` is the time of the session's earlier turns, in seconds."""
        self.limits = limits
        self._worked = worked
        self._started = time.monotonic()
        self._ended: float | None = None
        self._seen: Counter[str] = Counter()
        self._newest: deque[str] = deque(maxlen=LONGEST_CYCLE * ROUNDS)

    def before_step(self, turn: Totals, session: Totals) -> None:
        """Raise Stop when a bound is reached, before more is spent."""
        bounds = self.limits
        if bounds.steps is not None and session.steps >= bounds.steps:
            raise Stop(
                "steps",
                f"stopped after {session.steps} steps (--max-steps); "
                "to go on: /budget steps N, or `aoci-agent --continue` with a larger --max-steps",
            )
        if bounds.turn_steps is not None and turn.steps >= bounds.turn_steps:
            raise Stop(
                "steps", f"stopped after {turn.steps} steps in one turn (turn_steps); say go on"
            )
        if bounds.seconds is not None and self._worked + self.elapsed >= bounds.seconds:
            raise self.out_of_time()

    def end(self) -> float:
        """The turn is over: the clock stands still. Gives the seconds it took."""
        if self._ended is None:
            self._ended = time.monotonic()
        return self.elapsed

    def out_of_time(self) -> Stop:
        """The stop for a session whose time is up."""
        took = self._worked + self.elapsed
        return Stop(
            "time",
            f"stopped after {took:.0f} s (--max-time); "
            "to go on: /budget time N, or `aoci-agent --continue` with a larger --max-time",
        )

    @property
    def elapsed(self) -> float:
        """Seconds since the turn began."""
        return (self._ended or time.monotonic()) - self._started

    @property
    def remaining(self) -> float | None:
        """Seconds left of the session's time, None when unbounded."""
        bound = self.limits.seconds
        return None if bound is None else max(0.0, bound - self._worked - self.elapsed)

    def repeated(self, call: ToolCall, result: str) -> int:
        """How often this call gave this result in this turn. Raises Stop at the fifth.

        The result is part of the key: repeating a call that makes progress is honest work. Calls
        that take turns (A-B-A-B) count as one that repeats.
        """
        digest = hashlib.blake2b(
            f"{call.name}\0{call.arguments}\0{result}".encode("utf-8", "surrogatepass"),
            digest_size=12,
        )
        key = digest.hexdigest()
        self._seen[key] += 1
        self._newest.append(key)
        times = self._seen[key]
        if times >= STOP_AT:
            raise Stop(
                "repeats", f"stopped: the same {call.name} call gave the same result {times} times"
            )
        rounds = self._rounds()
        if rounds >= ROUNDS:
            raise Stop(
                "repeats", f"stopped: the same calls went round {rounds} times, to no effect"
            )
        return max(times, NUDGE_AT if rounds == ROUNDS - 1 else 0)

    def _rounds(self) -> int:
        """How often the newest calls went round in a cycle of at least two, with the same results."""
        newest = list(self._newest)
        most = 0
        for length in range(2, LONGEST_CYCLE + 1):
            cycle, rounds = newest[-length:], 0
            while newest[len(newest) - (rounds + 1) * length :][:length] == cycle and (
                (rounds + 1) * length <= len(newest)
            ):
                rounds += 1
            most = max(most, rounds)
        return most


async def within(events: AsyncGenerator[Event], guard: Guard) -> AsyncGenerator[Event]:
    """The same events, ended by Stop when the turn's time is up, also in the middle of a call.

    The event that is waited for is cancelled, which stops the model or the command behind it.
    """
    while True:
        try:
            async with asyncio.timeout(guard.remaining):
                event = await anext(events)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            raise guard.out_of_time() from error
        yield event
