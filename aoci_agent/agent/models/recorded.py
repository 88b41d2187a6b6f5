"""Replies written to a file while they come, and read from it again."""

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from aoci_agent.agent.models.model import (
    CallPiece,
    Finish,
    Model,
    NoticePiece,
    Piece,
    Provenance,
    ReasoningPiece,
    Reply,
    Request,
    TextPiece,
    Usage,
)
from aoci_agent.agent.models.wire import request_parts
from aoci_agent.agent.models.wrapping import Wrapper
from aoci_agent.base.errors import BadUsage, ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage, ToolCall


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredPiece(_Stored):
    """One piece; `characters` only for calls."""

    kind: Literal["text", "reasoning", "call"]
    text: str
    characters: int = 0


class StoredCall(_Stored):
    """One tool call, its arguments as raw text."""

    id: str
    name: str
    arguments: str


class StoredUsage(_Stored):
    """The fields of `model.Usage`."""

    fresh: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    cost: float | None
    tokens_from: Provenance
    cost_from: Provenance


class StoredReply(_Stored):
    """One line of a recording: one model call."""

    version: Literal[1] = 1
    request: str  # digest of what was asked; for reading, never checked on replay
    model: str
    window: int | None
    pieces: tuple[StoredPiece, ...]
    text: str
    reasoning: str
    calls: tuple[StoredCall, ...]
    finish: Finish
    usage: StoredUsage
    seconds: float


class RecordingModel(Wrapper):
    """Appends every reply of another model to a file, one flushed line each."""

    def __init__(self, inner: Model, path: Path) -> None:
        super().__init__(inner)
        self._path = path

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The inner stream, unchanged."""
        started = time.monotonic()
        pieces: list[StoredPiece] = []
        async with aclosing(self.inner.stream(request)) as stream:
            async for piece in stream:
                if isinstance(piece, Reply):
                    stored = _stored(piece, pieces, self.window)
                    seconds = round(time.monotonic() - started, 3)
                    line = stored.model_copy(
                        update={"request": digest(request), "seconds": seconds}
                    )
                    await asyncio.to_thread(_append, self._path, line.model_dump_json() + "\n")
                elif not isinstance(piece, NoticePiece):
                    pieces.append(_stored_piece(piece))
                yield piece


class ReplayModel:
    """Answers with the replies of a recording, in their order. `recorded` is True.

    The requests are not compared: tools run for real, and their output differs in times and paths.
    """

    recorded = True

    def __init__(self, path: Path, pace: float = 0.0) -> None:
        """`pace` is in seconds per piece. BadUsage when the file is not a recording."""
        self._path = path
        self._pace = pace
        self._replies = _read(path)
        self._next = 0
        self.name = self._replies[0].model
        self.window = self._replies[0].window

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The next recorded reply."""
        del request
        if self._next >= len(self._replies):
            raise ModelUnavailable(
                f"{self._path} holds {len(self._replies)} replies and one more was asked for",
                "record a longer session with --record-responses",
            )
        stored = self._replies[self._next]
        self._next += 1
        for piece in stored.pieces:
            await asyncio.sleep(self._pace)
            yield _piece(piece)
        yield _reply(stored)

    def priced(self, usage: Usage) -> Usage:
        """Unchanged: only what the recording measured has a price."""
        return usage

    async def close(self) -> None:
        """Nothing is held."""


def digest(request: Request) -> str:
    """Short hash of everything the model was sent."""
    hashed = hashlib.blake2b(digest_size=8)
    for part in request_parts(request):
        hashed.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return hashed.hexdigest()


def _read(path: Path) -> list[StoredReply]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise BadUsage(f"cannot read the recording {path}: {error.strerror}") from error
    replies: list[StoredReply] = []
    for number, line in enumerate(lines, 1):
        try:
            replies.append(StoredReply.model_validate_json(line))
        except ValidationError as error:
            where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the line"
            raise BadUsage(
                f"{path}, line {number}: not a recorded reply ({where}: {error.errors()[0]['msg']})",
                "record one with --record-responses FILE",
            ) from error
    if not replies:
        raise BadUsage(f"the recording {path} is empty", "record one with --record-responses FILE")
    return replies


def _append(path: Path, line: str) -> None:
    data = line.encode()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _stored(reply: Reply, pieces: list[StoredPiece], window: int | None) -> StoredReply:
    message, usage = reply.message, reply.usage
    return StoredReply(
        request="",
        model=reply.model,
        window=window,
        pieces=tuple(pieces),
        text=message.text,
        reasoning=message.reasoning,
        calls=tuple(StoredCall(id=c.id, name=c.name, arguments=c.arguments) for c in message.calls),
        finish=reply.finish,
        usage=StoredUsage(
            fresh=usage.fresh,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
            output=usage.output,
            reasoning=usage.reasoning,
            cost=usage.cost,
            tokens_from=usage.tokens_from,
            cost_from=usage.cost_from,
        ),
        seconds=0.0,
    )


def _stored_piece(piece: TextPiece | ReasoningPiece | CallPiece) -> StoredPiece:
    match piece:
        case TextPiece(text=text):
            return StoredPiece(kind="text", text=text)
        case ReasoningPiece(text=text):
            return StoredPiece(kind="reasoning", text=text)
        case CallPiece(name=name, characters=characters):
            return StoredPiece(kind="call", text=name, characters=characters)


def _piece(stored: StoredPiece) -> Piece:
    match stored.kind:
        case "text":
            return TextPiece(stored.text)
        case "reasoning":
            return ReasoningPiece(stored.text)
        case "call":
            return CallPiece(stored.text, stored.characters)


def _reply(stored: StoredReply) -> Reply:
    calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in stored.calls)
    message = AssistantMessage(stored.text, calls, stored.reasoning)
    usage = Usage(**stored.usage.model_dump())
    return Reply(message, usage, stored.finish, stored.model)
