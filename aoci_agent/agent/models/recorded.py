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


class StoredPiece(BaseModel):
    """One piece; `characters` only for calls."""

    kind: Literal["text", "reasoning", "call"]
    text: str
    characters: int = 0


class StoredReply(BaseModel):
    """One line of a recording: one model call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    request: str  # digest of what was asked; for reading, never checked on replay
    model: str
    window: int | None
    pieces: tuple[StoredPiece, ...]
    text: str
    reasoning: str
    calls: tuple[ToolCall, ...]
    finish: Finish
    usage: Usage
    seconds: float


class RecordingModel(Wrapper):
    """Appends every reply of another model to a file, one flushed line each."""

    def __init__(self, inner: Model, path: Path) -> None:
        """BadUsage when the file cannot be written: known before anything is paid for."""
        super().__init__(inner)
        self._path = path
        if path.is_file() and path.stat().st_size:
            _read(path)  # appending to anything else would damage it
        try:
            _append(path, "")
        except OSError as error:
            raise BadUsage(f"cannot write the recording {path}: {error.strerror}") from error

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The inner stream, unchanged."""
        started = time.monotonic()
        pieces: list[StoredPiece] = []
        async with aclosing(self.inner.stream(request)) as stream:
            async for piece in stream:
                match piece:
                    case TextPiece(text):
                        pieces.append(StoredPiece(kind="text", text=text))
                    case ReasoningPiece(text):
                        pieces.append(StoredPiece(kind="reasoning", text=text))
                    case CallPiece(name, characters):
                        pieces.append(StoredPiece(kind="call", text=name, characters=characters))
                    case NoticePiece():
                        pass
                    case Reply(message, usage, finish, model):
                        stored = StoredReply(
                            request=digest(request),
                            model=model,
                            window=self.window,
                            pieces=tuple(pieces),
                            text=message.text,
                            reasoning=message.reasoning,
                            calls=message.calls,
                            finish=finish,
                            usage=usage,
                            seconds=round(time.monotonic() - started, 3),
                        )
                        line = stored.model_dump_json() + "\n"
                        await asyncio.to_thread(_append, self._path, line)
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
        self.name = "recorded replies"
        self.window = self._replies[0].window

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The next recorded reply."""
        del request
        if self._next >= len(self._replies):
            raise ModelUnavailable(
                f"the recording {self._path.name} ends here, after {len(self._replies)} replies",
                "a live model goes on: --model NAME, or /model NAME",
            )
        stored = self._replies[self._next]
        self._next += 1
        for piece in stored.pieces:
            await asyncio.sleep(self._pace)
            yield _piece(piece)
        message = AssistantMessage(stored.text, stored.calls, stored.reasoning)
        yield Reply(message, stored.usage, stored.finish, stored.model)

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
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as file:
        file.write(line.encode())
        file.flush()
        os.fsync(descriptor)


def _piece(stored: StoredPiece) -> Piece:
    match stored.kind:
        case "text":
            return TextPiece(stored.text)
        case "reasoning":
            return ReasoningPiece(stored.text)
        case "call":
            return CallPiece(stored.text, stored.characters)
