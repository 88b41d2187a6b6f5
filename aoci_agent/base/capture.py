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
        head = _whole_lines_at_start(bytes(self._head))
        tail = _whole_lines_at_end(tail[-self._tail_limit :])
        omitted = self.total - len(head) - len(tail)
        middle = f"[... {omitted:,} bytes omitted ...]\n"
        before = head.decode(errors="replace")
        if before and not before.endswith("\n"):
            middle = "\n" + middle
        return before + middle + tail.decode(errors="replace"), omitted

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


def _whole_lines_at_start(data: bytes) -> bytes:
    """Without a last line that was cut, as long as something is left; else a whole last character."""
    end = data.rfind(b"\n") + 1
    if end:
        return data[:end]
    return data.decode(errors="ignore").encode() if _is_utf8_but_for_end(data) else data


def _whole_lines_at_end(data: bytes) -> bytes:
    start = data.find(b"\n") + 1
    if 0 < start < len(data):
        return data[start:]
    lead = 0
    while lead < min(3, len(data)) and data[lead] & 0xC0 == 0x80:
        lead += 1
    return data[lead:]


def _is_utf8_but_for_end(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3
    return True
