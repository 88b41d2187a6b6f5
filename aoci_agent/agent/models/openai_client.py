"""A small direct client for OpenAI-compatible chat completions.

It exists because importing litellm costs 7-10 CPU seconds; httpx, imported on first use, costs 0.2.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from aoci_agent.agent.models.accumulate import Chunk
from aoci_agent.agent.models.connection import DONE, Connection, Timeouts
from aoci_agent.agent.models.faults import Caller, refusal, unknown_model
from aoci_agent.agent.models.model import Busy, MalformedReply, Piece, Reply, Request, Usage
from aoci_agent.agent.models.prices import Prices, Table
from aoci_agent.agent.models.providers import Endpoint
from aoci_agent.agent.models.rates import Rates, rates_for
from aoci_agent.agent.models.reading import END, Dropped, read_reply
from aoci_agent.agent.models.wire import conversation, marked_conversation, tools
from aoci_agent.base.errors import AgentError, ModelUnavailable

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where compatible servers differ; learned from their refusals."""

    include_usage: bool = True
    max_field: str = "max_tokens"
    cache_key: bool = False  # prompt_cache_key: requests of one session go to one cache
    breakpoints: bool = False  # prompt_cache_breakpoint

    def after(self, status: int, body: str) -> "Dialect":
        """The dialect to try after this refusal; unchanged when it says nothing about it."""
        if status not in (400, 422):
            return self
        if "stream_options" in body:
            return replace(self, include_usage=False)
        if "max_completion_tokens" in body:
            return replace(self, max_field="max_completion_tokens")
        if "prompt_cache" in body:
            return replace(self, cache_key=False, breakpoints=False)
        return self


def rates_of(endpoint: Endpoint) -> Rates | None:
    """The caching rules of a provider's own server; of others none are known."""
    known = endpoint.own or endpoint.provider == "openrouter"
    return rates_for(endpoint.name) if known else None


def dialect_of(endpoint: Endpoint) -> Dialect:
    """The dialect to begin with."""
    rates = rates_of(endpoint)
    key = rates is not None and rates.key
    breakpoints = rates is not None and rates.mark == "prompt_cache_breakpoint"
    if endpoint.provider == "openai" and endpoint.own:
        return Dialect(max_field="max_completion_tokens", cache_key=key, breakpoints=breakpoints)
    # Mistral sends usage without being asked and refuses the question.
    return Dialect(include_usage=endpoint.provider != "mistral", cache_key=key)


class OpenAIClient:
    """One model on one endpoint."""

    recorded = False

    def __init__(
        self,
        endpoint: Endpoint,
        user_prices: Table | None = None,
        timeouts: Timeouts | None = None,
        *,
        long_prefix: bool = False,
    ) -> None:
        """`long_prefix` keeps the fixed layers in the cache for an hour where that can be chosen."""
        self.name = endpoint.name
        self.rates = rates_of(endpoint)
        self._long_prefix = long_prefix
        self._endpoint = endpoint
        self._prices = Prices(endpoint.name, user_prices or {}, endpoint.loopback, endpoint.own)
        self._caller = Caller(endpoint.name, endpoint.url, endpoint.key_variable, endpoint.key)
        self._connection = Connection(endpoint, self._caller, timeouts)
        self._dialect = dialect_of(endpoint)
        self._served: int | None = None  # the window a local server stated; 0: it did not

    @property
    def window(self) -> int | None:
        """Context window in tokens: the user's word, what the server said, a catalogue; or None."""
        return self._prices.user_window or self._served or self._prices.window

    def priced(self, usage: Usage) -> Usage:
        return self._prices.priced(usage)

    async def warm(self) -> None:
        """Import what the first request needs."""
        await self._connection.open()

    async def close(self) -> None:
        await self._connection.close()

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """One chat completion, streamed."""
        response = await self._send(request)
        try:
            async with (
                aclosing(self._chunks(response)) as chunks,
                aclosing(read_reply(chunks, request, self._caller, self._prices)) as pieces,
            ):
                async for piece in pieces:
                    if isinstance(piece, Reply) and self._served is None and self._endpoint.local:
                        self._served = await self._connection.window() or 0
                    yield piece
        finally:
            await response.aclose()

    def body(self, request: Request) -> dict[str, Any]:
        """The JSON that is sent. Equal requests give equal bytes."""
        body: dict[str, Any] = {"model": self._endpoint.model, "stream": True}
        body["messages"] = self._messages(request)
        if request.prefix.tools:
            body["tools"] = tools(request.prefix.tools)
        body[self._dialect.max_field] = request.max_output
        if self._dialect.include_usage:
            body["stream_options"] = {"include_usage": True}
        if self._dialect.cache_key:
            body["prompt_cache_key"] = request.prefix.content_id
        if self._endpoint.provider == "openrouter":
            body["usage"] = {"include": True}  # its own cost figure comes with it
        return body | request.extra

    def _messages(self, request: Request) -> list[dict[str, Any]]:
        rates = self.rates
        if rates and rates.mark and (rates.mark == "cache_control" or self._dialect.breakpoints):
            return marked_conversation(request, rates, long_prefix=self._long_prefix)
        return conversation(request, echo_reasoning=self._endpoint.provider == "deepseek")

    async def _send(self, request: Request) -> "httpx.Response":
        """Post until the answer is 200, changing the dialect as refusals teach it (three times at most)."""
        while True:
            response = await self._connection.post(self.body(request))
            if response.status_code == 200:
                return response
            try:
                refused = await self._connection.text(response)
            except Dropped as error:
                raise Busy(str(error)) from error
            dialect = self._dialect.after(response.status_code, refused)
            if dialect == self._dialect:
                raise await self._refusal(response, refused)
            self._dialect = dialect

    async def _chunks(self, response: "httpx.Response") -> AsyncGenerator[Chunk | None]:
        """The parsed chunks of an answer, then END if the server said so."""
        kind = response.headers.get("content-type", "")
        if "text/html" in kind:
            raise ModelUnavailable(
                f"{self._endpoint.url} answers with a web page, not with a model",
                "check the base URL: it usually ends in /v1",
            )
        if "application/json" in kind:  # the server ignored `stream`
            yield _parse((await self._connection.text(response, 16_000_000)).encode())
            yield END
            return
        async with aclosing(self._connection.payloads(response)) as payloads:
            async for payload in payloads:
                if payload == DONE:
                    yield END
                    return
                yield _parse(payload)

    async def _refusal(self, response: "httpx.Response", body: str) -> AgentError:
        if response.status_code == 404:
            return unknown_model(body, self._caller, await self._connection.model_names())
        if response.is_redirect:
            return ModelUnavailable(
                f"{self._endpoint.url} redirects to another address; the key is not sent there",
                f"set {self._endpoint.url_variable or 'the base URL'} to the final address",
            )
        return refusal(response.status_code, body, self._caller, response.headers)


def _parse(payload: bytes) -> Chunk:
    try:
        value: object = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise MalformedReply("the model's server sent a chunk that is not JSON") from error
    if not isinstance(value, dict):
        raise MalformedReply("the model's server sent a chunk that is not a JSON object")
    return cast("dict[str, Any]", value)
