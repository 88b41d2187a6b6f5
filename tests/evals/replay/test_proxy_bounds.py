"""The proxy is bounded: sizes, budgets, and what is no request at all."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from support.endpoint import (
    USAGE,
    Answer,
    delta,
    events,
    says,
    serving,
    usage_chunk,
)
from support.proxy_desk import ASKED, COUNTED, desk, whole

from aoci_agent.evals.replay.http_server import MOST as LIMIT
from aoci_agent.evals.replay.relayed import MOST
from aoci_agent.evals.replay.task import Budget


async def test_a_large_request_and_a_large_answer_pass_as_they_are(tmp_path: Path) -> None:
    choice = {"message": {"content": "y" * 5_000_000}, "finish_reason": "stop"}
    big = Answer(
        json.dumps({"choices": [choice], "usage": USAGE}).encode(), kind="application/json"
    )
    asked = {"model": "m", "messages": [{"role": "user", "content": "x" * 20_000_000}]}
    async with serving(big) as endpoint, desk(endpoint, tmp_path) as it:
        assert (await it.post(asked)).content == big.body
        assert endpoint.posts[0].body == asked
    assert it.lines[0].usage == COUNTED
    assert len(it.log.read_bytes()) < 100_000


@pytest.mark.parametrize("streamed", [True, False])
async def test_an_answer_too_large_to_be_read_passes_and_is_not_counted(
    tmp_path: Path, *, streamed: bool
) -> None:
    body = events(delta(content="z" * (MOST + 1_000_000)), usage_chunk(USAGE))
    kind = "text/event-stream" if streamed else "application/json"
    async with serving(Answer(body, kind=kind)) as endpoint, desk(endpoint, tmp_path) as it:
        assert (await it.post({**ASKED, "stream": streamed})).content == body
    assert it.lines[0].usage is None


async def test_a_request_that_is_too_large_is_told_so(tmp_path: Path) -> None:
    async with serving(whole()) as endpoint, desk(endpoint, tmp_path) as it:
        answer = await it.http.post("/v1/chat/completions", content=bytes(LIMIT + 1))
        assert not endpoint.posts
    assert answer.status_code == 413
    assert "bytes" in answer.json()["error"]["message"]


async def test_calls_at_the_same_time_do_not_pass_the_bound_together(tmp_path: Path) -> None:
    async with (
        serving(whole()) as endpoint,
        desk(endpoint, tmp_path, Budget(steps=3)) as it,
    ):
        answers = await asyncio.gather(*(it.post(ASKED) for _ in range(8)))
        assert len(endpoint.posts) == 3
    assert sorted(answer.status_code for answer in answers) == [200] * 3 + [400] * 5


@pytest.mark.parametrize("budget", [Budget(tokens=9_999), Budget(cost=1.0)])
async def test_a_bound_on_what_nobody_counts_ends_it(tmp_path: Path, budget: Budget) -> None:
    async with serving(whole(usage=None)) as endpoint, desk(endpoint, tmp_path, budget) as it:
        assert [(await it.post(ASKED)).status_code for _ in range(2)] == [200, 400]
        assert len(endpoint.posts) == 1
    assert "not known" in it.proxy.told


@pytest.mark.parametrize(
    ("budget", "calls_made", "word"),
    [
        (Budget(steps=2), 2, "2 steps"),
        (Budget(tokens=215), 2, "215 tokens"),
        (Budget(tokens=213), 1, "213 tokens"),  # a call that would pass it is not sent
        (Budget(cost=0.0003), 2, "0.0003 dollars"),
        (Budget(cost=0.0002), 1, "0.0002 dollars"),
    ],
)
async def test_beyond_the_budget_every_call_is_refused(
    tmp_path: Path, budget: Budget, calls_made: int, word: str
) -> None:
    async with serving(whole()) as endpoint, desk(endpoint, tmp_path, budget) as it:
        answers = [await it.post(ASKED) for _ in range(calls_made + 2)]
        assert len(endpoint.posts) == calls_made
    assert [answer.status_code for answer in answers] == [200] * calls_made + [400] * 2
    assert word in answers[-1].json()["error"]["message"]
    assert it.proxy.over.is_set()
    assert it.proxy.steps == calls_made


async def test_what_is_no_request_is_refused_and_the_proxy_goes_on(tmp_path: Path) -> None:
    async with serving(whole()) as endpoint, desk(endpoint, tmp_path) as it:
        port = int(it.http.base_url.port or 0)
        for junk in (b"hello\r\n\r\n", b"POST /v1/x HTTP/1.1\r\ncontent-length: -5\r\n\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(junk)
            assert b" 400 " in await reader.readline()
            writer.close()

        async def pieces() -> AsyncGenerator[bytes]:  # a body without a length
            for part in (b'{"model": "m",', b' "messages": []}'):
                yield part

        answer = await it.http.post("/v1/chat/completions", content=pieces())
        assert answer.status_code == 200
        assert endpoint.posts[0].body == {"model": "m", "messages": []}


async def test_a_call_whose_agent_hung_up_is_in_the_record(tmp_path: Path) -> None:
    slow = Answer(says("x" * 5_000_000).body)
    async with (
        serving(slow) as endpoint,
        desk(endpoint, tmp_path) as it,
        it.http.stream("POST", "/v1/chat/completions", json=ASKED) as answer,
    ):
        assert answer.status_code == 200
    assert [(line.ended, line.usage) for line in it.lines] == [("cut", None)]
