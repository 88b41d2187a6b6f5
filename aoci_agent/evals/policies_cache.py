"""The usage a provider with a prefix cache would report, by one stated rule.

Tokens are what the product's gauge counts (`agent.ledger`). What the request has in common with the
one before it in the same session, from its first byte on, is read from the cache, in steps of 128
tokens, and nothing below 1,024. The rest, up to the last full step, is written to the cache if the
whole is at least 1,024; what is left is fresh. A session starts with an empty cache, or with a warm
one: then its tools and its system text were sent before, as by an earlier question.
"""

from collections.abc import Sequence
from itertools import takewhile

from aoci_agent.agent.ledger import Ledger, Piece
from aoci_agent.agent.models.model import Request, Usage
from aoci_agent.base import tokens
from aoci_agent.policies.conversation import AssistantMessage, ToolMessage, UserMessage
from aoci_agent.tools.lines import common_start

STEP = 128
LEAST = 1_024


class SimulatedCache:
    """The cache of one session."""

    def __init__(self, *, warm: bool = False) -> None:
        self._warm = warm
        self._before: Sequence[Piece] = ()
        self._ledger = Ledger()

    def usage(self, request: Request, reply: AssistantMessage) -> Usage:
        """The buckets of this call, without a cost."""
        pieces = self._ledger.pieces(request)
        prompt = sum(piece.tokens for piece in pieces)
        if self._warm and not self._before:
            self._before = pieces[: len(pieces) - len(request.messages)]
        read = _stepped(_common(self._before, pieces))
        write = max(0, _stepped(prompt) - read)
        self._before = pieces
        said = reply.text + "".join(call.name + call.arguments for call in reply.calls)
        fresh = prompt - read - write
        return Usage(fresh, cache_read=read, cache_write=write, output=tokens.count(said))


def _common(before: Sequence[Piece], now: Sequence[Piece]) -> int:
    """Tokens both begin with; inside a piece they are counted of its common text."""
    pairs = list(zip(before, now, strict=False))
    same = len(list(takewhile(lambda pair: pair[0].content == pair[1].content, pairs)))
    total = sum(piece.tokens for piece in now[:same])
    if same < len(pairs):
        old, new = (_text(piece) for piece in pairs[same])
        total += tokens.count(new[: common_start(old, new)])
    return total


def _text(piece: Piece) -> str:
    """Of a layer or of a message to the model; "" of what has a form of its own."""
    content = piece.content
    if isinstance(content, UserMessage | ToolMessage):
        return content.text
    return content if isinstance(content, str) else ""


def _stepped(count: int) -> int:
    return count // STEP * STEP if count >= LEAST else 0
