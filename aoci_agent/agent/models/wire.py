"""Our prompt and conversation as the JSON of an OpenAI-compatible chat completion."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from aoci_agent.agent.models.model import Request
from aoci_agent.agent.models.rates import Rates
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from aoci_agent.policies.layers import Prefix, ToolSchema

Json = dict[str, Any]

# What marks the end of a reusable prefix: the Anthropic family's way and OpenAI's (gpt-5.6 and later).
SHORT_MARK: Final[Json] = {"cache_control": {"type": "ephemeral"}}  # five minutes
LONG_MARK: Final[Json] = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
MARKS: Final[dict[str, Json]] = {
    "cache_control": SHORT_MARK,
    "prompt_cache_breakpoint": {"prompt_cache_breakpoint": {"mode": "explicit"}},
}


def tools(schemas: Iterable[ToolSchema]) -> list[Json]:
    """The tool list; every nested key is sorted, so equal schemas are equal bytes."""
    return [
        {
            "type": "function",
            "function": {
                "name": schema.name,
                "description": schema.description,
                "parameters": json.loads(json.dumps(schema.parameters, sort_keys=True)),
            },
        }
        for schema in schemas
    ]


def message(item: Message, *, echo_reasoning: bool = False) -> Json:
    """One message. `echo_reasoning` sends the model's reasoning back (DeepSeek asks for it)."""
    match item:
        case UserMessage(text=text):
            return {"role": "user", "content": text}
        case ToolMessage(call_id=call_id, text=text):
            return {"role": "tool", "tool_call_id": call_id, "content": text}
        case AssistantMessage():
            return _assistant(item, echo_reasoning=echo_reasoning)


def conversation(request: Request, *, echo_reasoning: bool = False) -> list[Json]:
    """The whole message list: the fixed system message, then the conversation."""
    system = request.prefix.system
    head: list[Json] = [{"role": "system", "content": system}] if system else []
    return head + [message(item, echo_reasoning=echo_reasoning) for item in request.messages]


def marked_conversation(request: Request, rates: Rates, *, long_prefix: bool = False) -> list[Json]:
    """The message list with as many cache breakpoints as this provider takes, where it takes any.

    One after the first layer (rules) and one after the last fixed layer. Where nothing is cached
    without a mark, also one on the newest message and one where the previous request had its newest
    message: a provider looks back only so many blocks, and one step may add more. `long_prefix`
    keeps the fixed layers for an hour if the provider can; those marks precede all others.
    """
    if not rates.mark:
        return conversation(request)
    mark = MARKS[rates.mark]
    fixed = LONG_MARK if long_prefix and mark == SHORT_MARK and "1h" in rates.lives else mark
    room = rates.breakpoints - (rates.trigger == "both")  # then the provider sets one itself
    newest = _newest(request.messages) if rates.trigger == "explicit" else []
    newest = newest[max(0, len(newest) - room + 1) :]
    head = _marked_system(request.prefix, fixed, both=room - len(newest) > 1)
    body = [message(item) for item in request.messages]
    for position in newest:
        content = body[position].get("content")
        if isinstance(content, str) and content:
            body[position]["content"] = [_block(content, mark)]
    return head + body


def request_parts(request: Request) -> list[str]:
    """The request as the text of its parts (tools, then each message): for counting and hashing."""
    head = [json.dumps(tools(request.prefix.tools), sort_keys=True)] if request.prefix.tools else []
    body = conversation(request)
    return head + [json.dumps(item, sort_keys=True, ensure_ascii=False) for item in body]


def _assistant(item: AssistantMessage, *, echo_reasoning: bool) -> Json:
    # Content null is refused by some servers when there are no calls, "" by others when there are.
    sent: Json = {"role": "assistant", "content": item.text or (None if item.calls else "")}
    if item.calls:
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in item.calls
        ]
    if echo_reasoning and item.reasoning and item.calls:
        sent["reasoning_content"] = item.reasoning
    return sent


def _marked_system(prefix: Prefix, mark: Json, *, both: bool) -> list[Json]:
    """The system message in blocks, marked after the index and, with `both`, after the first layer.

    What changed since the index was first sent stands behind its mark; without an index the last
    layer is marked. Joined, the blocks are `prefix.system`.
    """
    layers = [layer for layer in prefix.layers if layer.text]
    if not layers:
        return []
    names = [layer.name for layer in layers]
    index = names.index("index") if "index" in names else len(names) - 1
    marked = (0, index) if both else (index,)
    blocks = [
        _block(f"{layer.text}\n\n", mark if at in marked else {}) for at, layer in enumerate(layers)
    ]
    return [{"role": "system", "content": blocks}]


def _block(text: str, mark: Json) -> Json:
    return {"type": "text", "text": text, **mark}


def _newest(messages: Sequence[Message]) -> list[int]:
    """Positions of the newest message and of the one before the last reply."""
    if not messages:
        return []
    found = [len(messages) - 1]
    replies = [at for at, item in enumerate(messages) if isinstance(item, AssistantMessage)]
    if replies and replies[-1] > 0 and not isinstance(messages[replies[-1] - 1], AssistantMessage):
        found.append(replies[-1] - 1)
    return sorted(set(found))
