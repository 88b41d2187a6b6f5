"""Requests and readings that tests of model clients share."""

from contextlib import aclosing
from dataclasses import dataclass, field

from aoci_agent.agent.models.model import Model, Piece, Reply, Request
from aoci_agent.policies.conversation import Message, UserMessage
from aoci_agent.policies.layers import Layer, Prefix, ToolSchema

READ = ToolSchema(
    "read",
    "Read a file.",
    {
        "additionalProperties": False,
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
        "type": "object",
    },
)
BASH = ToolSchema(
    "bash",
    "Run a command.",
    {
        "properties": {
            "command": {"type": "string"},
            "seconds": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        },
        "required": ["command"],
        "type": "object",
    },
)
PREFIX = Prefix((READ, BASH), (Layer("rules", "Be brief."), Layer("index", "a.py: the app")))


def asking(*messages: Message, max_output: int = 100, **extra: object) -> Request:
    """A request in a session with the tools read and bash."""
    return Request(PREFIX, messages or (UserMessage("hello"),), max_output, extra)


@dataclass
class Heard:
    """A whole stream, taken apart."""

    pieces: list[Piece] = field(default_factory=list[Piece])

    @property
    def reply(self) -> Reply:
        last = self.pieces[-1]
        assert isinstance(last, Reply)
        return last


async def hear(model: Model, request: Request | None = None) -> Heard:
    """Ask and read the stream to its end."""
    heard = Heard()
    async with aclosing(model.stream(request or asking())) as pieces:
        async for piece in pieces:
            heard.pieces.append(piece)
    assert sum(isinstance(piece, Reply) for piece in heard.pieces) == 1
    return heard
