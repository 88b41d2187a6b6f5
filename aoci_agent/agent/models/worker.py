"""The parent's side of the litellm worker: start it, ask it, cancel, restart."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any, cast

from aoci_agent.agent.models.connection import Timeouts
from aoci_agent.agent.models.reading import Dropped
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.base.process import Peer
from aoci_agent.base.terminal import one_line

START_SECONDS = 180.0  # importing litellm takes 10 s on a quiet machine and 40 s on a loaded one
CANCEL_SECONDS = 0.3

_PACKAGE = Path(__file__).resolve().parents[2]
# -I keeps the working directory and PYTHON* variables out of the child; the folder of this package
# is added last, for a checkout that is not installed.
_MAIN = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from aoci_agent.agent.models.litellm_worker import main; main()"
)

Message = Mapping[str, Any]
Queue = asyncio.Queue[Message | None]  # None: the worker is gone


class Worker:
    """One child process, started on first use and again after it ended."""

    def __init__(self, env: Mapping[str, str], timeouts: Timeouts | None = None) -> None:
        self._env = dict(env)
        self._timeouts = timeouts or Timeouts()
        self._starting: asyncio.Task[Session] | None = None
        self._stopping: set[asyncio.Task[None]] = set()

    async def ready(self) -> "Session":
        """The running worker; starts it when there is none. Safe to cancel: the start goes on."""
        if self._starting is None or (self._starting.done() and not _alive(self._starting)):
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def ask(self, body: Mapping[str, Any]) -> AsyncGenerator[Message]:
        """Messages answering one request, the last with `done` or `error`.

        ModelUnavailable when the worker dies before its first message, Dropped when after. Closing
        the generator cancels the request; a worker that does not react at once is ended.
        """
        session = await self.ready()
        try:
            async with aclosing(session.ask(body, self._timeouts)) as messages:
                async for message in messages:
                    yield message
        finally:
            if session.stuck:
                self._starting = None
                task = asyncio.create_task(session.close())
                self._stopping.add(task)
                task.add_done_callback(self._stopping.discard)

    async def close(self) -> None:
        """End the worker."""
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.cancel()  # does nothing to one that is done
            with suppress(asyncio.CancelledError, ModelUnavailable):
                await (await starting).close()
        if self._stopping:
            await asyncio.wait(self._stopping)

    async def _start(self) -> "Session":
        argv = [sys.executable, "-I", "-c", _MAIN, str(_PACKAGE.parent)]
        peer = await Peer.start(argv, cwd=_PACKAGE, env=self._env)
        try:
            async with asyncio.timeout(START_SECONDS):
                if await anext(aiter(peer.lines()), None) is None:
                    raise _death(peer, started=False)
        except TimeoutError as error:
            await peer.stop()
            raise ModelUnavailable(
                f"litellm did not load within {START_SECONDS:.0f} s", "is the machine overloaded?"
            ) from error
        except BaseException:
            await peer.stop()
            raise
        return Session(peer)


class Session:
    """A worker that is running: requests out, their messages back to whoever asked."""

    def __init__(self, peer: Peer) -> None:
        self.stuck = False  # a cancelled request did not stop in time
        self._peer = peer
        self._queues: dict[int, Queue] = {}
        self._number = 0
        self._reading = asyncio.create_task(self._read())

    @property
    def running(self) -> bool:
        """Whether it can still be asked."""
        return self._peer.running and not self._reading.done()

    async def ask(self, body: Mapping[str, Any], timeouts: Timeouts) -> AsyncGenerator[Message]:
        """Messages answering one request; see Worker.ask."""
        self._number += 1
        number, queue = self._number, Queue()
        self._queues[number] = queue
        patience, started, finished = timeouts.event, False, False
        try:
            await self._send({"id": number, "body": body})
            while not finished:
                message = await _next(queue, patience)
                finished = message is None or "chunk" not in message
                if message is None:
                    raise _death(self._peer, started=started)
                patience, started = timeouts.gap, True
                yield message
        finally:
            if not finished:
                await self._cancel(number, queue)
            del self._queues[number]

    async def close(self) -> None:
        """End the process."""
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
            raise _death(self._peer, started=False) from error

    async def _cancel(self, number: int, queue: Queue) -> None:
        try:
            async with asyncio.timeout(CANCEL_SECONDS):
                await self._send({"id": number, "cancel": True})
                while (message := await queue.get()) is not None and "chunk" in message:
                    pass
        except (TimeoutError, ModelUnavailable, Dropped):
            self.stuck = True


async def _next(queue: Queue, patience: float) -> Message | None:
    try:
        async with asyncio.timeout(patience):
            return await queue.get()
    except TimeoutError as error:
        raise Dropped(f"the model sent nothing for {patience:.0f} s") from error


def _alive(starting: "asyncio.Task[Session]") -> bool:
    return not starting.cancelled() and not starting.exception() and starting.result().running


def _death(peer: Peer, *, started: bool) -> Exception:
    tail = one_line(" ".join(peer.stderr_tail.split())[-300:], 300)
    message = f"the litellm process ended unexpectedly: {tail or 'it said nothing'}"
    return Dropped(message) if started else ModelUnavailable(message, "try again")
