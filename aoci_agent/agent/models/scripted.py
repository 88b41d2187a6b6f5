"""A model that follows a script: for tests and for the demo."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import replace

from aoci_agent.agent.models.model import (
    CallPiece,
    Piece,
    Provenance,
    Reply,
    Request,
    StreamCut,
    TextPiece,
    Usage,
)
from aoci_agent.agent.models.wire import request_parts
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage

Line = AssistantMessage | Reply | Exception | Callable[[Request], AssistantMessage | Reply]
"""One line of a script. An exception is raised; a StreamCut first streams what it `received`."""


class ScriptedModel:
    """Answers each request with the next line of the script, streaming it in small pieces.

    Usage is counted, not invented: `cache_read` is the longest common prefix (in whole messages,
    tools first) with any earlier request, which is what a perfect prompt cache would have read.
    `requests` holds everything that was asked, in order.
    """

    recorded = False

    def __init__(
        self,
        lines: Iterable[Line],
        *,
        name: str = "scripted",
        window: int | None = None,
        cost: float | None = 0.0,
        pace: float = 0.0,
    ) -> None:
        """`cost` is in dollars per call (None: no price known), `pace` in seconds per piece."""
        self.name = name
        self.window = window
        self.requests: list[Request] = []
        self._lines = list(lines)
        self._cost = cost
        self._pace = pace
        self._cache = PrefixCache()

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """Yield the next line of the script."""
        self.requests.append(request)
        if len(self.requests) > len(self._lines):
            raise ModelUnavailable(
                f"the script has {len(self._lines)} replies and was asked for one more"
            )
        line = self._lines[len(self.requests) - 1]
        said = line if isinstance(line, AssistantMessage | Reply | Exception) else line(request)
        for piece in _pieces(said):
            await asyncio.sleep(self._pace)
            yield piece
        if isinstance(said, Exception):
            raise said
        yield said if isinstance(said, Reply) else self._reply(request, said)

    def priced(self, usage: Usage) -> Usage:
        """The fixed cost of a call, whatever its tokens."""
        source = Provenance.UNKNOWN if self._cost is None else Provenance.MEASURED
        return replace(usage, cost=self._cost, cost_from=source)

    async def close(self) -> None:
        """Nothing is held."""

    def _reply(self, request: Request, message: AssistantMessage) -> Reply:
        from aoci_agent.base import tokens

        prompt, cached = self._cache.ask(request)
        written = message.text + "".join(call.name + call.arguments for call in message.calls)
        usage = Usage(
            fresh=prompt - cached,
            cache_read=cached,
            output=tokens.count(message.reasoning + written),
            reasoning=tokens.count(message.reasoning) if message.reasoning else 0,
        )
        finish = "calls" if message.calls else "stop"
        return Reply(message, self.priced(usage), finish, self.name)


class PrefixCache:
    """What a perfect prompt cache would do: remembers requests, finds the longest common prefix."""

    def __init__(self) -> None:
        self._seen: list[list[str]] = []
        self._counts: dict[str, int] = {}

    def ask(self, request: Request) -> tuple[int, int]:
        """Tokens of the prompt and how many of them an earlier request had already sent."""
        parts = request_parts(request)
        common = max((_common(old, parts) for old in self._seen), default=0)
        self._seen.append(parts)
        counts = [self._count(part) for part in parts]
        return sum(counts), sum(counts[:common])

    def _count(self, part: str) -> int:
        from aoci_agent.base import tokens

        if part not in self._counts:
            self._counts[part] = tokens.count(part)
        return self._counts[part]


def _common(old: list[str], new: list[str]) -> int:
    length = 0
    for before, now in zip(old, new, strict=False):
        if before != now:
            break
        length += 1
    return length


def _pieces(said: AssistantMessage | Reply | Exception) -> list[Piece]:
    if isinstance(said, StreamCut):
        return [*_words(said.received)]
    if isinstance(said, Exception):
        return []
    message = said.message if isinstance(said, Reply) else said
    calls = [CallPiece(call.name, len(call.arguments)) for call in message.calls]
    return [*_words(message.text), *calls]


def _words(text: str) -> list[TextPiece]:
    """Text in pieces of about four words, every character kept."""
    return [TextPiece(piece) for piece in re.findall(r"(?:\S+\s*|\s+){1,4}", text)]
