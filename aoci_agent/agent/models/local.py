"""`local:FILE.gguf`: a model file of the user's own, served by a child process on loopback."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path

from aoci_agent.agent.models.endpoints import Endpoint
from aoci_agent.agent.models.gguf import ModelFile, inspect
from aoci_agent.agent.models.model import Busy, NoticePiece, Piece, Request, Usage
from aoci_agent.agent.models.openai_client import OpenAIClient
from aoci_agent.agent.models.prices import Prices, Table
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.base.process import Peer
from aoci_agent.base.terminal import one_line

LOAD_SECONDS = 300.0
CONTEXT = 16_384  # tokens, unless the model was trained for fewer: its memory grows with it

_PACKAGE = Path(__file__).resolve().parents[2]
_MAIN = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from aoci_agent.agent.models.local_server import main; main()"
)


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
        self._starting: asyncio.Task[tuple[Peer, OpenAIClient]] | None = None

    @property
    def window(self) -> int:
        """Context window in tokens."""
        return self._prices.window or min(CONTEXT, self.file.context or CONTEXT)

    def priced(self, usage: Usage) -> Usage:
        """Nothing, unless the user set a price."""
        return self._prices.priced(usage)

    async def warm(self) -> None:
        """Start the server and wait until the model is loaded."""
        await self._client()

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """One completion, streamed. A server that died is named, and started anew the next time."""
        if self._starting is None:
            yield NoticePiece(f"loading {self.file.label}")
        peer, client = await self._client()
        try:
            async with aclosing(client.stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
        except (Busy, ModelUnavailable) as error:
            if peer.running:
                raise
            await self.close()
            raise _death(self.file, peer) from error

    async def close(self) -> None:
        """End the server."""
        starting, self._starting = self._starting, None
        if starting is None:
            return
        starting.cancel()  # does nothing to one that is done
        try:
            peer, client = await starting
        except (asyncio.CancelledError, ModelUnavailable):
            return
        await client.close()
        await peer.stop()

    async def _client(self) -> tuple[Peer, OpenAIClient]:
        failed = self._starting is not None and self._starting.done() and _failed(self._starting)
        if self._starting is None or failed:
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def _start(self) -> tuple[Peer, OpenAIClient]:
        path = self.file.path.resolve()
        argv = [sys.executable, "-I", "-c", _MAIN, str(_PACKAGE.parent), str(path)]
        peer = await Peer.start([*argv, str(self.window)], cwd=_PACKAGE, env={})
        try:
            async with asyncio.timeout(LOAD_SECONDS):
                line = await anext(aiter(peer.lines()), b"")
            if not line.startswith(b"READY "):
                raise _death(self.file, peer)
            url = line.removeprefix(b"READY ").decode() + "/v1"
            endpoint = Endpoint(self.name, path.name, url, provider="local")
            client = OpenAIClient(endpoint, self._user_prices)
            await client.warm()
        except TimeoutError as error:
            await peer.stop()
            raise ModelUnavailable(
                f"{path.name} did not load within {LOAD_SECONDS:.0f} s"
            ) from error
        except BaseException:
            await peer.stop()
            raise
        return peer, client


def _failed(starting: "asyncio.Task[tuple[Peer, OpenAIClient]]") -> bool:
    return starting.cancelled() or starting.exception() is not None


def _death(file: ModelFile, peer: Peer) -> ModelUnavailable:
    tail = one_line(" ".join(peer.stderr_tail.split())[-300:], 300)
    return ModelUnavailable(
        f"the server of {file.path.name} ended: {tail or 'it said nothing'}",
        "is there enough memory for the model?",
    )
