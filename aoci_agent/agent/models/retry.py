"""Tries again when a provider is busy, as long as nothing of a reply was shown."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from aoci_agent.agent.models.model import Busy, Model, NoticePiece, Piece, Request
from aoci_agent.agent.models.wrapping import Wrapper
from aoci_agent.base.errors import ModelUnavailable


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to go on. Times are in seconds; clock, sleep and jitter are injected by tests."""

    tries: int = 5
    budget: float = 120.0
    first_delay: float = 1.0
    longest_delay: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)
    clock: Callable[[], float] = field(default=time.monotonic)
    jitter: Callable[[], float] = field(default=random.random)  # 0 to 1

    def delay(self, attempt: int, asked: float | None) -> float:
        """Before the attempt after `attempt` (1, 2, ...): what the provider asked, else backoff."""
        if asked is not None:
            # A little later than asked, so that many clients do not come back in one instant.
            return asked + 0.25 * self.jitter()
        longest = min(self.longest_delay, self.first_delay * 2 ** (attempt - 1))
        return longest * (0.5 + 0.5 * self.jitter())


class RetryingModel(Wrapper):
    """Retries Busy (429, 5xx, dropped connections) and turns the last one into ModelUnavailable."""

    def __init__(self, inner: Model, patience: Patience | None = None) -> None:
        super().__init__(inner)
        self._patience = patience or Patience()

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The inner stream, a notice before each wait. Busy comes only before the first piece."""
        started = self._patience.clock()
        attempt = 0
        while True:
            attempt += 1
            try:
                async with aclosing(self.inner.stream(request)) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            except Busy as busy:
                failed = busy
            delay = self._next_delay(failed, attempt, self._patience.clock() - started)
            yield NoticePiece(
                f"{failed}; try {attempt + 1} of {self._patience.tries} in {max(1, round(delay))} s"
            )
            await self._patience.sleep(delay)

    def _next_delay(self, busy: Busy, attempt: int, spent: float) -> float:
        delay = self._patience.delay(attempt, busy.retry_after)
        if attempt >= self._patience.tries or spent + delay > self._patience.budget:
            waits = f"it asks to wait {delay:.0f} s" if busy.retry_after else "try again later"
            times = "once" if attempt == 1 else f"{attempt} times in {spent:.0f} s"
            raise ModelUnavailable(f"{busy} (tried {times})", waits) from busy
        return delay
