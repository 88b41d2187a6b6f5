"""From a client's chunks to pieces and one Reply: the part all clients share."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Final

from aoci_agent.agent.models.accumulate import Accumulator, Chunk
from aoci_agent.agent.models.faults import Caller, refusal, said, stream_status
from aoci_agent.agent.models.model import Busy, ContextOverflow, Piece, Reply, Request, StreamCut
from aoci_agent.agent.models.prices import Prices
from aoci_agent.agent.models.usage import estimated, normalise
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage

END: Final = None
"""In place of a chunk: the stream's own end ([DONE], or the worker's last line)."""


class Dropped(Exception):
    """The connection, or the worker behind it, broke. Never leaves this package."""


async def read_reply(
    chunks: AsyncIterator[Chunk | None], request: Request, caller: Caller, prices: Prices
) -> AsyncGenerator[Piece]:
    """Yield what streams in, then the Reply.

    A break before the first piece is Busy (it may be tried again, nothing was shown), after it
    StreamCut with what it will have cost.
    """
    gathered = Accumulator(used_ids(request))
    shown = done = False
    try:
        async for chunk in chunks:
            if chunk is None:  # END
                done = True
                break
            if chunk.get("error"):
                raise _stream_error(chunk["error"], caller, shown=shown)
            for piece in gathered.feed(chunk):
                shown = True
                yield piece
        finished = gathered.finished(done=done)
    except (Dropped, StreamCut) as error:
        why = caller.tidy(str(error))
        if not shown:
            raise Busy(why) from error
        received = gathered.received
        spent = prices.priced(estimated(request, AssistantMessage(received)))
        raise StreamCut(why, received, spent) from error
    usage = normalise(finished.usage) or estimated(request, finished.message)
    model = finished.model or caller.model
    yield Reply(finished.message, prices.priced(usage), finished.finish, model)


def used_ids(request: Request) -> list[str]:
    """Ids of all calls in the conversation."""
    replies = (item for item in request.messages if isinstance(item, AssistantMessage))
    return [call.id for reply in replies for call in reply.calls]


def _stream_error(error: object, caller: Caller, *, shown: bool) -> Exception:
    """An error object inside a 200 stream."""
    body = json.dumps({"error": error}, default=str)
    mapped = refusal(stream_status(error), body, caller)
    if shown and not isinstance(mapped, ContextOverflow | ModelUnavailable):
        return StreamCut(f"{caller.server} broke off: {said(body)}")
    return mapped
