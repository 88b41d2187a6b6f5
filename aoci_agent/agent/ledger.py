"""Counting a request as it will be sent, part by part, and splitting the measured total over the parts."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from aoci_agent.agent.models.model import Provenance, Request, Usage
from aoci_agent.base import tokens
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from aoci_agent.policies.layers import Prefix

MESSAGE_OVERHEAD = 4  # role and separators, the usual figure for chat formats
INDEX = ("index header", "index", "index changes")
BEFORE_INDEX = ("tools", "rules")


class Piece(NamedTuple):
    """A part of a request that is the same in two requests or is not, and its tokens."""

    content: object
    tokens: int


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

    def pieces(self, request: Request) -> tuple[Piece, ...]:
        """The request in the order it is sent: tools, layers, messages."""
        fixed = self._fixed(request.prefix)
        shown = (layer for layer in request.prefix.layers if layer.text)
        layers = [Piece(layer.text, fixed[layer.name]) for layer in shown]
        messages = [Piece(message, self._message(message)) for message in request.messages]
        return (Piece(request.prefix.tools, fixed["tools"]), *layers, *messages)

    def size(self, message: Message) -> int:
        """Tokens of one message as it is sent."""
        return self._message(message)

    def _fixed(self, prefix: Prefix) -> dict[str, int]:
        known = self._prefix  # read once: a preview counts other prefixes in a thread
        if known is None or known[0] is not prefix:
            schemas = [
                {"name": t.name, "description": t.description, "parameters": t.parameters}
                for t in prefix.tools
            ]
            counts = {"tools": tokens.count(json.dumps(schemas, separators=(",", ":")))}
            shown = [layer for layer in prefix.layers if layer.text]
            counts |= {layer.name: self._text(f"{layer.text}\n\n") for layer in shown}
            if shown:  # all layers are one message
                counts[shown[0].name] += MESSAGE_OVERHEAD
            known = self._prefix = (prefix, counts)
        return known[1]

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


def index_of(layers: dict[str, int]) -> int:
    """What the index layer takes of a split."""
    return sum(layers.get(name, 0) for name in INDEX)


def index_share(usage: Usage, layers: dict[str, int]) -> Usage:
    """What of a call's prompt was the index layer, by bucket. An estimate, as the split is.

    A cache holds beginnings: what was read comes first in the prompt, what was written follows, and
    the rest was fresh. The index stands behind the tools and the rules.
    """
    size = index_of(layers)
    start = sum(layers.get(name, 0) for name in BEFORE_INDEX)
    read = _overlap(start, size, 0, usage.cache_read)
    written = _overlap(start, size, usage.cache_read, usage.cache_write)
    hour = min(written, usage.cache_write_1h)  # what is kept for an hour is the fixed part
    return Usage(
        fresh=size - read - written,
        cache_read=read,
        cache_write=written,
        cache_write_1h=hour,
        tokens_from=Provenance.ESTIMATED,
    )


def unpriced(usage: Usage) -> Usage:
    """The tokens alone, to be priced again."""
    return replace(usage, cost=None, cost_from=Provenance.UNKNOWN, price_from="", own_cost=None)


def added(splits: Iterable[dict[str, int]]) -> dict[str, int]:
    """Several splits as one, parts in the order they first came."""
    sums: dict[str, int] = {}
    for split in splits:
        for name, count in split.items():
            sums[name] = sums.get(name, 0) + count
    return sums


def _overlap(start: int, size: int, other: int, length: int) -> int:
    return max(0, min(start + size, other + length) - max(start, other))
