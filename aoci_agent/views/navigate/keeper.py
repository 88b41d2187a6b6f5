"""A language server kept running: started on demand, restarted with back-off, ended when idle or too large."""

import asyncio
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from aoci_agent.views.navigate.answer import NoAnswer
from aoci_agent.views.navigate.connection import ServerEnded, ServerRefused
from aoci_agent.views.navigate.server import Found, Question, Server
from aoci_agent.views.navigate.servers import Launch
from aoci_agent.views.navigate.status import Bounds, Status


class Keeper:
    """One server by its launch. `state`: off, starting, ready, waiting (to start again), failed."""

    def __init__(self, launch: Launch, root: Path, cwd: Path, bounds: Bounds) -> None:
        self.launch = launch
        self.state = "off"
        self.why = ""
        self.restarts = 0
        self.used = time.monotonic()
        self.asked = self.late = 0
        self.memory = self.peak = 0
        self.version = ""
        self.start_seconds = 0.0
        self.working = 0  # questions being answered
        self.server: Server | None = None
        self._young: Server | None = None  # not agreed with yet
        self._root, self._cwd, self._bounds = root, cwd, bounds
        self._starting: asyncio.Task[Server] | None = None
        self._after = 0.0  # when it may be started again

    async def ask(self, question: Question, seconds: float) -> Found:
        """One answer within so many seconds, the start included. NoAnswer says why there is none."""
        self.used = time.monotonic()
        self.asked += 1
        self.working += 1
        try:
            async with asyncio.timeout(seconds) as clock:
                server = await self.ready()
                if server.connection.blocked:
                    now = asyncio.get_running_loop().time()
                    clock.reschedule(now + min(seconds, self._bounds.overdue))
                return await server.ask(question)
        except TimeoutError as error:
            self.late += 1
            starting = self.state == "starting"
            why = "is still starting" if starting else f"did not answer within {seconds:g} s"
            raise NoAnswer(f"{self.launch.name} {why}") from error
        except (ServerEnded, ServerRefused) as error:
            self._check()
            raise NoAnswer(f"{self.launch.name}: {error}") from error
        finally:
            self.working -= 1

    async def ready(self) -> Server:
        """The running server; starts it where it may be started. NoAnswer."""
        self._check()
        if self.server is not None:
            return self.server
        if self.state == "failed":
            raise NoAnswer(f"{self.launch.name} does not work here: {self.why}")
        wait = self._after - time.monotonic()
        if wait > 0:
            raise NoAnswer(f"{self.launch.name} starts again in {wait:.0f} s: {self.why}")
        if self._starting is None:
            self.state = "starting"
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(_heard)
        return await asyncio.shield(self._starting)

    async def _start(self) -> Server:
        server = self._young = Server(self.launch, self._root, self._cwd)
        begun = time.monotonic()
        try:
            await server.start()
        except (OSError, ServerEnded, ServerRefused) as error:  # TimeoutError is an OSError
            silent = isinstance(error, TimeoutError)
            why = "it did not say hello in time" if silent else str(error)
            later(server.kill(why))
            self._fell(why)
            raise NoAnswer(f"{self.launch.name} did not start: {why}") from error
        finally:
            self._starting = self._young = None
        self.server, self.state, self.why = server, "ready", ""
        self.version = server.version or self.version
        self.start_seconds = time.monotonic() - begun
        return server

    def _check(self) -> None:
        """Notice a server that ended by itself."""
        if self.server is not None and self.server.connection.ended.is_set():
            self._end(self.server.connection.why)

    def _end(self, why: str) -> None:
        """A server that must not go on: end it, and start again later unless it fell too often."""
        server, self.server = self.server, None
        if server is not None:
            later(server.kill(why))
        self._fell(why)

    def _fell(self, why: str) -> None:
        self.why = why
        if self.restarts >= self._bounds.restarts:
            self.state = "failed"
            return
        self._after = time.monotonic() + self._bounds.backoff * 4.0**self.restarts
        self.restarts += 1
        self.state = "waiting"

    async def stop(self) -> None:
        """End it without any fault of its own; the next question starts it again."""
        server, self.server = self.server, None
        if server is not None:
            self.state, self.memory = "off", 0
            await server.stop()

    async def look_after(self) -> None:
        """What is done now and then: notice death, silence, size and idleness."""
        self._check()
        server = self.server
        if server is None:
            return
        connection, now = server.connection, time.monotonic()
        self.memory = memory_of(connection.pid)
        self.peak = max(self.peak, self.memory)
        if self.memory > self._bounds.memory:
            self._end(f"it took {self.memory / 1e6:,.0f} MB of memory")
        elif connection.silence > self._bounds.hung:
            self._end(f"it said nothing for {connection.silence:.1f} s")
        elif not self.working and now - self.used > self._bounds.idle:
            await self.stop()

    @property
    def pid(self) -> int:
        """The server's process, also while it starts; 0 without one."""
        server = self.server or self._young
        return server.connection.pid if server else 0

    def status(self) -> Status:
        """What `doctor` shows."""
        return Status(
            name=self.launch.name,
            program=self.launch.argv[0],
            version=self.version,
            state=self.state,
            why=self.why,
            pid=self.pid,
            restarts=self.restarts,
            asked=self.asked,
            late=self.late,
            memory=self.memory,
            peak=self.peak,
            start_seconds=round(self.start_seconds, 2),
        )


def _heard(task: "asyncio.Task[Server]") -> None:
    """Whoever waited for a start may have given up; its failure is in the status all the same."""
    if not task.cancelled():
        task.exception()


def memory_of(pid: int) -> int:
    """Resident bytes of a process and its children, 0 when it is gone."""
    import psutil

    if not pid:
        return 0
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    total = 0
    for member in family:
        try:
            total += member.memory_info().rss
        except psutil.Error:
            continue
    return total


_tasks: set[asyncio.Task[None]] = set()


def later(work: Coroutine[Any, Any, None]) -> None:
    """Run something beside the question that noticed it; kept from being collected meanwhile."""
    task = asyncio.create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
