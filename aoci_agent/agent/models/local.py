"""`local:FILE.gguf`: a model file of the user's own, served by a child process on loopback."""

import struct
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Final

from aoci_agent.agent.models.child import Shared, last_words, start_module
from aoci_agent.agent.models.model import Busy, NoticePiece, Piece, Request, Usage
from aoci_agent.agent.models.openai_client import OpenAIClient
from aoci_agent.agent.models.prices import Prices, Table
from aoci_agent.agent.models.providers import Endpoint
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.base.process import Peer

# Value types of the format: struct codes by number; 8 is a string, 9 an array.
_SCALARS: Final = dict(enumerate("BbHhIif?")) | dict(enumerate("Qqd", 10))
_STRING, _ARRAY = 8, 9
_MAX_TEXT = 16_000_000  # bytes

SMALL = 3_000_000_000  # bytes: below it, models answer questions and fail at edits (measured)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A GGUF file: its size in bytes and the context length it was trained for, None if unstated."""

    path: Path
    size: int
    context: int | None

    @property
    def small(self) -> bool:
        """Whether to expect answers rather than edits."""
        return self.size < SMALL

    @property
    def label(self) -> str:
        """What a person may expect of it."""
        ability = (
            "answers where/what questions; does not edit reliably"
            if self.small
            else "a local model; its edits need a check"
        )
        return f"{self.path.name} ({self.size / 1e9:.1f} GB): {ability}"


def inspect(path: Path) -> ModelFile:
    """Read the header. ModelUnavailable when there is no such file or it is something else."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelUnavailable(
                    f"{path} is not a GGUF file", "download a model in GGUF form"
                )
            size = path.stat().st_size
            try:
                context = _context(file)
            except (struct.error, ValueError, OverflowError) as error:
                raise ModelUnavailable(
                    f"{path} has a damaged header: is the download complete?"
                ) from error
    except OSError as error:
        raise ModelUnavailable(
            f"cannot read the model file {path}: {error.strerror}",
            "write local: and the path of a .gguf file",
        ) from error
    return ModelFile(path, size, context)


def _context(file: BinaryIO) -> int | None:
    """The `ARCHITECTURE.context_length` value; it comes before the large arrays of the tokenizer."""
    version, _tensors, count = _unpack(file, "<IQQ")
    if not 2 <= version <= 3 or count > 100_000:
        raise ValueError("unknown version")
    for _ in range(count):
        key = _text(file)
        value = _value(file, _unpack(file, "<I")[0])
        if key.endswith(".context_length") and isinstance(value, int):
            return value
    return None


def _value(file: BinaryIO, kind: int) -> object:
    if kind == _STRING:
        return _text(file)
    if kind == _ARRAY:
        inner, count = _unpack(file, "<IQ")
        if inner in _SCALARS:
            file.seek(struct.calcsize("<" + _SCALARS[inner]) * count, 1)
            return None
        for _ in range(count):
            _value(file, inner)
        return None
    if kind not in _SCALARS:
        raise ValueError("unknown value type")
    return _unpack(file, "<" + _SCALARS[kind])[0]


def _text(file: BinaryIO) -> str:
    (length,) = _unpack(file, "<Q")
    if length > _MAX_TEXT:
        raise ValueError("text too long")
    return file.read(length).decode("utf-8", "replace")


def _unpack(file: BinaryIO, code: str) -> tuple[int, ...]:
    return struct.unpack(code, file.read(struct.calcsize(code)))


LOAD_SECONDS = 300.0
CONTEXT = 16_384  # tokens, unless the model was trained for fewer: its memory grows with it

Served = tuple[Peer, OpenAIClient]


class LocalModel:
    """Starts the server on first use, then is an OpenAI client on it."""

    recorded = False

    def __init__(self, path: Path, user_prices: Table | None = None) -> None:
        """ModelUnavailable when the file or the engine is missing."""
        self.file: ModelFile = inspect(path)
        if find_spec("xllamacpp") is None:
            raise ModelUnavailable(
                f"serving {path.name} needs an engine that is not installed",
                "pip install 'aoci-agent[local]'",
            )
        self.name = f"local:{path}"
        self._user_prices = user_prices or {}
        self._prices = Prices(self.name, self._user_prices, local=True)
        self._server = Shared(self._start, lambda served: served[0].running, _end)

    @property
    def window(self) -> int:
        return self._prices.window or min(CONTEXT, self.file.context or CONTEXT)

    def priced(self, usage: Usage) -> Usage:
        """Nothing, unless the user set a price."""
        return self._prices.priced(usage)

    async def warm(self) -> None:
        """Start the server and wait until the model is loaded."""
        await self._server.get()

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """One completion, streamed. A server that died is named, and started anew the next time."""
        if not self._server.ready:
            yield NoticePiece(f"loading {self.file.label}")
        peer, client = await self._server.get()
        try:
            async with aclosing(client.stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
        except (Busy, ModelUnavailable) as error:
            if peer.running:
                raise
            raise ModelUnavailable(
                f"the server of {self.file.path.name} ended: {last_words(peer)}",
                "is there enough memory for the model?",
            ) from error

    async def close(self) -> None:
        await self._server.close()

    async def _start(self) -> Served:
        path = self.file.path.resolve()
        arguments = (str(path), str(self.window))
        peer, line = await start_module(
            "local_server", *arguments, label=self.file.path.name, env={}, seconds=LOAD_SECONDS
        )
        url = line.decode() + "/v1"
        return peer, OpenAIClient(
            Endpoint(self.name, path.name, url, provider="local"), self._user_prices
        )


async def _end(served: Served) -> None:
    peer, client = served
    await client.close()
    await peer.stop()
