"""Reading a child's output as it comes, for the record and for whoever watches."""

import asyncio
import codecs
import os
from collections.abc import Callable

from aoci_agent.base.capture import Capture

_CHUNK = 65_536
_INTERVAL = 0.05  # seconds: at most 20 updates a second
_SHOWN = 16_384  # characters of one update; a flood shows its newest


class Live:
    """Passes text on at most 20 times a second, at most the newest 16 KB each time."""

    def __init__(self, show: Callable[[str], None] | None) -> None:
        self._show = show
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        if self._show is None:
            return
        self._pending = (self._pending + self._decoder.decode(data))[-_SHOWN:]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_INTERVAL, self.flush)

    def flush(self) -> None:
        """Pass on what is pending."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._show is not None and self._pending:
            text, self._pending = self._pending, ""
            self._show(text)


class Output:
    """A pipe read into a capture by the event loop. `flooded` is set once `limit` bytes came."""

    def __init__(self, descriptor: int, capture: Capture, limit: int, live: Live) -> None:
        self._descriptor = descriptor
        self._capture = capture
        self._limit = limit
        self._live = live
        self.ended = asyncio.Event()
        self.flooded = asyncio.Event()
        os.set_blocking(descriptor, False)
        asyncio.get_running_loop().add_reader(descriptor, self._take)

    def drain(self) -> None:
        """After the writers are gone: read what is left in the pipe, then stop reading."""
        while not self.ended.is_set() and not self.flooded.is_set() and self._take():
            pass
        self.stop()
        self._live.flush()

    def stop(self) -> None:
        """Stop reading."""
        asyncio.get_running_loop().remove_reader(self._descriptor)

    def _take(self) -> bool:
        try:
            data = os.read(self._descriptor, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.ended.set()
            self.stop()
            return False
        self._capture.feed(data)
        self._live.feed(data)
        if self._capture.total > self._limit:
            self.flooded.set()
            self.stop()
        return True
