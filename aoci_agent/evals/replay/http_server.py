"""As much of an HTTP/1.1 server as agents need that call a model: one request a connection, streamed answers."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

MOST = 64_000_000  # bytes of a request


class BadRequest(Exception):
    """What came is no HTTP request, or is too large; answered with `status`."""

    def __init__(self, told: str, status: int = 400) -> None:
        super().__init__(told)
        self.status = status


@dataclass(frozen=True, slots=True)
class Received:
    """A request. Names of headers are in lower case; `target` is the path with its query."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Received | None:
    """The request of a connection; None when it closed without one. Raises BadRequest."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").rstrip().split("\r\n")
        method, target, _ = first.split(" ", 2)
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        if headers.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return Received(method, target, headers, await _chunked(reader))
        length = int(headers.get("content-length") or 0)
        if not 0 <= length <= MOST:
            raise BadRequest(f"a request of {length} bytes", 413 if length > 0 else 400)
        return Received(method, target, headers, await reader.readexactly(length))
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise BadRequest("the connection closed within a request") from error
    except (ValueError, asyncio.LimitOverrunError) as error:
        raise BadRequest("it is no HTTP request") from error


async def _chunked(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while True:
        size = int((await reader.readline()).partition(b";")[0], 16)
        if size < 0 or len(body) + size > MOST:
            raise BadRequest("the request is too large", 413)
        body += await reader.readexactly(size)
        await reader.readline()  # the end of the piece, or of trailers
        if not size:
            return bytes(body)


class Answering:
    """An answer in pieces. One that is not ended shows the other side that it was cut."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.begun = False

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the head."""
        phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Answer"
        told = {**headers, "transfer-encoding": "chunked", "connection": "close"}
        lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {told[name]}" for name in told)]
        self._writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace"))
        self.begun = True
        await self._writer.drain()

    async def send(self, data: bytes) -> None:
        """Send a piece. Raises ConnectionError when nobody is there any more."""
        if data:
            self._writer.write(b"%x\r\n%s\r\n" % (len(data), data))
            await self._writer.drain()

    async def end(self) -> None:
        """It is whole."""
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def whole(self, status: int, kind: str, body: bytes) -> None:
        """A short answer at once."""
        await self.begin(status, {"content-type": kind})
        await self.send(body)
        await self.end()
