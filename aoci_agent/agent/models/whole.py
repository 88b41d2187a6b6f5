"""Requests to litellm that are answered in one piece, made from any thread: embeddings and rankings."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import aclosing
from typing import Any, TypeVar

from aoci_agent.agent.models.child import Shared
from aoci_agent.agent.models.connection import Timeouts
from aoci_agent.agent.models.faults import Caller
from aoci_agent.agent.models.litellm_client import Worker, failure
from aoci_agent.agent.models.model import Busy, ContextOverflow
from aoci_agent.agent.models.providers import KEYS, provider_of
from aoci_agent.agent.models.reading import Dropped
from aoci_agent.agent.models.retry import Patience
from aoci_agent.base.errors import ModelUnavailable

Start = Callable[[], Coroutine[Any, Any, Worker]]
T = TypeVar("T")


class WholeAnswers:
    """One model's worker process, started by the first request."""

    def __init__(
        self,
        model: str,
        env: Mapping[str, str],
        *,
        patience: Patience | None = None,
        timeouts: Timeouts | None = None,
        start: Start | None = None,
    ) -> None:
        """`env` is all the worker gets (providers.worker_environment). `start` makes it. ModelUnavailable for a name no provider knows."""
        self.model = model
        self.provider = provider_of(model)
        variable = KEYS.get(self.provider, "")
        bases = [env[key] for key in sorted(env) if key.endswith(("_API_BASE", "_BASE_URL"))]
        self.endpoint = bases[0] if bases else ""
        self._caller = Caller(model, self.provider, variable, env.get(variable, ""))
        self._timeouts = timeouts or Timeouts()
        self._patience = patience or Patience()
        self._worker = Shared(
            start or (lambda: Worker.start(env)), lambda w: w.usable, Worker.close
        )
        self._loop: _Loop | None = None
        self._starting = threading.Lock()

    def ask(self, call: str, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """The chunks of the answer. Waits while the provider is busy, then ModelUnavailable.

        Must not be called in an event loop: it waits.
        """
        whole = {"model": self.model, "num_retries": 0, "max_retries": 0, **body}
        return self._running().run(self._patiently(call, whole))

    def close(self) -> None:
        """End the worker. A later request starts another."""
        with self._starting:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.run(self._worker.close())
            loop.end()

    async def _patiently(self, call: str, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Ask, and ask again while the provider is busy."""
        started, attempt = self._patience.clock(), 0
        while True:
            attempt += 1
            failed: Exception
            try:
                return await self._once(call, body)
            except ContextOverflow as error:
                raise ModelUnavailable(str(error)) from error
            except Busy as error:
                failed, asked = error, error.retry_after
            except Dropped as error:
                failed, asked = error, None
            delay = self._patience.delay(attempt, asked)
            spent = self._patience.clock() - started + delay
            if attempt >= self._patience.tries or spent > self._patience.budget:
                raise ModelUnavailable(f"{failed}", "try again later") from failed
            await self._patience.sleep(delay)

    async def _once(self, call: str, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        worker = await self._worker.get()
        chunks: list[Mapping[str, Any]] = []
        async with aclosing(worker.ask(body, self._timeouts, call)) as messages:
            async for message in messages:
                if "error" in message:
                    raise failure(message["error"], self._caller)
                if "chunk" in message:
                    chunks.append(message["chunk"])
        return chunks

    def _running(self) -> "_Loop":
        with self._starting:
            self._loop = self._loop or _Loop()
            return self._loop


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="litellm-whole-answers", daemon=True
        )
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to the end; an interrupt of the waiting thread cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def sendable(text: str) -> str:
    """The text without what cannot be encoded."""
    return text.encode("utf-8", "replace").decode()
