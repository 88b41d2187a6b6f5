"""How large a context a local server really gives: it is set there, not by the model."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from aoci_agent.agent.models.endpoints import Endpoint

if TYPE_CHECKING:
    import httpx

# Where each server says it, below its root, and the way to the number in its answer.
_PLACES: dict[str, tuple[str, tuple[str, ...]]] = {
    "llamacpp": ("/props", ("default_generation_settings", "n_ctx")),
    "lmstudio": ("/api/v0/models/{model}", ("loaded_context_length",)),
    "ollama": ("/api/ps", ("models", "{model}", "context_length")),
}


async def served_window(
    http: "httpx.AsyncClient", endpoint: Endpoint, seconds: float = 0.5
) -> int | None:
    """Tokens, None when the server does not say. Ask once the model is loaded: after a reply.

    It matters most for Ollama, which cuts longer prompts without a word.
    """
    import httpx

    place = _PLACES.get(endpoint.provider)
    if place is None:
        return None
    path, way = place
    url = endpoint.url.removesuffix("/v1") + path.replace("{model}", endpoint.model)
    try:
        async with asyncio.timeout(seconds):
            value: object = (await http.get(url)).json()
    except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, ValueError):
        return None
    for key in way:
        value = _named(value, endpoint.model) if key == "{model}" else _field(value, key)
    return value if isinstance(value, int) and value > 0 else None


def _field(value: object, key: str) -> object:
    return cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else None


def _named(value: object, model: str) -> object:
    """The entry of a list for this model; Ollama adds `:latest` to a name without a tag."""
    entries = cast("list[object]", value) if isinstance(value, list) else []
    wanted = (model, f"{model}:latest")
    return next((entry for entry in entries if _field(entry, "name") in wanted), None)
