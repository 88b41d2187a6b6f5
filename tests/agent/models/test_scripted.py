"""The scripted model: what tests and the demo rely on."""

import pytest
from support.asking import asking, hear

from aoci_agent.agent.models.model import (
    CallPiece,
    Provenance,
    Reply,
    Request,
    StreamCut,
    TextPiece,
    Usage,
)
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage, ToolCall, ToolMessage, UserMessage

LOOK = AssistantMessage("I look at it, with care.", (ToolCall("c1", "read", '{"path": "a"}'),))


async def test_streams_text_and_calls_and_remembers_the_request() -> None:
    model = ScriptedModel([LOOK])
    heard = await hear(model, asking(UserMessage("go")))
    texts = [piece.text for piece in heard.pieces if isinstance(piece, TextPiece)]
    assert len(texts) > 1
    assert "".join(texts) == LOOK.text
    assert CallPiece("read", 13) in heard.pieces
    assert heard.reply.finish == "calls"
    assert model.requests[0].messages == (UserMessage("go"),)


async def test_usage_is_what_a_perfect_cache_would_say() -> None:
    model = ScriptedModel([LOOK, AssistantMessage("done"), AssistantMessage("again")])
    first = (await hear(model, asking(UserMessage("go")))).reply.usage
    longer = asking(UserMessage("go"), LOOK, ToolMessage("c1", "read", "text"))
    second = (await hear(model, longer)).reply.usage
    third = (await hear(model, asking(UserMessage("something else")))).reply.usage
    assert first.cache_read == 0
    assert second.cache_read == first.fresh
    assert 0 < third.cache_read < first.fresh
    assert second.cost == 0.0


async def test_an_unknown_price_can_be_asked_for() -> None:
    usage = (await hear(ScriptedModel([LOOK], cost=None))).reply.usage
    assert (usage.cost, usage.cost_from) == (None, Provenance.UNKNOWN)


async def test_lines_may_be_functions_of_the_request() -> None:
    def echo(request: Request) -> AssistantMessage:
        last = request.messages[-1]
        assert isinstance(last, UserMessage)
        return AssistantMessage(last.text)

    heard = await hear(ScriptedModel([echo]), asking(UserMessage("say it")))
    assert heard.reply.message.text == "say it"


async def test_whole_replies_and_failures() -> None:
    whole = Reply(LOOK, Usage(1, 2, 3, 4), "length", "other")
    model = ScriptedModel([whole, StreamCut("cut", "half a"), ValueError("bug")])
    assert (await hear(model)).reply == whole
    cut = model.stream(asking())
    assert await anext(cut) == TextPiece("half a")
    with pytest.raises(StreamCut):
        await anext(cut)
    with pytest.raises(ValueError, match="bug"):
        await hear(model)
    with pytest.raises(ModelUnavailable, match="3 replies"):
        await hear(model)
