"""How a server takes tool calls: by the user's word, or found out once and remembered."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Final, Literal, cast

from aoci_agent.agent.models.model import (
    MalformedReply,
    Model,
    ModelError,
    NoticePiece,
    Piece,
    Reply,
    Request,
)
from aoci_agent.agent.models.schemaaction import SchemaActionModel
from aoci_agent.agent.models.textcalls import TextCallsModel, TextPromptModel
from aoci_agent.agent.models.wrapping import Wrapper
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.base.files import atomic_write
from aoci_agent.policies.conversation import UserMessage
from aoci_agent.policies.layers import Layer, Prefix, ToolSchema

CallStyle = Literal["auto", "native", "text", "schema"]

FILE = "call-styles.json"

LOOK: Final = ToolSchema(
    "look",
    "Look into a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
        "additionalProperties": False,
    },
)
QUESTION: Final = Request(
    Prefix((LOOK,), (Layer("rules", "You work on files with tools."),)),
    (UserMessage("Use the tool look on the file notes.txt. Do nothing else."),),
    max_output=160,
    extra={"temperature": 0},
)


def with_style(model: Model, style: CallStyle) -> Model:
    """The model in a call style. `auto` is native calls, read from the text when there are none."""
    match style:
        case "auto":
            return TextCallsModel(model)
        case "native":
            return model
        case "text":
            return TextPromptModel(model)
        case "schema":
            return SchemaActionModel(model)


class ProbingModel(Wrapper):
    """Chooses the call style with a short test question before the first request.

    The answer is kept per `place` (base URL and model) in a file of `state_dir`.
    """

    def __init__(self, inner: Model, place: str, state_dir: Path | None) -> None:
        super().__init__(inner)
        self._place = place
        self._file = state_dir / FILE if state_dir else None
        self._styled: Model | None = None
        self._choosing = asyncio.Lock()

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The stream in the style that works, after asking for it the first time."""
        async with self._choosing:
            if self._styled is None:
                style = (await asyncio.to_thread(_read, self._file)).get(self._place)
                if style not in ("native", "text", "schema"):
                    yield NoticePiece("asking the server once how it takes tool calls")
                    style = await find_style(self.inner)
                    await asyncio.to_thread(_save, self._file, self._place, style)
                # Native calls are still read from the text: small models forget the format.
                self._styled = with_style(self.inner, "auto" if style == "native" else style)
        async with aclosing(self._styled.stream(request)) as pieces:
            async for piece in pieces:
                yield piece


async def find_style(model: Model) -> CallStyle:
    """Native calls if the server parses them, else a schema if it holds to one, else text.

    A schema before text: a small model that may write prose writes the result of its call as well.
    """
    if await _works(with_style(model, "native")):
        return "native"
    return "schema" if await _works(with_style(model, "schema"), last=True) else "text"


async def _works(model: Model, *, last: bool = False) -> bool:
    """Whether the test question ends in the call it asks for.

    A server that cannot be reached refuses every style: the refusal of the last one is passed on.
    """
    try:
        async with aclosing(model.stream(QUESTION)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Reply):
                    return [call.name for call in piece.message.calls] == ["look"]
    except (ModelUnavailable, ModelError) as error:
        if last and not isinstance(error, MalformedReply):
            raise
    return False


def _save(file: Path | None, place: str, style: str) -> None:
    if file is None:
        return
    data = json.dumps(_read(file) | {place: style}, indent=1, sort_keys=True)
    with suppress(OSError):  # remembering is a convenience; a read-only home must not stop us
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(file, data.encode())


def _read(file: Path | None) -> dict[str, object]:
    try:
        value: object = json.loads(file.read_bytes()) if file else None
    except (OSError, ValueError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
