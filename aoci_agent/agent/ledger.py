"""Counting a request as it will be sent, part by part, and splitting the measured total over the parts."""

import json

from aoci_agent.agent.models.model import Request
from aoci_agent.base import tokens
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from aoci_agent.policies.layers import Prefix

MESSAGE_OVERHEAD = 4  # role and separators, the usual figure for chat formats


class Ledger:
    """Counts parts of requests. Fixed parts are counted once, messages once each."""

    def __init__(self) -> None:
        self._prefix: tuple[Prefix, dict[str, int]] | None = None
        self._messages: dict[Message, int] = {}
        self._texts: dict[str, int] = {}

    def parts(self, request: Request) -> dict[str, int]:
        """Tokens by part: tools, the layers by name, candidates, conversation, tool results."""
        parts = dict(self._fixed(request.prefix))
        delivered = [m.candidates for m in request.messages if isinstance(m, UserMessage)]
        blocks = sum(self._text(text) for text in delivered if text)
        parts |= {"candidates": blocks} if blocks else {}
        parts |= {"conversation": -blocks, "tool results": 0}
        for message in request.messages:
            part = "tool results" if isinstance(message, ToolMessage) else "conversation"
            parts[part] += self._message(message)
        return parts

    def _fixed(self, prefix: Prefix) -> dict[str, int]:
        if self._prefix is None or self._prefix[0] is not prefix:
            schemas = [
                {"name": t.name, "description": t.description, "parameters": t.parameters}
                for t in prefix.tools
            ]
            counts = {"tools": tokens.count(json.dumps(schemas, separators=(",", ":")))}
            counts |= {layer.name: tokens.count(layer.text) for layer in prefix.layers}
            self._prefix = (prefix, counts)
        return self._prefix[1]

    def _text(self, text: str) -> int:
        if text not in self._texts:
            self._texts[text] = tokens.count(text)
        return self._texts[text]

    def _message(self, message: Message) -> int:
        known = self._messages.get(message)
        if known is None:
            text = message.text
            if isinstance(message, AssistantMessage):
                text += "".join(call.name + call.arguments for call in message.calls)
            known = self._messages[message] = tokens.count(text) + MESSAGE_OVERHEAD
        return known


def scaled(parts: dict[str, int], total: int) -> dict[str, int]:
    """The parts scaled to sum to `total` exactly, largest remainders first.

    Providers count with their own tokenizers; the split keeps our proportions and their total.
    """
    counted = sum(parts.values())
    if not counted or not total:
        return dict(parts)
    exact = {name: value * total / counted for name, value in parts.items()}
    result = {name: int(value) for name, value in exact.items()}
    short = total - sum(result.values())
    for name in sorted(exact, key=lambda n: (result[n] - exact[n], n))[:short]:
        result[name] += 1
    return result
