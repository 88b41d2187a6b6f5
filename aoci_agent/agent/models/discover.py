"""Which local model servers are running on their usual ports."""

import asyncio
from dataclasses import dataclass
from typing import Final

from aoci_agent.agent.models.connection import Connection
from aoci_agent.agent.models.faults import Caller
from aoci_agent.agent.models.providers import DIRECT, Endpoint

SERVERS: Final = {"ollama": "Ollama", "lmstudio": "LM Studio", "llamacpp": "llama.cpp"}


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answered, with ready-made values for --model (`ollama/qwen3`)."""

    server: str
    models: tuple[str, ...]


async def find_servers(urls: dict[str, str] | None = None, seconds: float = 0.3) -> list[Running]:
    """Ask all usual ports at once. `urls` (provider to base URL) is for other ports than those."""
    places = urls or {provider: DIRECT[provider].url for provider in SERVERS}
    found = await asyncio.gather(*(_ask(name, url, seconds) for name, url in places.items()))
    return [running for running in found if running.models]


async def _ask(provider: str, url: str, seconds: float) -> Running:
    connection = Connection(Endpoint(provider, "", url), Caller(provider, url), None)
    try:
        await connection.open()  # not within the time limit: importing httpx takes most of it
        names = await connection.model_names(seconds)
    finally:
        await connection.close()
    return Running(SERVERS[provider], tuple(f"{provider}/{name}" for name in names))
