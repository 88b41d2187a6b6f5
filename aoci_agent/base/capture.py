"""Keeping the beginning and the end of an output of any size."""

import os
import tempfile
from collections import deque
from contextlib import suppress
from pathlib import Path


class Capture:
    """The first third and the last two thirds of `limit` bytes; the whole in a file once it is more.

    The file (0600, in `folder`, made when needed) holds at most `spill_limit` bytes. Without a
    folder nothing is spilled.
    """

    def __init__(self, limit: int, spill_limit: int = 0, folder: Path | None = None) -> None:
        self._head_limit = limit // 3
        self._tail_limit = limit - self._head_limit
        self._limit = limit
        self._spill_limit = spill_limit
        self._folder = folder
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._file = -1
        self.total = 0
        self.spill: Path | None = None

    def feed(self, data: bytes) -> None:
        """Take the next piece, of any size."""
        if self.total <= self._limit < self.total + len(data):
            self._start_spilling()
        self._write(data)
        self.total += len(data)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_size += len(data)
            self._trim()

    def close(self) -> None:
        """Finish the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def text(self) -> tuple[str, int]:
        """What was kept, with a line in place of what was not, and the number of bytes left out."""
        tail = b"".join(self._tail)
        if self.total <= self._limit:
            return (bytes(self._head) + tail).decode(errors="replace"), 0
        # Whole lines where there are any; a character cut in two would only show as garbage.
        head = bytes(self._head[: self._head.rfind(b"\n") + 1] or self._head)
        tail = tail[-self._tail_limit :]
        tail = tail[tail.find(b"\n") + 1 :] or tail
        before = head.decode(errors="replace").removesuffix("\ufffd")
        after = tail.decode(errors="replace").lstrip("\ufffd")
        omitted = self.total - len(head) - len(tail)
        line_end = "" if before.endswith("\n") or not before else "\n"
        return f"{before}{line_end}[... {omitted:,} bytes omitted ...]\n{after}", omitted

    def tail_text(self) -> str:
        """Only the end, decoded; all of an output within the limit."""
        if self.total <= self._limit:
            return self.text()[0]
        return b"".join(self._tail)[-self._tail_limit :].decode(errors="replace")

    def _trim(self) -> None:
        while self._tail_size - len(self._tail[0]) >= self._tail_limit:
            self._tail_size -= len(self._tail.popleft())

    def _start_spilling(self) -> None:
        if self._folder is None:
            return
        with suppress(OSError):  # a full disk costs the file, not the command
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file, name = tempfile.mkstemp(prefix="output-", suffix=".txt", dir=self._folder)
            self.spill = Path(name)
            self._write(bytes(self._head) + b"".join(self._tail))

    def _write(self, data: bytes) -> None:
        if self._file < 0:
            return
        try:
            view = memoryview(data)[: max(0, self._spill_limit - os.fstat(self._file).st_size)]
            while view:
                view = view[os.write(self._file, view) :]
        except OSError:
            self.close()
