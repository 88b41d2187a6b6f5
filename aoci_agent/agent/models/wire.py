"""Our prompt and conversation as the JSON of an OpenAI-compatible chat completion."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from aoci_agent.agent.models.model import Request
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from aoci_agent.policies.layers import Prefix, ToolSchema

Json = dict[str, Any]

# What marks the end of a reusable prefix: the Anthropic family's way and OpenAI's (gpt-5.6 and later).
ANTHROPIC_MARK: Final[Json] = {"cache_control": {"type": "ephemeral"}}
OPENAI_MARK: Final[Json] = {"prompt_cache_breakpoint": {"mode": "explicit"}}


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


def marked_conversation(request: Request) -> list[Json]:
    """The message list with cache breakpoints, for the Anthropic family (at most 4 are allowed).

    One after the first layer (rules), one after the last fixed layer, one on the newest message and
    one where the previous request had its newest message: a provider looks back only 20 blocks from
    a breakpoint, and one step may add more.
    """
    head = _marked_system(request.prefix, ANTHROPIC_MARK)
    body = [message(item) for item in request.messages]
    for position in _newest(request.messages):
        content = body[position].get("content")
        if isinstance(content, str) and content:
            body[position]["content"] = [_block(content, ANTHROPIC_MARK)]
    return head + body


def fixed_marked_conversation(request: Request) -> list[Json]:
    """The message list with breakpoints after the first and the last fixed layer, for OpenAI.

    Its newest models match a prefix only where a breakpoint was set; the one at the newest message
    they set themselves.
    """
    body = [message(item) for item in request.messages]
    return _marked_system(request.prefix, OPENAI_MARK) + body


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


def _marked_system(prefix: Prefix, mark: Json) -> list[Json]:
    """The system message in blocks, marked after the first and the last layer."""
    texts = [layer.text for layer in prefix.layers if layer.text]
    last = len(texts) - 1
    if not texts:
        return []
    # The blank line between layers stays inside the blocks: joined, they are prefix.system.
    blocks = [
        _block(text if at == last else text + "\n\n", mark if at in (0, last) else {})
        for at, text in enumerate(texts)
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
