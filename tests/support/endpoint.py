"""An OpenAI-compatible server on loopback that does exactly what a test says, on bare sockets."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar

Json = dict[str, Any]
Served = TypeVar("Served", bound="FakeEndpoint")

USAGE: Json = {
    "prompt_tokens": 100,
    "completion_tokens": 7,
    "prompt_tokens_details": {"cached_tokens": 60},
}


@dataclass(frozen=True)
class Answer:
    """One HTTP answer.

    `cut` closes the connection after so many body bytes; `chunked` makes that cut visible to HTTP
    itself, otherwise it looks like a normal end. `stall` holds the answer for ever: before the
    headers (0) or after so many body bytes.
    """

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    kind: str = "text/event-stream"
    cut: int | None = None
    chunked: bool = False
    stall: int | None = None


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Json:
        return json.loads(self.raw)


class FakeEndpoint:
    """Answers POSTs from a list (the last one repeats) and GET /models with `models`."""

    def __init__(self, answers: Iterable[Answer] = (), models: Iterable[str] = ()) -> None:
        self.answers = list(answers)
        self.models = list(models)
        self.pages: dict[str, Json] = {}  # other GET paths
        self.seen: list[Seen] = []
        self.arrived = asyncio.Event()  # a POST came in
        self.hung_up = asyncio.Event()  # a client went away while an answer was stalled
        self.url = ""

    @property
    def posts(self) -> list[Seen]:
        return [seen for seen in self.seen if seen.method == "POST"]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                seen = await _receive(reader)
                self.seen.append(seen)
                if seen.method == "GET":
                    listed = {"data": [{"id": name} for name in self.models]}
                    page = self.pages.get(seen.path, listed)
                    answer = Answer(json.dumps(page).encode(), kind="application/json")
                else:
                    self.arrived.set()
                    answer = self.answer_to(seen)
                await self._send(answer, reader, writer)
        finally:
            writer.close()

    def answer_to(self, seen: Seen) -> Answer:
        """What a POST gets; `seen` is already the newest of `posts`."""
        del seen
        return self.answers[min(len(self.posts), len(self.answers)) - 1]

    async def _send(
        self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if answer.stall == 0:
            await self._hang(reader)
            return
        headers = {"Content-Type": answer.kind, "Connection": "close"} | answer.headers
        if answer.chunked:
            headers["Transfer-Encoding"] = "chunked"
        lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        body = answer.body[: answer.stall or answer.cut]
        if answer.cut == 0:
            body = b""
        if answer.chunked and body:
            body = b"%x\r\n%s\r\n" % (len(body), body)
        if answer.chunked and answer.cut is None and answer.stall is None:
            body += b"0\r\n\r\n"
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()
        if answer.stall:
            await self._hang(reader)

    async def _hang(self, reader: asyncio.StreamReader) -> None:
        await reader.read()
        self.hung_up.set()


@asynccontextmanager
async def serving(*answers: Answer, models: Iterable[str] = ()) -> AsyncGenerator[FakeEndpoint]:
    """A running FakeEndpoint; its `url` ends in /v1."""
    async with running(FakeEndpoint(answers, models)) as endpoint:
        yield endpoint


@asynccontextmanager
async def running(endpoint: Served) -> AsyncGenerator[Served]:
    """The endpoint on a port of its own."""
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    endpoint.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield endpoint
    finally:
        server.close()
        await server.wait_closed()


def events(*chunks: Json, done: bool = True) -> bytes:
    """Chunks as a stream of server-sent events."""
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"] if done else lines).encode()


def delta(finish: str | None = None, **fields: object) -> Json:
    """One chunk with one choice."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "model": "fake-1", "choices": [choice]}


def call_delta(index: int, name: str | None, arguments: str, call_id: str | None = None) -> Json:
    """One chunk with a part of a tool call."""
    function = {key: v for key, v in (("name", name), ("arguments", arguments)) if v is not None}
    part: Json = {"index": index, "function": function}
    if call_id is not None:
        part |= {"id": call_id, "type": "function"}
    return delta(tool_calls=[part])


def usage_chunk(usage: Json) -> Json:
    """The last chunk of a stream that was asked for usage."""
    return {"model": "fake-1", "choices": [], "usage": usage}


def says(text: str, usage: Json | None = USAGE) -> Answer:
    """A plain reply, streamed in three pieces."""
    third = max(1, len(text) // 3)
    parts = [text[:third], text[third : 2 * third], text[2 * third :]]
    chunks = [delta(content=part) for part in parts if part] + [delta("stop")]
    return Answer(events(*chunks, *([usage_chunk(usage)] if usage else [])))


def calls(name: str, arguments: str, text: str = "") -> Answer:
    """A reply with one call, its arguments in pieces of seven characters."""
    parts = [arguments[at : at + 7] for at in range(0, len(arguments), 7)]
    chunks = [
        *([delta(content=text)] if text else []),
        call_delta(0, name, "", "call_a"),
        *(call_delta(0, None, part) for part in parts),
        delta("tool_calls"),
        usage_chunk(USAGE),
    ]
    return Answer(events(*chunks))


def refuses(status: int, message: str, **headers: str) -> Answer:
    """An error answer; header names are given with _ for -."""
    body = json.dumps({"error": {"message": message, "type": "some_error"}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body, status, named, kind="application/json")


async def _receive(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    raw = await reader.readexactly(int(headers.get("content-length", 0)))
    return Seen(method, path, headers, raw)
