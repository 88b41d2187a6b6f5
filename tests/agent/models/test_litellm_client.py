"""The litellm worker, for real: a process that imports litellm and talks to a server on loopback."""

import asyncio
import json
import os
import signal
import sys
from contextlib import aclosing
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from support.asking import asking, hear
from support.endpoint import Answer, refuses, says, serving

from aoci_agent.agent.models.litellm_client import LitellmModel
from aoci_agent.agent.models.model import Busy, ContextOverflow, Provenance, StreamCut, TextPiece
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.policies.conversation import ToolCall, UserMessage

NAME = "anthropic/claude-sonnet-4-5"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


Event = dict[str, Any]


def anthropic(*events: Event) -> Answer:
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return Answer("".join(lines).encode())


USAGE = {
    "input_tokens": 9,
    "cache_creation_input_tokens": 1000,
    "cache_read_input_tokens": 17000,
    "cache_creation": {"ephemeral_5m_input_tokens": 400, "ephemeral_1h_input_tokens": 600},
    "output_tokens": 1,
}
START: Event = {
    "type": "message_start",
    "message": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [],
        "stop_reason": None,
        "usage": USAGE,
    },
}
TEXT: list[Event] = [
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I look."}},
    {"type": "content_block_stop", "index": 0},
]
CALL: list[Event] = [
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}},
    },
    *(
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": part},
        }
        for part in ('{"pa', 'th": "a.py"}')
    ),
    {"type": "content_block_stop", "index": 1},
]
STOP: list[Event] = [
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 20},
    },
    {"type": "message_stop"},
]


async def test_through_a_worker_process(capfd: pytest.CaptureFixture[str]) -> None:
    whole = anthropic(START, *TEXT, *CALL, *STOP)
    stalled = replace(whole, stall=whole.body.index(b"event: content_block_stop"))
    overflow = refuses(400, "prompt is too long: 210000 tokens > 200000 maximum")
    answers = [
        whole,
        refuses(429, "slow down", retry_after="7"),
        overflow,
        refuses(401, "no"),
        stalled,
    ]
    prices: dict[str, dict[str, float]] = {"another/model": {"input": 1.0, "output": 1.0}}
    model = LitellmModel(NAME, {"ANTHROPIC_API_KEY": "k3y"}, prices, long_prefix=True)
    try:
        await model.warm()
        async with serving(*answers) as server:
            request = asking(UserMessage("hi"), api_base=server.url.removesuffix("/v1"))
            heard = await hear(model, request)
            with pytest.raises(Busy) as busy:
                await hear(model, request)
            with pytest.raises(ContextOverflow):
                await hear(model, request)
            with pytest.raises(ModelUnavailable, match="key") as refused:
                await hear(model, request)
            await _cancel(model, request, server.hung_up)
        await _mocked(model)
        await _cut(model)
        await _uncounted(model)
        prices[NAME] = {"input": 1000.0, "output": 2000.0}
        async with serving(whole) as dear:
            priced = await hear(model, asking(api_base=dear.url.removesuffix("/v1")))
        if sys.platform == "linux":
            await _killed(model)
    finally:
        await model.close()
    assert busy.value.retry_after == 7
    assert str(busy.value) == "anthropic answers 429: slow down"
    assert "ANTHROPIC_API_KEY" in refused.value.hint
    assert heard.reply.message.text == "I look."
    assert heard.reply.message.calls == (ToolCall("toolu_1", "read", '{"path": "a.py"}'),)
    assert heard.reply.finish == "calls"
    usage = heard.reply.usage
    assert (usage.fresh, usage.cache_read, usage.cache_write, usage.output) == (9, 17000, 1000, 20)
    assert usage.cache_write_1h == 600
    assert (usage.tokens_from, usage.price_from) == (Provenance.MEASURED, "catalogue")
    written = 400 * 3.75e-6 + 600 * 6e-6
    assert isclose(usage.cost or 0, 9 * 3e-6 + 17000 * 3e-7 + written + 20 * 1.5e-5)
    # The user's price names no cache rates: all at the full one, but an hour's write costs twice that.
    assert isclose(priced.reply.usage.cost or 0, 17409 * 1e-3 + 600 * 2e-3 + 20 * 2e-3)
    assert priced.reply.usage.price_from == "config"
    assert model.window == 200_000
    _check_request(server.posts[0].headers, server.posts[0].body)
    assert capfd.readouterr() == ("", "")


def _check_request(headers: dict[str, str], body: dict[str, Any]) -> None:
    """What reached the provider: the key, and the breakpoints where we put them."""
    assert headers["x-api-key"] == "k3y"
    hour = {"type": "ephemeral", "ttl": "1h"}
    assert [block.get("cache_control") for block in body["system"]] == [hour, hour]
    assert body["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
    assert [tool["name"] for tool in body["tools"]] == ["read", "bash"]


async def _cancel(model: LitellmModel, request: Any, hung_up: asyncio.Event) -> None:
    """Closing the stream reaches the provider's connection through the worker."""
    async with aclosing(model.stream(request)) as pieces:
        async for piece in pieces:
            assert piece == TextPiece("I look.")
            break
    async with asyncio.timeout(5):
        await hung_up.wait()


async def _mocked(model: LitellmModel) -> None:
    """The worker still answers after a cancel."""
    heard = await hear(model, asking(mock_response="Hello there"))
    assert heard.reply.message.text == "Hello there"


async def _cut(model: LitellmModel) -> None:
    """litellm ends a stream that broke off with a "stop" of its own; that is no end."""
    for events in ((START, *TEXT), (START, *TEXT, *CALL)):
        async with serving(anthropic(*events)) as server:
            with pytest.raises(StreamCut) as cut:
                await hear(model, asking(api_base=server.url.removesuffix("/v1")))
        assert cut.value.received == "I look."


async def _uncounted(model: LitellmModel) -> None:
    """What litellm counted itself is not what the provider said."""
    for answer, source in (
        (says("hello there", usage=None), Provenance.ESTIMATED),
        (says("hello there"), Provenance.MEASURED),
    ):
        async with serving(answer) as server:
            request = asking(model="openai/fake-1", api_base=server.url, api_key="k")
            reply = (await hear(model, request)).reply
        assert reply.message.text == "hello there"
        assert reply.usage.tokens_from is source


async def _killed(model: LitellmModel) -> None:
    """A worker that dies while it is asked is one clear error."""
    async with serving(replace(anthropic(START), stall=0)) as server:
        task = asyncio.create_task(hear(model, asking(api_base=server.url.removesuffix("/v1"))))
        async with asyncio.timeout(20):
            await server.arrived.wait()
            for pid in _workers():
                os.kill(pid, signal.SIGKILL)
            with pytest.raises(ModelUnavailable, match="ended unexpectedly"):
                await task


def _workers() -> list[int]:
    """Our own children that run the worker."""
    found: list[int] = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            parent = status.read_text().partition("PPid:\t")[2].partition("\n")[0]
            command = status.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if parent == str(os.getpid()) and b"litellm_worker" in command:
            found.append(int(status.parent.name))
    return found
