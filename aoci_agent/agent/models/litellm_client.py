"""Every provider litellm knows, through a child process that imports it."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, cast

from aoci_agent.agent.models.accumulate import Chunk
from aoci_agent.agent.models.child import Shared, last_words, start_module
from aoci_agent.agent.models.connection import Timeouts
from aoci_agent.agent.models.faults import Caller, refusal
from aoci_agent.agent.models.model import Busy, ContextOverflow, Piece, Request, Usage
from aoci_agent.agent.models.prices import Prices, Table
from aoci_agent.agent.models.providers import KEYS, provider_of
from aoci_agent.agent.models.rates import rates_for
from aoci_agent.agent.models.reading import END, Dropped, read_reply
from aoci_agent.agent.models.wire import conversation, marked_conversation, tools
from aoci_agent.base.errors import AgentError, ModelUnavailable
from aoci_agent.base.process import Peer

START_SECONDS = 180.0  # importing litellm takes 10 s on a quiet machine and 40 s on a loaded one
CANCEL_SECONDS = 0.3

Message = Mapping[str, Any]
Queue = asyncio.Queue[Message | None]  # None: the worker is gone


class Worker:
    """A worker that is running: requests out, their messages back to whoever asked."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._queues: dict[int, Queue] = {}
        self._number = 0
        self._ending: asyncio.Task[None] | None = None
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, env: Mapping[str, str]) -> "Worker":
        """A new process with litellm loaded. ModelUnavailable when that fails."""
        peer, _ = await start_module(
            "litellm_worker", label="litellm", env=env, seconds=START_SECONDS
        )
        return cls(peer)

    @property
    def usable(self) -> bool:
        """Whether it can still be asked."""
        return self._peer.running and not self._reading.done() and self._ending is None

    async def ask(
        self, body: Mapping[str, Any], timeouts: Timeouts, call: str = "completion"
    ) -> AsyncGenerator[Message]:
        """Messages answering one request, the last with `done` or `error`; `call` as the worker has it.

        ModelUnavailable when the worker dies before its first message, Dropped when after. Closing
        the generator cancels the request; a worker that does not react at once is ended.
        """
        self._number += 1
        number, queue = self._number, Queue()
        self._queues[number] = queue
        patience, started, finished = timeouts.event, False, False
        try:
            await self._send({"id": number, "call": call, "body": body})
            while not finished:
                message = await _next(queue, patience)
                finished = message is None or "chunk" not in message
                if message is None:
                    raise self._death(started=started)
                patience, started = timeouts.gap, True
                yield message
        finally:
            if not finished:
                await self._cancel(number, queue)
            del self._queues[number]

    async def close(self) -> None:
        """End the process."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        await self._peer.stop()
        self._reading.cancel()

    async def _read(self) -> None:
        """Hand every line to the request it belongs to; at the end tell all that are waiting."""
        try:
            async for line in self._peer.lines():
                message = cast("dict[str, Any]", json.loads(line))
                queue = self._queues.get(message["id"])
                if queue is not None:
                    queue.put_nowait(message)
        finally:
            for queue in self._queues.values():
                queue.put_nowait(None)

    async def _send(self, message: Message) -> None:
        try:
            await self._peer.send(json.dumps(message).encode())
        except ConnectionError as error:
            raise self._death(started=False) from error

    async def _cancel(self, number: int, queue: Queue) -> None:
        try:
            async with asyncio.timeout(CANCEL_SECONDS):
                await self._send({"id": number, "cancel": True})
                while (message := await queue.get()) is not None and "chunk" in message:
                    pass
        except (TimeoutError, ModelUnavailable):
            self._ending = self._ending or asyncio.create_task(self._end())

    def _death(self, *, started: bool) -> Exception:
        message = f"the litellm process ended unexpectedly: {last_words(self._peer)}"
        return Dropped(message) if started else ModelUnavailable(message, "try again")


async def _next(queue: Queue, patience: float) -> Message | None:
    try:
        async with asyncio.timeout(patience):
            return await queue.get()
    except TimeoutError as error:
        raise Dropped(f"the model sent nothing for {patience:.0f} s") from error


class LitellmModel:
    """One model by its litellm name. `env` is all the worker gets (providers.worker_environment)."""

    recorded = False

    def __init__(
        self,
        name: str,
        env: Mapping[str, str],
        user_prices: Table | None = None,
        timeouts: Timeouts | None = None,
        *,
        long_prefix: bool = False,
    ) -> None:
        """`long_prefix` keeps the fixed layers in the cache for an hour where that can be chosen."""
        self.name = name
        self.rates = rates_for(name)
        self._long_prefix = long_prefix
        provider = provider_of(name)
        variable = KEYS.get(provider, "")
        self._caller = Caller(name, provider, variable, env.get(variable, ""))
        self._prices = Prices(name, user_prices or {})
        self._timeouts = timeouts or Timeouts()
        self._worker = Shared(lambda: Worker.start(env), lambda w: w.usable, Worker.close)

    @property
    def window(self) -> int | None:
        return self._prices.window

    def priced(self, usage: Usage) -> Usage:
        return self._prices.priced(usage)

    async def warm(self) -> None:
        """Start the worker and wait until it has imported litellm."""
        await self._worker.get()

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """One completion, streamed."""
        async with (
            aclosing(self._chunks(request)) as chunks,
            aclosing(read_reply(chunks, request, self._caller, self._prices)) as pieces,
        ):
            async for piece in pieces:
                yield piece

    async def close(self) -> None:
        await self._worker.close()

    def body(self, request: Request) -> dict[str, Any]:
        """The arguments of litellm's completion. Equal requests give equal bytes."""
        body: dict[str, Any] = {
            "model": self.name,
            "messages": self._messages(request),
            "max_tokens": request.max_output,
            "stream": True,
            "stream_options": {"include_usage": True},
            "num_retries": 0,
            "max_retries": 0,
        }
        if request.prefix.tools:
            body["tools"] = tools(request.prefix.tools)
        return body | request.extra

    def _messages(self, request: Request) -> list[dict[str, Any]]:
        # litellm translates Anthropic's marks and no others.
        if self.rates and self.rates.mark == "cache_control":
            return marked_conversation(request, self.rates, long_prefix=self._long_prefix)
        return conversation(request)

    async def _chunks(self, request: Request) -> AsyncGenerator[Chunk | None]:
        shown = False
        worker = await self._worker.get()
        async with aclosing(worker.ask(self.body(request), self._timeouts)) as messages:
            async for message in messages:
                if "error" in message:
                    raise failure(message["error"], self._caller, shown=shown)
                if "chunk" in message:
                    shown = True
                    yield message["chunk"]
                elif message["done"]:
                    yield END


def failure(
    error: Mapping[str, Any], caller: Caller, *, shown: bool = False
) -> AgentError | Dropped:
    """litellm's exception, as the worker described it; `shown`: something of the reply was."""
    # "litellm.RateLimitError: AnthropicException - {json}": the provider's words come last.
    body = re.sub(r"^(litellm\.)?\w+: (\w+ - )?", "", str(error["message"]))
    body = re.sub(r"^b'(.*)'$", r"\1", body, flags=re.DOTALL)  # a bytes body, printed as such
    if error["kind"] == "ContextWindowExceededError":
        return ContextOverflow(f"the request is longer than {caller.model} can read")
    mapped = refusal(int(error["status"]), body, caller, error["headers"])
    if shown and isinstance(mapped, Busy):
        return Dropped(str(mapped))
    return mapped
