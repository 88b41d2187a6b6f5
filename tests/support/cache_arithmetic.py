"""What a provider with a prefix cache must say of each step, worked out from sizes alone.

Knows nothing of the provider's own code: only what two prompts share from their beginning, whether
five minutes have passed, and whether a cache works in steps of 128 or at the marks the product sets.
"""

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from support.caching_provider import Charged
from support.long_sessions import AUTOMATIC, MARKED, Step

from aoci_agent.base import tokens
from aoci_agent.policies.conversation import AssistantMessage, Message

Kind = Literal["automatic", "marked"]
KINDS: Final[tuple[Kind, ...]] = ("automatic", "marked")
MODELS: Final[dict[Kind, str]] = {"automatic": AUTOMATIC, "marked": MARKED}
BEFORE, AFTER = 3, 1  # tokens around every message, the system message too
AROUND = BEFORE + AFTER
Buckets = tuple[int, int, int]  # fresh, read, written


def sent_text(message: Message) -> str:
    made = message.calls if isinstance(message, AssistantMessage) else ()
    return message.text + "".join(call.name + call.arguments for call in made)


def size(message: Message) -> int:
    return tokens.count(sent_text(message)) + AROUND


def fixed_size(charged: Charged) -> int:
    """The tools and the system message of a request; each block of the latter counts by itself."""
    body = json.loads(charged.raw)
    content = body["messages"][0]["content"]
    texts = [content] if isinstance(content, str) else [block["text"] for block in content]
    offered = [tool["function"] for tool in body["tools"]]
    schemas = json.dumps(offered, separators=(",", ":"))
    return tokens.count(schemas) + sum(map(tokens.count, texts)) + AROUND


@dataclass
class Arithmetic:
    """The buckets of one request after another, over one model and one fixed part of `fixed` tokens."""

    kind: Kind
    fixed: int
    alive: list[tuple[Message, ...]] = field(default_factory=list[tuple[Message, ...]])
    last: float = 0.0

    def of(self, steps: Iterable[Step]) -> list[Buckets]:
        return [self.buckets(step.messages, step.at) for step in steps]

    def buckets(self, messages: tuple[Message, ...], at: float) -> Buckets:
        """The request that sends these messages at this time."""
        if at - self.last >= 300:
            self.alive.clear()
        self.last = at
        prompt = self.fixed + sum(map(size, messages))
        read = max((self._shared(before, messages) for before in self.alive), default=0)
        self.alive.append(messages)
        if self.kind == "marked":
            # The newest message is marked: only what closes it stays fresh.
            read = max(0, read - AFTER)
            return (AFTER, read, prompt - AFTER - read)
        stepped = read // 128 * 128 if read >= 1024 else 0
        return (prompt - stepped, stepped, 0)

    def _shared(self, before: Sequence[Message], now: Sequence[Message]) -> int:
        """Tokens an earlier request and this one have in common, or that were marked in both."""
        pairs = list(zip(before, now, strict=False))
        at = next((at for at, (one, other) in enumerate(pairs) if one != other), len(pairs))
        same = self.fixed + sum(map(size, now[:at]))
        if self.kind == "marked":  # the fixed part, and the end of a request where a mark sees it
            return same if at == len(before) and _seen(now, at) else self.fixed
        if at in (len(before), len(now)):
            return same
        assert type(before[at]) is type(now[at])
        texts = zip(sent_text(before[at]), sent_text(now[at]), strict=False)
        head = "".join(
            one for one, _ in itertools.takewhile(lambda both: both[0] == both[1], texts)
        )
        return same + BEFORE + tokens.count(head)


def _seen(messages: Sequence[Message], end: int) -> bool:
    """Whether one of the marks we set on messages is at this end, or less than 20 blocks behind it.

    They are on the newest message and on the one before the last reply; each call is a block.
    """
    replies = [at for at, one in enumerate(messages) if isinstance(one, AssistantMessage)]
    marks = [len(messages), *replies[-1:]]
    between = (messages[end:mark] for mark in marks if mark >= end)
    return any(sum(map(_blocks, some)) < 20 for some in between)


def _blocks(message: Message) -> int:
    made = message.calls if isinstance(message, AssistantMessage) else ()
    return len(made) + (1 if message.text or not made else 0)


def measured(steps: Iterable[Step]) -> list[Buckets]:
    """What the meter says of these steps."""
    usages = [step.record.usage for step in steps]
    return [(usage.fresh, usage.cache_read, usage.cache_write) for usage in usages]
