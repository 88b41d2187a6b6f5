"""A recording proxy between an agent and the user's model endpoint: what the endpoint counts is what is told.

Every request is passed on with the same bytes and every answer as it comes; each leaves a line in
`requests.jsonl`. The agent never has the key. Two things are changed, and both are in the record: a
request for another model goes to the cell's, and a stream is asked for its usage, whose last event is
then kept from an agent that did not ask for it.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Any

from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.models.usage import normalise
from aoci_agent.evals.replay.cell import Spent, Tokens
from aoci_agent.evals.replay.exchange import (
    PATHS,
    Api,
    Exchange,
    Reading,
    mapping,
    parsed,
    spent_on,
    told_of,
)
from aoci_agent.evals.replay.http_server import Answering, BadRequest, Received, receive
from aoci_agent.evals.replay.relayed import Relayed
from aoci_agent.evals.replay.task import Budget
from aoci_agent.evals.replay.upstream import Upstream

if TYPE_CHECKING:
    import httpx

SILENCE = 600.0  # seconds an endpoint may say nothing
LINGERS = 5.0  # seconds for the rest of a request that is too large
BYTES = 4  # of a request, for about one token
_ROOT = "/v1"
_OTHERS = ("/models", "/messages/count_tokens")
_OWN = {
    *("host", "connection", "keep-alive", "content-length", "transfer-encoding", "expect"),
    *("authorization", "x-api-key", "api-key", "cookie", "accept-encoding", "proxy-authorization"),
}
_ANSWERED = {"connection", "keep-alive", "content-length", "transfer-encoding", "content-encoding"}


@dataclass
class _Open:
    """A request while it is answered."""

    number: int
    api: Api
    received: Received
    path: str
    body: bytes
    asked: str = ""  # the model the agent named, where it was another one
    hides_usage: bool = False
    begun: float = field(default_factory=time.monotonic)
    at: float = field(default_factory=time.time)


class Proxy:
    """Serves one cell. `over` is set when its budget is used up; every further call is refused then."""

    def __init__(self, upstream: Upstream, log: Path, budget: Budget) -> None:
        self._upstream = upstream
        self._log = log
        self._budget = budget
        self._asks_usage = upstream.asks_usage
        self._http: httpx.AsyncClient | None = None
        self._count = 0
        self._connections: set[asyncio.Task[None]] = set()
        self.exchanges: list[Exchange] = []
        self._open = 0  # calls that wait for their answer
        self.over = asyncio.Event()
        self.reason = ""  # which bound of the budget was reached
        self.told = ""  # and in words

    @property
    def steps(self) -> int:
        """Calls of the model that were answered."""
        return sum(one.step for one in self.exchanges)

    @property
    def spent(self) -> Spent:
        """Of all of them; None as soon as one did not say it."""
        return spent_on(self.exchanges)

    @asynccontextmanager
    async def serving(self, listening: socket) -> AsyncGenerator[None]:
        """Serve on a socket that listens; it is closed afterwards."""
        import httpx

        endpoint = self._upstream.endpoint
        self._http = httpx.AsyncClient(
            verify=endpoint.url.startswith("https:"),
            trust_env=not endpoint.loopback,
            timeout=httpx.Timeout(SILENCE, connect=20.0),
        )
        server = await asyncio.start_server(self._connected, sock=listening, limit=1 << 18)
        try:
            yield
        finally:
            server.close()
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)
            await self._http.aclose()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        answer = Answering(writer)
        try:
            with suppress(ConnectionError, asyncio.CancelledError):
                try:
                    received = await receive(reader, writer)
                except BadRequest as error:
                    told = _error(str(error), "invalid_request_error")
                    await answer.whole(error.status, "application/json", told)
                    writer.write_eof()
                    await _rest(reader)
                else:
                    if received is not None:
                        await self._answer(received, answer)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(self, received: Received, answer: Answering) -> None:
        path, _, query = received.target.removeprefix(_ROOT).partition("?")
        api = PATHS.get(path, "other")
        if (api == "other" and path not in _OTHERS) or not received.target.startswith(_ROOT):
            told = f"{received.target} is no path of a model; there are {', '.join(PATHS)}"
            await answer.whole(404, "application/json", _error(told, "not_found_error"))
            return
        self._count += 1
        asked = _Open(self._count, api, received, f"{path}?{query}" if query else path, b"")
        self._prepare(asked)
        if api == "other":
            await self._pass_on(asked, answer)
            return
        if not self.reason and (bound := self._bound(asked)):
            self.reason, self.told = bound
        if self.reason:
            self._write(asked, status=400, ended="budget", message=self.told)
            self.over.set()
            await answer.whole(400, "application/json", _error(self.told, "invalid_request_error"))
            return
        self._open += 1
        try:
            await self._pass_on(asked, answer)
        finally:
            self._open -= 1

    def _prepare(self, asked: _Open) -> None:
        """The body as it is sent on: the very bytes, unless something has to be changed."""
        asked.body = asked.received.body
        if asked.api == "other":
            return
        body = dict(parsed(asked.body))
        model, changed = self._upstream.endpoint.model, False
        if body.get("model") not in (None, model):
            asked.asked, changed = str(body["model"]), True
            body["model"] = model
        options = mapping(body.get("stream_options"))
        wanted = asked.api == "chat" and body.get("stream") is True and self._asks_usage
        if wanted and not options.get("include_usage"):
            body["stream_options"] = {**options, "include_usage": True}
            asked.hides_usage = changed = True
        if changed:
            asked.body = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

    def _bound(self, asked: _Open) -> tuple[str, str] | None:
        """The bound of the budget that this call would pass, and why in words."""
        calls = self._open + 1
        ahead = sum([self._ahead(asked)] * calls, self.spent)
        would: dict[str, float | None] = {
            "steps": self.steps + calls,
            "tokens": ahead.tokens and ahead.tokens.all,
            "cost": ahead.dollars,
        }
        for name, figure in would.items():
            most = getattr(self._budget, name)
            if most is None or (figure is not None and figure <= most):
                continue
            told = f"the budget is used up: {most:g} {'dollars' if name == 'cost' else name}"
            unknown = "" if figure is not None else "; what was used is not known"
            return name, told + unknown
        return None

    def _ahead(self, asked: _Open) -> Spent:
        """What a call will take: as much as the last one, and the first as its length tells."""
        for one in reversed(self.exchanges):
            if one.step:
                return Spent(tokens=one.usage, dollars=one.dollars)
        usage = Usage(fresh=len(asked.body) // BYTES)
        priced = self._upstream.prices.priced(usage)
        return Spent(tokens=Tokens(fresh=usage.fresh), dollars=priced.cost)

    async def _pass_on(self, asked: _Open, answer: Answering) -> None:
        import httpx

        try:
            response = await self._send(asked)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            told = f"the model's endpoint cannot be reached: {str(error) or type(error).__name__}"
            self._write(asked, status=502, ended="unreachable", message=told)
            await answer.whole(502, "application/json", _error(told, "api_error"))
            return
        except asyncio.CancelledError:
            self._write(asked, ended="cut", message="ended before the endpoint had answered")
            raise
        if not response.is_error:
            await self._relay(asked, response, answer)
            return
        body = self._masked(response.content)
        told = body.decode("utf-8", "replace")[:2000]
        self._write(asked, status=response.status_code, ended="refused", message=told)
        await answer.begin(response.status_code, _kept(response))
        await answer.send(body)
        await answer.end()

    async def _relay(self, asked: _Open, response: "httpx.Response", answer: Answering) -> None:
        import httpx

        reading = Reading(asked.api)
        streamed = "text/event-stream" in response.headers.get("content-type", "")
        relayed = Relayed(reading, streamed=streamed, hides_usage=asked.hides_usage)
        try:
            await answer.begin(response.status_code, _kept(response))
            async for data in response.aiter_bytes():
                await answer.send(relayed.take(data))
            await answer.send(relayed.end())
        except httpx.TransportError:
            return  # the agent sees what we see: an answer that breaks off
        finally:
            await response.aclose()
            self._ended(asked, response.status_code, reading, relayed)
        await answer.end()

    async def _send(self, asked: _Open) -> "httpx.Response":
        """The answer; one that refuses is whole. Who refuses to be asked for usage is not asked again."""
        while True:
            response = await self._request(asked)
            if not response.is_error:
                return response
            refusal = await response.aread()
            unasked = response.status_code in (400, 422) and b"stream_options" in refusal
            if not (unasked and asked.hides_usage):
                return response
            self._asks_usage = asked.hides_usage = False
            self._prepare(asked)

    async def _request(self, asked: _Open) -> "httpx.Response":
        assert self._http is not None
        headers = {k: v for k, v in asked.received.headers.items() if k not in _OWN}
        headers |= {"accept-encoding": "identity", **self._upstream.key(asked.api)}
        url = self._upstream.endpoint.url + asked.path
        request = self._http.build_request(
            asked.received.method, url, content=asked.body or None, headers=headers
        )
        return await self._http.send(request, stream=True)

    def _masked(self, data: bytes) -> bytes:
        """A refusal may name the key."""
        key = self._upstream.endpoint.key.encode()
        return data.replace(key, b"***") if key else data

    def _ended(self, asked: _Open, status: int, reading: Reading, relayed: Relayed) -> None:
        tokens, dollars = self._measured(reading.usage)
        self._write(
            asked,
            status=status,
            ended="whole" if reading.over else "cut",
            received=relayed.count,
            streamed=relayed.streamed,
            reply=reading.reply(),
            usage=tokens,
            dollars=dollars,
        )

    def _measured(self, raw: Mapping[str, Any]) -> tuple[Tokens | None, float | None]:
        """Tokens by bucket, as the endpoint said them, and what they cost; None where it did not."""
        usage = normalise(raw)
        if usage is None:
            return None, None
        tokens = Tokens(
            fresh=usage.fresh, read=usage.cache_read, write=usage.cache_write, output=usage.output
        )
        return tokens, self._upstream.prices.priced(usage).cost

    def _write(self, asked: _Open, **told: Any) -> None:
        count, new = told_of(asked.api, parsed(asked.received.body))
        line = Exchange(
            number=asked.number,
            at=round(asked.at, 3),
            api=asked.api,
            path=asked.path,
            model=self._upstream.endpoint.model,
            asked=asked.asked,
            seconds=round(time.monotonic() - asked.begun, 3),
            sent=len(asked.body),
            messages=count,
            told=new,
            **told,
        )
        self.exchanges.append(line)
        with self._log.open("ab") as file:
            file.write(line.model_dump_json(exclude_defaults=True).encode() + b"\n")


def _kept(response: "httpx.Response") -> dict[str, str]:
    """Its headers, but for those of the connection."""
    return {k: v for k, v in response.headers.items() if k.lower() not in _ANSWERED}


async def _rest(reader: asyncio.StreamReader) -> None:
    """Take what still comes: one that is cut off while it sends does not see the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGERS):
            while await reader.read(1 << 16):
                pass


def _error(message: str, kind: str) -> bytes:
    """In the shape that all three APIs have in common."""
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
