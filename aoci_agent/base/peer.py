"""A long-lived child that speaks in lines over its pipes."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from aoci_agent.base.box import Entry
from aoci_agent.base.capture import Capture
from aoci_agent.base.child import Child, start
from aoci_agent.base.errors import NotPossible

LINE_LIMIT = 64_000_000  # bytes of one line
_STDERR_KEPT = 16_000
_GRACE = 0.5  # seconds to leave by itself after its input was closed


class Peer:
    """A running program, its lines in and out, and the end of what it wrote to standard error.

    It is expected to leave when its input ends, which also happens when this process dies.
    """

    def __init__(
        self, child: Child, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Use `Peer.start`."""
        self._child = child
        self._reader = reader
        self._writer = writer
        self._errors = Capture(_STDERR_KEPT)
        self._watcher: asyncio.Task[None] | None = None
        self._transports: list[asyncio.BaseTransport] = []

    @classmethod
    async def start(
        cls,
        argv: Sequence[str] | Entry,
        *,
        cwd: Path,
        env: Mapping[str, str],
    ) -> Self:
        """Start the program with the scrubbed environment plus `env`. TryAgain when it is missing."""
        child = start(argv, cwd, env, subprocess.PIPE, subprocess.PIPE)
        stdin, stderr = child.process.stdin, child.process.stderr
        assert stdin is not None
        assert stderr is not None
        reader, out = await _reader(child.stdout)
        errors, err = await _reader(stderr)
        peer = cls(child, reader, await _writer(stdin))
        peer._transports = [out, err]
        peer._watcher = asyncio.create_task(peer._watch(errors))
        return peer

    async def send(self, line: bytes) -> None:
        """Send one line; the line end is added. ConnectionError when the program is gone."""
        self._writer.write(line + b"\n")
        await self._writer.drain()

    async def lines(self) -> AsyncIterator[bytes]:
        """Its lines without line ends, until it closes its output. NotPossible for one over 64 MB."""
        while True:
            try:
                line = await self._reader.readline()
            except ValueError as error:
                raise NotPossible(f"a line of over {LINE_LIMIT:,} bytes") from error
            if not line:
                return
            yield line.removesuffix(b"\n").removesuffix(b"\r")

    @property
    def stderr_tail(self) -> str:
        """The end of its standard error, some 10 KB."""
        return self._errors.tail_text()

    @property
    def running(self) -> bool:
        """Whether the program itself has not ended yet."""
        return not self._child.exited()

    async def stop(self) -> None:
        """Close its input, wait half a second, then end it and everything it started. May be repeated."""
        self._writer.close()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_GRACE):
                    await self._child.exit()
        finally:
            await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(self._child.finish)))
            if self._watcher is not None:
                self._watcher.cancel()
            for transport in self._transports:
                transport.close()
            self._child.close()

    async def _watch(self, errors: asyncio.StreamReader) -> None:
        while data := await errors.read(65_536):
            self._errors.feed(data)


async def _reader(pipe: IO[bytes]) -> tuple[asyncio.StreamReader, asyncio.BaseTransport]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader, transport


async def _writer(pipe: IO[bytes]) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    # This protocol is used only for its flow control, which `drain` needs.
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), pipe
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)
