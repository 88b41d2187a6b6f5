"""The user's model endpoint as the proxy of another agent reaches it: its address, its key, its prices."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aoci_agent.agent.models.openai_client import dialect_of
from aoci_agent.agent.models.prices import Prices
from aoci_agent.agent.models.providers import DIRECT, Endpoint, find_endpoint
from aoci_agent.base.errors import ModelUnavailable

ANTHROPIC = "https://api.anthropic.com"


@dataclass(frozen=True, slots=True)
class Upstream:
    """`asks_usage`: it takes `stream_options`."""

    endpoint: Endpoint
    prices: Prices
    asks_usage: bool = True

    def key(self, api: str) -> dict[str, str]:
        """The header that carries the key."""
        if not self.endpoint.key:
            return {}
        if self.endpoint.provider == "anthropic" and api != "chat":
            return {"x-api-key": self.endpoint.key}
        return {"authorization": f"Bearer {self.endpoint.key}"}


def upstream_of(
    name: str, env: Mapping[str, str], prices: Mapping[str, Mapping[str, Any]]
) -> Upstream:
    """Of a model by the name a user gives it. ModelUnavailable where no other agent could reach it."""
    provider, _, model = name.partition("/")
    if provider == "anthropic" and model:
        address = env.get("ANTHROPIC_BASE_URL", "").strip().rstrip("/").removesuffix("/v1")
        key = env.get("ANTHROPIC_API_KEY", "").strip()
        endpoint = Endpoint(name, model, f"{address or ANTHROPIC}/v1", key, provider)
        if not key and not endpoint.loopback:
            raise ModelUnavailable(f"no key for {name}", "export ANTHROPIC_API_KEY=...")
        listed = endpoint.url == f"{ANTHROPIC}/v1"
        return Upstream(endpoint, Prices(name, prices, endpoint.loopback, listed))
    if provider not in DIRECT:
        raise ModelUnavailable(
            f"other agents cannot be led to the model {name!r}",
            f"one of {', '.join(DIRECT)}, anthropic; `gold` and `idle` work in this program only",
        )
    endpoint = find_endpoint(name, env)
    return Upstream(
        endpoint,
        Prices(name, prices, endpoint.loopback, endpoint.own),
        dialect_of(endpoint).include_usage,
    )
