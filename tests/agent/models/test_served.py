"""The context window a local server states."""

import pytest
from support.asking import hear
from support.endpoint import Json, says, serving

from aoci_agent.agent.models.openai_client import OpenAIClient
from aoci_agent.agent.models.providers import Endpoint

PAGES: list[tuple[str, str, Json, int | None]] = [
    ("llamacpp", "/props", {"default_generation_settings": {"n_ctx": 8192}}, 8192),
    ("lmstudio", "/api/v0/models/m", {"id": "m", "loaded_context_length": 4096}, 4096),
    ("ollama", "/api/ps", {"models": [{"name": "m:latest", "context_length": 16384}]}, 16384),
    ("ollama", "/api/ps", {"models": [{"name": "other", "context_length": 16384}]}, None),
    ("ollama", "/api/ps", {"models": "none"}, None),
    ("llamacpp", "/props", {"default_generation_settings": {"n_ctx": "many"}}, None),
    ("openai", "/props", {"default_generation_settings": {"n_ctx": 8192}}, None),
]


@pytest.mark.parametrize(("provider", "path", "page", "window"), PAGES)
async def test_it_is_asked_once_after_the_first_reply(
    provider: str, path: str, page: Json, window: int | None
) -> None:
    async with serving(says("hi")) as server:
        server.pages[path] = page
        client = OpenAIClient(Endpoint(f"{provider}/m", "m", server.url, provider=provider))
        assert client.window is None
        await hear(client)
        await hear(client)
        await client.close()
    assert client.window == window
    assert len(server.seen) - len(server.posts) == (provider != "openai")


async def test_the_users_word_wins() -> None:
    async with serving(says("hi")) as server:
        server.pages["/props"] = {"default_generation_settings": {"n_ctx": 8192}}
        prices = {"llamacpp/m": {"input": 0, "output": 0, "window": 2048}}
        endpoint = Endpoint("llamacpp/m", "m", server.url, provider="llamacpp")
        client = OpenAIClient(endpoint, prices)
        await hear(client)
        await client.close()
    assert client.window == 2048
