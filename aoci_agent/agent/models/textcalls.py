"""Tool calls read out of a reply's text, for servers that do not parse them.

Qwen2.5-Coder behind llama.cpp answers a `tools` request with a fenced JSON object in the text: 0 of 6
calls parsed by the server, 6 of 6 readable from the text.
"""

import json
import re
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, cast

from aoci_agent.agent.models.model import Piece, Reply, Request
from aoci_agent.agent.models.prompted import prompted
from aoci_agent.agent.models.reading import used_ids
from aoci_agent.agent.models.wrapping import Wrapper
from aoci_agent.policies.conversation import AssistantMessage, ToolCall

NAME_KEYS = ("name", "tool", "action", "tool_name", "function")
ARGUMENT_KEYS = ("arguments", "args", "parameters", "input", "action_input")
OTHER_KEYS = frozenset({"type", "id", "thought"})

# End marks of chat templates that some servers leave in the text.
_END_MARKS = re.compile(r"(?:\s|<\|(?:im_end|eot_id|endoftext|end)\|>|</s>)+\Z")
_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_FENCED = re.compile(
    r"^```(?:json|tool_call|tool_code)?[ \t]*\n(.*?)\n?^```", re.DOTALL | re.MULTILINE
)
_OPENING = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Found:
    """Calls and the text before them."""

    text: str
    calls: tuple[tuple[str, str], ...]  # name, arguments as JSON text


class TextCallsModel(Wrapper):
    """Reads calls from the text of replies that have none, naming only tools that were offered."""

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The inner stream; only its Reply may change."""
        async with aclosing(self.inner.stream(self.told(request))) as pieces:
            async for piece in pieces:
                yield with_calls(piece, request) if isinstance(piece, Reply) else piece

    def told(self, request: Request) -> Request:
        """The request as the inner model gets it."""
        return request


class TextPromptModel(TextCallsModel):
    """For servers that refuse `tools`: the tools are told in the prompt as well."""

    def told(self, request: Request) -> Request:
        """The tools in words, and calls as the model itself wrote them."""
        return prompted(request, "text_calls.md", written_call)


def written_call(message: AssistantMessage) -> str:
    """A message as a model following text_calls.md writes it."""
    fences = [
        f'```json\n{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}\n```'
        for call in message.calls
    ]
    return "\n\n".join([message.text, *fences] if message.text else fences)


def with_calls(reply: Reply, request: Request) -> Reply:
    """The reply with the calls its text ends in, or as it is."""
    # A reply cut at its length limit may end in half a batch: it is left for the loop to continue.
    if reply.message.calls or reply.finish != "stop":
        return reply
    found = read_calls(reply.message.text, {tool.name for tool in request.prefix.tools})
    if found is None:
        return reply
    number = len(used_ids(request))
    calls = tuple(
        ToolCall(f"call{at:05d}", name, arguments)
        for at, (name, arguments) in enumerate(found.calls, number)
    )
    message = AssistantMessage(found.text, calls, reply.message.reasoning)
    return replace(reply, message=message, finish="calls")


def read_calls(text: str, names: Collection[str]) -> Found | None:
    """Calls that end a text, make up all of it, or open it in a fence; None unless they are sound.

    After prose nothing may follow them: JSON between prose is an example or a quotation. What follows
    a fence that opens the reply is dropped: it was written before any result could be known, and small
    models invent the result there. Each call must be strict JSON, name an offered tool, carry its
    arguments as an object, and have no keys besides.
    """
    body = _END_MARKS.sub("", text)
    found = _found("", [body], names)
    finds = (find(body, names) for find in (_tagged, _fenced, _bare, _opening))
    return found or next((found for found in finds if found), None)


def _tagged(body: str, names: Collection[str]) -> Found | None:
    """<tool_call>{...}</tool_call>, one or more; the last may lack its closing tag."""
    start = body.find("<tool_call>")
    if start < 0:
        return None
    rest = body[start:] if body.endswith("</tool_call>") else body[start:] + "</tool_call>"
    if _TAGGED.sub("", rest).strip():
        return None
    return _found(body[:start], _TAGGED.findall(rest), names)


def _fenced(body: str, names: Collection[str]) -> Found | None:
    """The last fences of a text, with nothing but space between and after them."""
    if "```" not in body:
        return None
    closed = body if re.search(r"^```[ \t]*\Z", body, re.MULTILINE) else body + "\n```"
    blocks = list(_FENCED.finditer(closed))
    if not blocks or closed[blocks[-1].end() :].strip():
        return None
    first = len(blocks) - 1
    while first and not closed[blocks[first - 1].end() : blocks[first].start()].strip():
        first -= 1
    return _found(closed[: blocks[first].start()], [b[1] for b in blocks[first:]], names)


def _opening(body: str, names: Collection[str]) -> Found | None:
    """The fence the text opens with."""
    block = _FENCED.match(body.lstrip())
    return _found("", [block[1]], names) if block else None


def _bare(body: str, names: Collection[str]) -> Found | None:
    """JSON from the start of some line to the end of the text."""
    if not body.endswith(("}", "]")) or "```" in body:
        return None
    starts = [opening.end() for opening in islice(_OPENING.finditer(body), 50)]
    return next((f for at in starts if (f := _found(body[:at], [body[at:]], names))), None)


def _found(before: str, texts: list[str], names: Collection[str]) -> Found | None:
    calls: list[tuple[str, str]] = []
    for text in texts:
        read = _calls(text, names)
        if not read:
            return None
        calls.extend(read)
    return Found(before.strip(), tuple(calls)) if calls else None


def _calls(text: str, names: Collection[str]) -> list[tuple[str, str]] | None:
    value: object = _strict(text)
    if set(_mapping(value)) == {"tool_calls"}:
        value = _mapping(value)["tool_calls"]
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    calls = [_call(_mapping(item), names) for item in items]
    return [call for call in calls if call] if calls and all(calls) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _call(fields: Mapping[str, Any], names: Collection[str]) -> tuple[str, str] | None:
    nested = _mapping(fields.get("function"))
    if nested:
        return _call(nested, names) if set(fields) - OTHER_KEYS == {"function"} else None
    named = [key for key in NAME_KEYS if key in fields]
    given = [key for key in ARGUMENT_KEYS if key in fields]
    if len(named) != 1 or len(given) != 1 or set(fields) - OTHER_KEYS - {named[0], given[0]}:
        return None
    name, arguments = fields[named[0]], fields[given[0]]
    if isinstance(arguments, str):
        arguments = _strict(arguments)
    if not isinstance(name, str) or name not in names or not isinstance(arguments, Mapping):
        return None
    return name, json.dumps(arguments, ensure_ascii=False)


def _strict(text: str) -> object:
    """The JSON value, None when the text is anything else (or null)."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
