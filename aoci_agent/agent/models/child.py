"""Child processes that run a module of ours: started on first use, and again after they ended."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from aoci_agent.base.errors import AgentError, ModelUnavailable
from aoci_agent.base.process import Peer
from aoci_agent.base.terminal import one_line

_PACKAGE = Path(__file__).resolve().parents[2]
# -I keeps the working directory and PYTHON* variables out of the child; the folder of this package
# is added last, for a checkout that is not installed.
_CODE = (
    "import sys; from importlib import import_module; sys.path.append(sys.argv[1]); "
    "import_module(sys.argv[2]).main()"
)

T = TypeVar("T")


async def start_module(
    name: str, *arguments: str, label: str, env: Mapping[str, str], seconds: float
) -> tuple[Peer, bytes]:
    """Run main() of `aoci_agent.agent.models.NAME`; returns the process and its first line.

    ModelUnavailable, with `label`, when it ends or says nothing for so many seconds.
    """
    module = f"{__package__}.{name}"
    argv = [sys.executable, "-I", "-c", _CODE, str(_PACKAGE.parent), module, *arguments]
    peer = await Peer.start(argv, cwd=_PACKAGE, env=env)
    started = False
    try:
        async with asyncio.timeout(seconds):
            line = await anext(aiter(peer.lines()), b"")
        started = bool(line)
    except TimeoutError as error:
        raise ModelUnavailable(
            f"{label} did not start within {seconds:.0f} s", "is the machine overloaded?"
        ) from error
    finally:
        if not started:
            await peer.stop()
    if not started:
        raise ModelUnavailable(f"{label} did not start: {last_words(peer)}", "is memory short?")
    return peer, line


def last_words(peer: Peer) -> str:
    """The end of what a process said before it ended, on one line."""
    said = " ".join(peer.stderr_tail.split())[-300:]
    return one_line(said, 300) or "it said nothing"


class Shared(Generic[T]):
    """Something slow to start that callers wait for together. One may be cancelled: the start goes on."""

    def __init__(
        self,
        start: Callable[[], Coroutine[Any, Any, T]],
        usable: Callable[[T], bool],
        end: Callable[[T], Awaitable[None]],
    ) -> None:
        self._start = start
        self._usable = usable
        self._end = end
        self._starting: asyncio.Task[T] | None = None

    @property
    def ready(self) -> bool:
        """Whether there is nothing to wait for."""
        task = self._starting
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return False
        return self._usable(task.result())

    async def get(self) -> T:
        """What is running; starts it when nothing is, or what there was is no longer usable."""
        if self._starting is not None and self._starting.done() and not self.ready:
            await self.close()
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def close(self) -> None:
        """End it; the next caller starts another."""
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.cancel()  # does nothing to one that is done
            with suppress(asyncio.CancelledError, AgentError):
                await self._end(await starting)
