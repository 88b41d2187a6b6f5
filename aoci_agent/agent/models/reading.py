"""From a client's chunks to pieces and one Reply: the part all clients share."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from aoci_agent.agent.models.accumulate import Accumulator, Finished
from aoci_agent.agent.models.faults import Caller, refusal, said, stream_status
from aoci_agent.agent.models.model import Busy, ContextOverflow, Piece, Reply, Request, StreamCut
from aoci_agent.agent.models.prices import Prices
from aoci_agent.agent.models.usage import estimated, normalise
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage, ToolCall


class EndMark:
    """The stream's own end ([DONE], or the worker's last line)."""


END: Final = EndMark()

Chunks = AsyncIterator[Mapping[str, Any] | EndMark]


class Dropped(Exception):
    """The connection, or the worker behind it, went away. Never leaves this package."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who was asked and what it charges."""

    name: str
    caller: Caller
    prices: Prices

    def reply(self, request: Request, finished: Finished) -> Reply:
        """The whole message with its usage: the provider's, or an estimate when it sent none."""
        counted = normalise(finished.usage)
        if counted is None or counted.fresh + counted.cache_read + counted.cache_write == 0:
            usage = self.prices.priced(estimated(request, finished.message))
        else:
            usage = self.prices.charge(counted)
        return Reply(finished.message, usage, finished.finish, finished.model or self.name)

    def cut(self, request: Request, received: str, why: str) -> StreamCut:
        """The error for a reply that lost its end, with what it will have cost."""
        spent = self.prices.priced(estimated(request, AssistantMessage(received)))
        return StreamCut(self.caller.tidy(why), received, spent)


async def read_reply(chunks: Chunks, request: Request, account: Account) -> AsyncGenerator[Piece]:
    """Yield what streams in, then the Reply.

    A break before the first piece is Busy (it may be tried again, nothing was shown), after it
    StreamCut.
    """
    gathered = Accumulator(used_ids(request))
    shown = done = False
    try:
        async for chunk in chunks:
            if isinstance(chunk, EndMark):
                done = True
                break
            if chunk.get("error"):
                raise _stream_error(chunk["error"], account, shown=shown)
            for piece in gathered.feed(chunk):
                shown = True
                yield piece
        finished = gathered.finished(done=done)
    except (Dropped, StreamCut) as error:
        if not shown:
            raise Busy(account.caller.tidy(str(error))) from error
        raise account.cut(request, gathered.received, str(error)) from error
    yield account.reply(request, finished)


def used_ids(request: Request) -> list[str]:
    """Ids of all calls in the conversation."""
    calls: list[ToolCall] = []
    for message in request.messages:
        if isinstance(message, AssistantMessage):
            calls.extend(message.calls)
    return [call.id for call in calls]


def _stream_error(error: object, account: Account, *, shown: bool) -> Exception:
    """An error object inside a 200 stream."""
    import json

    body = json.dumps({"error": cast("Any", error)}, default=str)
    mapped = refusal(stream_status(error), body, account.caller)
    if shown and not isinstance(mapped, ContextOverflow | ModelUnavailable):
        return StreamCut(f"{account.caller.server} broke off: {said(body)}")
    return mapped
