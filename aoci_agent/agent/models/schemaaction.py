"""One schema-constrained action per reply: for small models behind servers that enforce a schema."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from aoci_agent.agent.models.model import (
    CallPiece,
    MalformedReply,
    Piece,
    Reply,
    Request,
    TextPiece,
)
from aoci_agent.agent.models.prompted import prompted
from aoci_agent.agent.models.reading import used_ids
from aoci_agent.agent.models.wrapping import Wrapper
from aoci_agent.policies.conversation import AssistantMessage, ToolCall
from aoci_agent.policies.layers import ToolSchema

FINISH = "finish"
THOUGHT = 400  # characters
TEXT = 2000  # characters; llama.cpp refuses repetitions much over this
ITEMS = 16
# Without maxLength a small model's text runs into the token limit and is cut inside a string.


class SchemaActionModel(Wrapper):
    """Asks for {thought, action, arguments} and hands the action on as one native call."""

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """Progress while the object is written, then the Reply it means."""
        told = prompted(request, "schema_action.md", written_action)
        told = replace(told, extra=request.extra | response_format(request.prefix.tools))
        written = 0
        async with aclosing(self.inner.stream(told)) as pieces:
            async for piece in pieces:
                if isinstance(piece, TextPiece):
                    written += len(piece.text)
                    yield CallPiece("action", written)
                elif isinstance(piece, Reply):
                    reply = as_action(piece, request)
                    if reply.message.text:
                        yield TextPiece(reply.message.text)
                    yield reply
                else:
                    yield piece


def response_format(tools: tuple[ToolSchema, ...]) -> dict[str, Any]:
    """The request parameter: one alternative per tool, and finish."""
    answer: dict[str, Any] = {
        "type": "object",
        "properties": {"answer": {"type": "string", "maxLength": TEXT}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    actions = [(tool.name, bounded(tool.parameters)) for tool in tools] + [(FINISH, answer)]
    schema = {"anyOf": [_action(name, arguments) for name, arguments in actions]}
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "action", "strict": True, "schema": schema},
        }
    }


def bounded(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a schema in which every string and list has an end."""
    copy: dict[str, Any] = {
        key: _bounded_value(key, value) for key, value in schema.items() if key != "default"
    }
    if copy.get("type") == "string" and "enum" not in copy and "const" not in copy:
        copy["maxLength"] = min(TEXT, copy.get("maxLength", TEXT))
    if copy.get("type") == "array":
        copy["maxItems"] = min(ITEMS, copy.get("maxItems", ITEMS))
    if copy.get("type") == "object" or "properties" in copy:
        copy["additionalProperties"] = False
    return copy


def as_action(reply: Reply, request: Request) -> Reply:
    """The reply with its object read; MalformedReply when a complete one is not an action."""
    if reply.finish == "length":
        return reply  # cut by the limit: the loop asks to go on
    action, thought, arguments = _read(reply.message.text, request)
    if action == FINISH:
        answer = str(arguments.get("answer", ""))
        reasoning = reply.message.reasoning or thought
        return replace(reply, message=AssistantMessage(answer, (), reasoning), finish="stop")
    call = ToolCall(
        f"call{len(used_ids(request)):05d}", action, json.dumps(arguments, ensure_ascii=False)
    )
    message = AssistantMessage(thought, (call,), reply.message.reasoning)
    return replace(reply, message=message, finish="calls")


def written_action(message: AssistantMessage) -> str:
    """A message as the model itself wrote it."""
    if not message.calls:
        return _object("", FINISH, json.dumps({"answer": message.text}, ensure_ascii=False))
    # One call each as the schema asks; more can only stem from a session begun in another style.
    return "\n".join(_object(message.text, call.name, call.arguments) for call in message.calls)


def _action(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    # The order of the keys is the order they are written in: the thought must come first.
    return {
        "type": "object",
        "properties": {
            "thought": {"type": "string", "maxLength": THOUGHT},
            "action": {"type": "string", "enum": [name]},
            "arguments": arguments,
        },
        "required": ["thought", "action", "arguments"],
        "additionalProperties": False,
    }


def _bounded_value(key: str, value: object) -> object:
    if key == "properties":  # a mapping of names, not a schema
        named = cast("Mapping[str, Mapping[str, Any]]", value)
        return {name: bounded(shape) for name, shape in named.items()}
    if isinstance(value, Mapping):
        return bounded(cast("Mapping[str, Any]", value))
    if isinstance(value, list):
        return [_bounded_value("", item) for item in cast("list[object]", value)]
    return value


def _read(text: str, request: Request) -> tuple[str, str, dict[str, Any]]:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise MalformedReply("the server did not keep to the schema: no JSON came") from error
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    action, arguments = fields.get("action"), fields.get("arguments")
    known = {tool.name for tool in request.prefix.tools} | {FINISH}
    if not isinstance(action, str) or action not in known or not isinstance(arguments, dict):
        raise MalformedReply("the server did not keep to the schema: no such action")
    thought = fields.get("thought")
    return (
        action,
        thought if isinstance(thought, str) else "",
        cast("dict[str, Any]", arguments),
    )


def _object(thought: str, action: str, arguments: str) -> str:
    head = json.dumps({"thought": thought, "action": action}, ensure_ascii=False)
    return f'{head[:-1]}, "arguments": {arguments}}}'
