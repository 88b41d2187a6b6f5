"""The HTTP side of an OpenAI-compatible endpoint: connect, post, read events, give up in time."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from aoci_agent.agent.models.faults import Caller
from aoci_agent.agent.models.model import Busy, MalformedReply
from aoci_agent.agent.models.providers import Endpoint
from aoci_agent.agent.models.reading import Dropped
from aoci_agent.base.errors import AgentError, ModelUnavailable

if TYPE_CHECKING:
    import httpx

DONE: Final = b"[DONE]"
MAX_LINE = 16_000_000  # bytes

# Where a local server states the context it really gives (it is set there, not by the model), below
# its root, and the way to the number in its answer.
_WINDOWS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "llamacpp": ("/props", ("default_generation_settings", "n_ctx")),
    "lmstudio": ("/api/v0/models/{model}", ("loaded_context_length",)),
    "ollama": ("/api/ps", ("models", "{model}", "context_length")),
}


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


PATIENT: Final = Timeouts(connect=5.0, headers=600.0, event=600.0, gap=120.0)


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
        sent = http.build_request(
            "POST",
            f"{self._endpoint.url}/chat/completions",
            content=json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(
                "utf-8", "replace"
            ),
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

        received = response.aiter_bytes()
        patience, rest = self._timeouts.event, b""
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
            found, rest = split_events(rest + data)
            for payload in found:
                yield payload
        for payload in last_event(rest):
            yield payload

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

    async def model_names(self, seconds: float = 2.0) -> list[str]:
        """The names GET /models lists; empty when it does not answer within this time."""
        listed = _field(await self._get(f"{self._endpoint.url}/models", seconds), "data")
        names = [_field(item, "id") for item in _items(listed)]
        return [name for name in names if isinstance(name, str)]

    async def window(self, seconds: float = 0.5) -> int | None:
        """The context a local server gives, in tokens; None when it does not say.

        Ask once the model is loaded: after a reply. It matters most for Ollama, which cuts longer
        prompts without a word.
        """
        model = self._endpoint.model
        path, way = _WINDOWS.get(self._endpoint.provider, ("", ()))
        if not path:
            return None
        root = self._endpoint.url.removesuffix("/v1")
        value = await self._get(root + path.replace("{model}", model), seconds)
        for key in way:
            value = _named(value, model) if key == "{model}" else _field(value, key)
        return value if isinstance(value, int) and value > 0 else None

    async def _get(self, url: str, seconds: float) -> object:
        """Parsed JSON, None for anything else."""
        import httpx

        http = await self.open()
        try:
            async with asyncio.timeout(seconds):
                return (await http.get(url)).json()
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, ValueError):
            return None

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


def split_events(data: bytes) -> tuple[list[bytes], bytes]:
    """The payloads of complete `data:` lines of server-sent events, and the bytes after the last.

    One line is one event here. Split at line feeds only: JSON may hold U+2028, where
    str.splitlines would break.
    """
    *lines, rest = data.split(b"\n")
    if len(rest) > MAX_LINE:
        raise MalformedReply(f"the model's server sent a line over {MAX_LINE} bytes")
    found = (line[5:].strip() for line in lines if line.startswith(b"data:"))
    return [payload for payload in found if payload], rest


def last_event(rest: bytes) -> Iterator[bytes]:
    """What is left when the connection closed, if it is whole: it may lack its line feed."""
    for payload in split_events(rest + b"\n")[0]:
        try:
            if payload != DONE:
                json.loads(payload)
            yield payload
        except (ValueError, RecursionError):
            return


def _open(endpoint: Endpoint) -> "httpx.AsyncClient":
    import httpx

    # Without https the trust store (0.1 s) is not needed; a proxy must not see loopback traffic.
    return httpx.AsyncClient(
        headers={"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {},
        verify=endpoint.url.startswith("https:"),
        trust_env=not endpoint.loopback,
        follow_redirects=False,
    )


def _field(value: object, key: str) -> object:
    return cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else None


def _items(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _named(value: object, model: str) -> object:
    """The entry of a list for this model; Ollama adds `:latest` to a name without a tag."""
    wanted = (model, f"{model}:latest")
    return next((entry for entry in _items(value) if _field(entry, "name") in wanted), None)
