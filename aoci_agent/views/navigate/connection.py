"""The protocol with one language server: multilspy's client, made to survive any server.

The only module that imports multilspy, and itself imported only by the process that hosts the servers.
multilspy starts the program and speaks the protocol. What is replaced here: a message is bounded, a
server that ends or talks nonsense fails what waits for it instead of leaving it waiting, and a request
that is given up is cancelled. multilspy is typed only in part, hence the casts.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from multilspy.lsp_protocol_handler.server import (
    LanguageServerHandler,
    ProcessLaunchInfo,
    StopLoopException,
    content_length,
    make_request,
)

MESSAGE_LIMIT = 32_000_000  # bytes of one message of a server
_NOISE_LIMIT = 65_536  # bytes outside of messages, after which it is no language server
_STDERR_KEPT = 4_000
_EXIT_SECONDS = 1.0  # to leave after its output was closed
_RECENT = 10.0  # seconds


Handler = Callable[[Any], Awaitable[Any]]


class ServerEnded(Exception):
    """The server's process is gone or was given up; says why."""


class ServerRefused(Exception):
    """The server answered a request with an error."""


class Connection(LanguageServerHandler):
    """A started language server. `heard` is when its last message came (monotonic seconds)."""

    def __init__(self, argv: list[str], cwd: str) -> None:
        cast("Any", super()).__init__(ProcessLaunchInfo(cmd=argv, cwd=cwd))
        self.ended = asyncio.Event()
        self.why = ""
        self.heard = time.monotonic()
        self.overdue: dict[int, float] = {}  # given up and not answered since: when that was
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._stderr = b""
        self._said_all = asyncio.Event()

    @property
    def pid(self) -> int:
        """The server's process id, 0 before the start and after the end."""
        return self.process.pid if self.process else 0

    @property
    def last_words(self) -> str:
        """The end of its standard error, the first line of a trace."""
        said = self._stderr.decode("utf-8", "replace")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        errors = [line for line in lines if line.lower().startswith("error")]
        return (errors or lines[-1:] or [""])[0][:300]

    @property
    def blocked(self) -> bool:
        """Whether a request was given up just now, or nothing was heard since one was."""
        now = time.monotonic()
        return any(since > self.heard or now - since < _RECENT for since in self.overdue.values())

    @property
    def silence(self) -> float:
        """Seconds without a word since a request was given up; 0 when it spoke since."""
        since = min((s for s in self.overdue.values() if s > self.heard), default=None)
        return 0.0 if since is None else time.monotonic() - since

    async def run_forever(self) -> bool:
        """Read messages until the server ends. What cannot be read ends it."""
        try:
            await self._read()
            self.why = self.why or await self._exit()
        except StopLoopException:
            self.why = self.why or "it was stopped"
        except (OSError, ValueError, RecursionError, asyncio.IncompleteReadError) as error:
            self.why = self.why or f"it broke the protocol ({str(error)[:200]})"
        finally:
            self.give_up(self.why or "it was stopped")
        return self._received_shutdown

    async def _read(self) -> None:
        stdout = self.process.stdout if self.process else None
        assert stdout is not None
        noise = 0
        while line := await stdout.readline():
            size = content_length(line)
            if size is None:
                noise += len(line)
                if noise > _NOISE_LIMIT:
                    raise ValueError("it writes something else")
                continue
            if not 0 <= size <= MESSAGE_LIMIT:
                raise ValueError(f"a message of {size:,} bytes")
            while (await stdout.readline()).strip():
                pass
            body = await stdout.readexactly(size)
            noise, self.heard = 0, time.monotonic()
            await self._handle_body(body)
            self._forget_answered()

    def _forget_answered(self) -> None:
        """multilspy keeps a task for every answer it ever sent."""
        tasks = cast("dict[int, asyncio.Task[Any]]", cast("Any", self).tasks)
        for number in [number for number, task in tasks.items() if task.done()]:
            del tasks[number]

    async def run_forever_stderr(self) -> None:
        """Keep the end of what it writes to standard error."""
        stderr = self.process.stderr if self.process else None
        while stderr is not None and (data := await stderr.read(65_536)):
            self._stderr = (self._stderr + data)[-_STDERR_KEPT:]
        self._said_all.set()

    async def _exit(self) -> str:
        """Why a server closed its output: it ended, in most cases."""
        assert self.process is not None
        try:
            async with asyncio.timeout(_EXIT_SECONDS):
                code = await self.process.wait()
                await self._said_all.wait()
        except TimeoutError:
            return "it closed its output"
        words = self.last_words
        return f"it ended with exit code {code}" + (f": {words}" if words else "")

    def give_up(self, why: str) -> None:
        """Fail everything that waits for this server."""
        self.why = self.why or why
        self.ended.set()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ServerEnded(self.why))
        self._waiting.clear()

    def say(self, method: str, params: Mapping[str, Any]) -> None:
        """A notification."""
        send: Any = cast("Any", self).send_notification
        send(method, params)

    def answer(self, method: str, handler: Handler) -> None:
        """How a request of the server is answered."""
        register: Any = cast("Any", self).on_request
        register(method, handler)

    def hear(self, method: str, handler: Handler) -> None:
        """What a notification of the server does."""
        register: Any = cast("Any", self).on_notification
        register(method, handler)

    async def send_request(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """One request and its result. ServerEnded, ServerRefused; cancelled here is cancelled there."""
        if self.ended.is_set():
            raise ServerEnded(self.why)
        number = self.request_id
        self.request_id += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            await self._send_payload(make_request(method, number, cast("Any", params)))
            return await future
        except asyncio.CancelledError:
            self.overdue[number] = time.monotonic()
            if not self.ended.is_set():
                self.say("$/cancelRequest", {"id": number})
            raise
        except OSError as error:  # the pipe is closed: the reader is about to learn why
            with suppress(TimeoutError):
                async with asyncio.timeout(2 * _EXIT_SECONDS):
                    await self.ended.wait()
            raise ServerEnded(self.why or "it reads nothing any more") from error
        finally:
            self._waiting.pop(number, None)

    async def _response_handler(self, response: Mapping[str, Any]) -> None:
        number = response["id"]
        self.overdue.pop(number, None)
        future = self._waiting.get(number)
        if future is None or future.done():
            return
        error = response.get("error")
        if error is None:
            future.set_result(response.get("result"))
        else:
            told: Any = cast("Any", error).get("message") if isinstance(error, dict) else error
            future.set_exception(ServerRefused(str(told)[:300]))
