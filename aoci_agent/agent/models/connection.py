"""The HTTP side of an OpenAI-compatible endpoint: connect, post, read events, give up in time."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from aoci_agent.agent.models.endpoints import Endpoint
from aoci_agent.agent.models.faults import Caller
from aoci_agent.agent.models.model import Busy
from aoci_agent.agent.models.reading import Dropped
from aoci_agent.agent.models.sse import DONE, EventReader
from aoci_agent.base.errors import AgentError, ModelUnavailable

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds of silence allowed.

    `event` is for the first event: reasoning models may think long before it, and a local server
    reads a long cold prompt for minutes.
    """

    connect: float = 20.0
    headers: float = 60.0
    event: float = 300.0
    gap: float = 60.0


PATIENT = Timeouts(connect=5.0, headers=600.0, event=600.0, gap=120.0)


class Connection:
    """A pool of connections to one endpoint; opened on first use, off the event loop, and kept."""

    def __init__(self, endpoint: Endpoint, caller: Caller, timeouts: Timeouts | None) -> None:
        self._endpoint = endpoint
        self._caller = caller
        self._timeouts = timeouts or (PATIENT if endpoint.loopback else Timeouts())
        self._http: httpx.AsyncClient | None = None
        self._opening = asyncio.Lock()
        self._reached = False

    async def open(self) -> "httpx.AsyncClient":
        """Import httpx (0.2 s) and build the pool, or return the one there is."""
        async with self._opening:
            if self._http is None:
                self._http = await asyncio.to_thread(_open, self._endpoint)
            return self._http

    async def close(self) -> None:
        """Close all connections."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def post(self, body: Mapping[str, Any]) -> "httpx.Response":
        """Send a completion request; returns when the headers are there, whatever their status."""
        import httpx

        http = await self.open()
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        sent = http.build_request(
            "POST",
            f"{self._endpoint.url}/chat/completions",
            content=data.encode("utf-8", "replace"),
            headers={"Content-Type": "application/json", "Accept": "text/event-stream"},
            timeout=httpx.Timeout(None, connect=self._timeouts.connect),
        )
        try:
            async with asyncio.timeout(self._timeouts.headers):
                response = await http.send(sent, stream=True)
        except TimeoutError as error:
            raise Busy(
                f"{self._endpoint.url} is silent since {self._timeouts.headers:.0f} s"
            ) from error
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise self._unreachable(error) from error
        self._reached = True
        return response

    async def payloads(self, response: "httpx.Response") -> AsyncGenerator[bytes]:
        """The events of a streaming answer; Dropped when the connection breaks or falls silent."""
        import httpx

        reader = EventReader()
        received = response.aiter_bytes()
        patience = self._timeouts.event
        while True:
            try:
                async with asyncio.timeout(patience):
                    data = await anext(received, None)
            except TimeoutError as error:
                raise Dropped(f"the model sent nothing for {patience:.0f} s") from error
            except httpx.TransportError as error:
                raise Dropped("the connection broke in the middle of the reply") from error
            if data is None:
                break
            patience = self._timeouts.gap
            for payload in reader.feed(data):
                yield payload
        for payload in reader.end():
            if payload == DONE or _is_json(payload):
                yield payload

    async def model_names(self, seconds: float = 2.0) -> list[str]:
        """The names GET /models lists; empty when it does not answer quickly."""
        import httpx

        http = await self.open()
        try:
            async with asyncio.timeout(seconds):
                answer = await http.get(f"{self._endpoint.url}/models")
            listed = cast("dict[str, Any]", answer.json())["data"]
            return [str(item["id"]) for item in listed]
        except (TimeoutError, httpx.HTTPError, ValueError, KeyError, TypeError):
            return []

    async def text(self, response: "httpx.Response", limit: int = 200_000) -> str:
        """A whole body, up to `limit` bytes: an error page is useful only so far."""
        import httpx

        data = b""
        try:
            async with asyncio.timeout(self._timeouts.headers):
                async for part in response.aiter_bytes():
                    data += part
                    if len(data) > limit:
                        break
        except (TimeoutError, httpx.TransportError) as error:
            raise Dropped("the connection broke in the middle of the reply") from error
        finally:
            await response.aclose()
        return data.decode("utf-8", "replace")

    def _unreachable(self, error: Exception) -> AgentError:
        """A server never reached is a setting to mend; one that was, may come back."""
        why = self._caller.tidy(str(error) or type(error).__name__, 120)
        if self._reached:
            return Busy(f"{self._endpoint.url} cannot be reached: {why}")
        way = "start the server" if self._endpoint.loopback else "check the network and the address"
        variable = self._endpoint.url_variable
        return ModelUnavailable(
            f"{self._endpoint.url} cannot be reached: {why}",
            f"{way}, or set {variable}" if variable else way,
        )


def _open(endpoint: Endpoint) -> "httpx.AsyncClient":
    import httpx

    # Without https the trust store (0.1 s) is not needed; a proxy must not see loopback traffic.
    return httpx.AsyncClient(
        headers={"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {},
        verify=endpoint.url.startswith("https:"),
        trust_env=not endpoint.loopback,
        follow_redirects=False,
    )


def _is_json(payload: bytes) -> bool:
    try:
        json.loads(payload)
    except ValueError:
        return False
    return True
