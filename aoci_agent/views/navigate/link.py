"""The line to the process that hosts the language servers: a thread of its own, a limit on every answer."""

import asyncio
import json
import sys
import threading
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from aoci_agent.base.box import Access, Box, Unboxed
from aoci_agent.base.errors import ForModel, NotPossible
from aoci_agent.base.process import Peer
from aoci_agent.views.navigate.answer import NoAnswer

_PACKAGE = Path(__file__).resolve().parents[2]
# -I keeps the working directory and PYTHON* variables out of it. The package is loaded by its own
# folder: that of a checkout in the home stands in a folder the box may not let anyone list.
_CODE = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("aoci_agent", f"{sys.argv[1]}/__init__.py")
package = sys.modules["aoci_agent"] = module_from_spec(spec)
spec.loader.exec_module(package)
from aoci_agent.views.navigate.host import main
main()
"""
_RESTARTS = 3
_SILENT = 3  # unanswered questions in a row after which the process is replaced
_CLOSE_SECONDS = 6.0
# Nothing may be fetched, whatever a server would like to have.
_OFFLINE = {
    "CARGO_NET_OFFLINE": "true", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly",
    "GOSUMDB": "off", "CGO_ENABLED": "0", "PIP_NO_INDEX": "1", "npm_config_offline": "true",
}  # fmt: skip

T = TypeVar("T")


class Link:
    """Starts the process in `box` at the first question. Its methods may be called from any thread."""

    def __init__(self, hello: Mapping[str, Any], cwd: Path, box: Box | None = None) -> None:
        self.status: list[Mapping[str, Any]] = []  # of every server, as last heard
        self.restarts = 0
        self._hello = json.dumps(hello).encode()
        self._cwd = cwd
        self._box = box or Unboxed()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._peer: Peer | None = None
        self._opening: asyncio.Task[Peer] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._number = 0
        self._silent = 0
        self._begun = False

    def ask(self, message: Mapping[str, Any], seconds: float) -> Any:
        """The answer to one message, or NoAnswer, in about so many seconds at the most."""
        return self._run(self._ask(message, seconds))

    def tell(self, message: Mapping[str, Any]) -> None:
        """Say something that has no answer; only to a process that runs."""
        if self._peer is not None:
            with suppress(NoAnswer):
                self._run(self._tell(message))

    def close(self) -> None:
        """End the process and every server. May be repeated; a later question starts it again."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        with suppress(TimeoutError, NoAnswer):
            asyncio.run_coroutine_threadsafe(self._shut(), loop).result(_CLOSE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_SECONDS)
        if not thread.is_alive():
            loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="language servers", daemon=True
                )
                self._thread.start()
            loop = self._loop
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    async def _ask(self, message: Mapping[str, Any], seconds: float) -> Any:
        self._number += 1
        number = self._number
        future: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        ready = False
        try:
            async with asyncio.timeout(seconds):
                peer = await self._ready()
                ready = True
                self._waiting[number] = future
                await peer.send(json.dumps({**message, "id": number}).encode())
                reply = await future
        except TimeoutError as error:
            if not ready:
                raise NoAnswer("the language servers are still starting") from error
            self._silent += 1
            raise NoAnswer(f"no answer within {seconds:g} s") from error
        except ConnectionError as error:
            raise NoAnswer("the process of the language servers is gone") from error
        finally:
            self._waiting.pop(number, None)
        self._silent = 0
        if "none" in reply:
            raise NoAnswer(str(reply["none"]))
        return reply["found"]

    async def _tell(self, message: Mapping[str, Any]) -> None:
        if self._peer is not None:
            with suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._peer.send(json.dumps(message).encode())

    @property
    def _sound(self) -> bool:
        """The process itself bounds its answers: silence over and over means that it hangs."""
        return self._peer is not None and self._peer.running and self._silent < _SILENT

    async def _ready(self) -> Peer:
        if self._peer is not None and self._sound:
            return self._peer
        if self._opening is None:
            if self._begun:
                self.restarts += 1
            if self.restarts > _RESTARTS:
                self.restarts = _RESTARTS
                raise NoAnswer("the process of the language servers fell too often")
            self._begun = True
            self._opening = asyncio.create_task(self._open())
        opening = self._opening
        opening.add_done_callback(self._opened)
        return await asyncio.shield(opening)

    def _opened(self, opening: "asyncio.Task[Peer]") -> None:
        if self._opening is opening:
            self._opening = None
        if not opening.cancelled():
            opening.exception()  # whoever waited for it may have given up

    async def _open(self) -> Peer:
        await self._end()
        argv = [sys.executable, "-I", "-c", _CODE, str(_PACKAGE)]
        try:
            entry = self._box.enter(argv, self._cwd, Access(write=False))
            peer = await Peer.start(entry, cwd=self._cwd, env=_OFFLINE)
        except ForModel as error:
            raise NoAnswer(str(error)) from error
        lines = peer.lines()
        try:
            await peer.send(self._hello)
            first = await anext(lines, b"")
        except (ConnectionError, NotPossible):
            first = b""
        except asyncio.CancelledError:
            await peer.stop()
            raise
        if not first:
            await peer.stop()
            words = " ".join(peer.stderr_tail.split())[-200:]
            raise NoAnswer(f"language servers cannot be started: {words}")
        self._peer, self._silent = peer, 0
        self._reading = asyncio.create_task(self._read(lines))
        return peer

    async def _read(self, lines: Any) -> None:
        try:
            async for line in lines:
                message = cast("dict[str, Any]", json.loads(line))
                if "status" in message:
                    self.status = message["status"]
                    continue
                future = self._waiting.get(message.get("id", 0))
                if future is not None and not future.done():
                    future.set_result(message)
        except (NotPossible, ValueError):
            pass  # no process of ours writes that; it is replaced at the next question
        finally:
            for future in self._waiting.values():
                if not future.done():
                    future.set_result({"none": "the process of the language servers ended"})

    async def _shut(self) -> None:
        """End the process, also one that is only starting."""
        if (opening := self._opening) is not None:
            opening.cancel()
            await asyncio.wait((opening,))
        await self._end()

    async def _end(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            await peer.stop()
        if self._reading is not None:
            self._reading.cancel()
            with suppress(asyncio.CancelledError):
                await self._reading
            self._reading = None
