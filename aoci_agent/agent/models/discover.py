"""Which local model servers are running on their usual ports."""

import asyncio
from dataclasses import dataclass
from typing import Final

from aoci_agent.agent.models.endpoints import PROVIDERS, Endpoint
from aoci_agent.agent.models.openai_client import OpenAIClient

SERVERS: Final = {"ollama": "Ollama", "lmstudio": "LM Studio", "llamacpp": "llama.cpp"}
SECONDS: Final = 0.3


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answered, with ready-made values for --model (`ollama/qwen3`)."""

    server: str
    models: tuple[str, ...]


async def find_servers(
    urls: dict[str, str] | None = None, seconds: float = SECONDS
) -> list[Running]:
    """Ask all usual ports at once. `urls` (provider to base URL) is for other ports than those."""
    places = urls or {provider: PROVIDERS[provider].url for provider in SERVERS}
    # Not within the time limit: importing httpx for the first time takes most of it.
    clients = {name: OpenAIClient(Endpoint(name, "", url)) for name, url in places.items()}
    await asyncio.gather(*(client.warm() for client in clients.values()))
    found = await asyncio.gather(*(client.model_names(seconds) for client in clients.values()))
    await asyncio.gather(*(client.close() for client in clients.values()))
    return [
        Running(SERVERS[provider], tuple(f"{provider}/{name}" for name in names))
        for provider, names in zip(clients, found, strict=True)
        if names
    ]
