"""Tools told in words: the fixed prompt and the conversation for servers without tool calls."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from aoci_agent.agent.models.model import Request
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolMessage,
    UserMessage,
)
from aoci_agent.policies.layers import Layer, Prefix, ToolSchema


def prompted(
    request: Request, template: str, written: Callable[[AssistantMessage], str]
) -> Request:
    """The request with its tools as the first layer and its calls and results as plain messages.

    Equal prefixes give equal bytes, so the prompt cache holds over steps. `written` is how the model
    itself would have written a message.
    """
    tools = request.prefix.tools
    prefix = Prefix((), (Layer("tools", _tools_text(template, tools)), *request.prefix.layers))
    messages = tuple(_merged(_plain(item, written) for item in request.messages))
    return replace(request, prefix=prefix, messages=messages)


def _tools_text(template: str, tools: Iterable[ToolSchema]) -> str:
    lines = [
        f"- {tool.name}: {tool.description.strip()} arguments: {_shape(tool)}" for tool in tools
    ]
    return _template(template).replace("{tools}", "\n".join(lines)).rstrip("\n")


@cache
def _template(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _shape(tool: ToolSchema) -> str:
    """The arguments as one line: a schema costs a small model three times the tokens."""
    properties = cast("Mapping[str, Mapping[str, Any]]", tool.parameters.get("properties", {}))
    required = set(cast("list[str]", tool.parameters.get("required", [])))
    return json.dumps(
        {
            name if name in required else f"{name}?": _type(shape)
            for name, shape in sorted(properties.items())
        },
        ensure_ascii=False,
    )


def _type(shape: Mapping[str, Any]) -> str:
    kind = shape.get("type")
    if "enum" in shape:
        kind = " or ".join(str(value) for value in shape["enum"])
    elif "anyOf" in shape:
        kinds = [str(option.get("type", "any")) for option in shape["anyOf"]]
        kind = " or ".join(k for k in kinds if k != "null")
    words = str(kind or "any")
    return f"{words}: {shape['description']}" if shape.get("description") else words


def _plain(item: Message, written: Callable[[AssistantMessage], str]) -> Message:
    match item:
        case ToolMessage(name=name, text=text, ok=ok):
            return UserMessage(f"{'Result' if ok else 'Error'} of {name}:\n{text}", harness=True)
        case AssistantMessage():
            return AssistantMessage(written(item))
        case UserMessage():
            return item


def _merged(messages: Iterable[Message]) -> list[Message]:
    """Neighbouring user messages as one: many chat templates insist that roles alternate."""
    merged: list[Message] = []
    for item in messages:
        last = merged[-1] if merged else None
        if isinstance(item, UserMessage) and isinstance(last, UserMessage):
            merged[-1] = UserMessage(f"{last.text}\n\n{item.text}", last.harness and item.harness)
        else:
            merged.append(item)
    return merged
