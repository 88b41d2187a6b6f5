"""A reply that was cut anywhere never becomes a call (safety.md R14)."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from support.asking import asking, hear
from support.endpoint import (
    USAGE,
    call_delta,
    calls,
    delta,
    events,
    serving,
    usage_chunk,
)

from aoci_agent.agent.models.connection import DONE, last_event, split_events
from aoci_agent.agent.models.faults import Caller
from aoci_agent.agent.models.model import Busy, Reply, StreamCut
from aoci_agent.agent.models.openai_client import OpenAIClient
from aoci_agent.agent.models.prices import Prices
from aoci_agent.agent.models.providers import Endpoint
from aoci_agent.agent.models.reading import END, read_reply

pytestmark = pytest.mark.gate("R14")

CALLER, PRICES = Caller("m", "server"), Prices("m", {}, local=True)

ARGUMENTS = [
    {},
    {"path": "a.py"},
    {"path": "src/ünïcödé/😀.py"},
    {"command": 'echo "}{" && rm -rf build/', "seconds": 3},
    {"old": "x = {\n  'a': 1\n}", "new": 'x = {"a": 1}'},
    {"path": "a\\b\u2028c"},
    {"n": 1234567890, "flag": True, "none": None},
    {"nested": {"list": [1, [2, {"three": "}"}]]}},
    {"text": "data: [DONE]\n\n"},
    {"text": "é" * 40},
]
REPLIES = [
    calls(name, json.dumps(arguments, ensure_ascii=ascii_only)).body
    for name, ascii_only in (("read", True), ("bash", False))
    for arguments in ARGUMENTS
]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(body, id=str(number), marks=[pytest.mark.gate_only] if number % 4 else [])
        for number, body in enumerate(REPLIES)
    ],
)
@pytest.mark.gate("S11")
async def test_every_byte_of_twenty_replies(
    body: bytes, record_property: Callable[[str, object], None]
) -> None:
    record_property("cases", len(body))
    whole = await _read(body)
    assert isinstance(whole, Reply)
    executed = set[tuple[str, str]]()
    for cut in range(len(body)):
        try:
            reply = await _read(body[:cut])
        except (StreamCut, Busy):
            continue
        executed |= {(call.name, call.arguments) for call in reply.message.calls}
        # What survives a cut is only what had its finish reason: then the call is whole.
        assert reply.finish == "calls"
        assert reply.message == whole.message
    assert executed <= {(call.name, call.arguments) for call in whole.message.calls}


@pytest.mark.parametrize("chunked", [False, True])
async def test_cuts_over_http(chunked: bool) -> None:  # noqa: FBT001 - a pytest parameter
    whole = replace(calls("bash", '{"command": "make"}'), chunked=chunked)
    finish = whole.body.index(b'"finish_reason": "tool_calls"')
    positions = sorted({*range(0, len(whole.body), 37), finish, finish + 40, len(whole.body) - 1})
    answers = [replace(whole, cut=cut) for cut in positions]
    survived: list[int] = []
    async with serving(*answers) as server:
        client = OpenAIClient(Endpoint("openai/x", "x", server.url))
        for cut in positions:
            try:
                reply = (await hear(client)).reply
            except (StreamCut, Busy):
                continue
            survived.append(cut)
            assert [call.arguments for call in reply.message.calls] == ['{"command": "make"}']
        await client.close()
    assert all(cut > finish for cut in survived)


async def test_an_end_mark_alone_does_not_vouch_for_half_a_call() -> None:
    half = events(call_delta(0, "bash", '{"command": "rm -rf /tmp/x', "c"))
    with pytest.raises(StreamCut):
        await _read(half)


async def test_an_end_mark_alone_is_enough_for_whole_calls() -> None:
    whole = events(call_delta(0, "bash", '{"command": "ls"}', "c"), usage_chunk(USAGE))
    reply = await _read(whole)
    assert reply.message.calls[0].arguments == '{"command": "ls"}'


async def test_text_without_finish_reason_or_end_mark_is_cut() -> None:
    with pytest.raises(StreamCut) as caught:
        await _read(events(delta(content="half a sent"), done=False))
    assert caught.value.received == "half a sent"


async def _read(body: bytes) -> Reply:
    """What the clients do with these bytes, without the sockets."""
    async for piece in read_reply(_chunks(body), asking(), CALLER, PRICES):
        if isinstance(piece, Reply):
            return piece
    raise AssertionError("no reply and no error")


async def _chunks(body: bytes) -> AsyncGenerator[Mapping[str, Any] | None]:
    payloads, rest = split_events(body)
    for payload in [*payloads, *last_event(rest)]:
        yield END if payload == DONE else json.loads(payload)
