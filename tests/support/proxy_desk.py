"""A recording proxy before an endpoint, and an agent that only knows the proxy."""

import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from support.endpoint import (
    USAGE,
    Answer,
    FakeEndpoint,
    Json,
)

from aoci_agent.agent.models.prices import Prices
from aoci_agent.agent.models.providers import Endpoint
from aoci_agent.evals.replay.cell import Tokens
from aoci_agent.evals.replay.exchange import REQUESTS, Exchange
from aoci_agent.evals.replay.proxy import Proxy
from aoci_agent.evals.replay.task import Budget
from aoci_agent.evals.replay.upstream import Upstream

KEY = "sk-secret-that-stays-outside"
ASKED: Json = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
COUNTED = Tokens(fresh=40, read=60, output=7)
PRICES = {"openai/m": {"input": 1.0, "output": 10.0, "cache_read": 0.5}}


class Desk:
    """A proxy before an endpoint, and an agent that only knows the proxy."""

    def __init__(self, proxy: Proxy, http: httpx.AsyncClient, log: Path) -> None:
        self.proxy = proxy
        self.http = http
        self.log = log

    async def post(self, body: Json, path: str = "/v1/chat/completions") -> httpx.Response:
        return await self.http.post(path, json=body)

    @property
    def lines(self) -> list[Exchange]:
        return [Exchange.model_validate_json(line) for line in self.log.read_text().splitlines()]


@asynccontextmanager
async def desk(
    endpoint: FakeEndpoint, folder: Path, budget: Budget | None = None, url: str = ""
) -> AsyncGenerator[Desk]:
    there = Endpoint("openai/m", "m", url or endpoint.url, KEY)
    log = folder / REQUESTS
    proxy = Proxy(Upstream(there, Prices("openai/m", PRICES)), log, budget or Budget())
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    headers = {"authorization": "Bearer dummy", "x-own": "kept"}
    async with (
        proxy.serving(listening),
        httpx.AsyncClient(base_url=address, headers=headers, trust_env=False) as http,
    ):
        yield Desk(proxy, http, log)


def whole(usage: Json | None = USAGE) -> Answer:
    choice = {"index": 0, "message": {"role": "assistant", "content": "hello"}}
    body: Json = {"choices": [choice]} | ({"usage": usage} if usage else {})
    return Answer(json.dumps(body).encode(), kind="application/json")
