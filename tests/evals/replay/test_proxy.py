"""The recording proxy: passes on what it sees, counts what the endpoint says, keeps the key."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from support.endpoint import (
    USAGE,
    Answer,
    FakeEndpoint,
    Json,
    calls,
    delta,
    events,
    refuses,
    says,
    serving,
    usage_chunk,
)

from aoci_agent.agent.models.prices import Prices
from aoci_agent.agent.models.providers import Endpoint
from aoci_agent.evals.replay.cell import Spent, Tokens
from aoci_agent.evals.replay.exchange import REQUESTS, Exchange
from aoci_agent.evals.replay.proxy import Proxy
from aoci_agent.evals.replay.task import Budget
from aoci_agent.evals.replay.upstream import Upstream, upstream_of

KEY = "sk-secret-that-stays-outside"
ASKED: Json = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
COUNTED = Tokens(fresh=40, read=60, output=7)
PRICES = {"openai/m": {"input": 1.0, "output": 10.0, "cache_read": 0.5}}


class Desk:
    """A proxy before an endpoint, and an agent that only knows the proxy."""

    def __init__(self, proxy: Proxy, http: httpx.AsyncClient, log: Path) -> None:
        self.proxy = proxy
        self.http = http
        self.log = log

    async def post(self, body: Json, path: str = "/v1/chat/completions") -> httpx.Response:
        return await self.http.post(path, json=body)

    @property
    def lines(self) -> list[Exchange]:
        return [Exchange.model_validate_json(line) for line in self.log.read_text().splitlines()]


@asynccontextmanager
async def desk(
    endpoint: FakeEndpoint, folder: Path, budget: Budget | None = None, url: str = ""
) -> AsyncGenerator[Desk]:
    there = Endpoint("openai/m", "m", url or endpoint.url, KEY)
    log = folder / REQUESTS
    proxy = Proxy(Upstream(there, Prices("openai/m", PRICES)), log, budget or Budget())
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    headers = {"authorization": "Bearer dummy", "x-own": "kept"}
    async with (
        proxy.serving(listening),
        httpx.AsyncClient(base_url=address, headers=headers, trust_env=False) as http,
    ):
        yield Desk(proxy, http, log)


def whole(usage: Json | None = USAGE) -> Answer:
    choice = {"index": 0, "message": {"role": "assistant", "content": "hello"}}
    body: Json = {"choices": [choice]} | ({"usage": usage} if usage else {})
    return Answer(json.dumps(body).encode(), kind="application/json")


async def test_an_answer_at_once_is_passed_on_and_counted_by_bucket(tmp_path: Path) -> None:
    async with serving(whole()) as endpoint, desk(endpoint, tmp_path) as it:
        answer = await it.post(ASKED)
        assert answer.content == endpoint.answers[0].body
        (seen,) = endpoint.posts
        assert seen.body == ASKED
        assert seen.headers["authorization"] == f"Bearer {KEY}"
        assert seen.headers["x-own"] == "kept"
    (line,) = it.lines
    assert line.usage == COUNTED
    assert line.dollars is not None
    assert abs(line.dollars - (40 * 1.0 + 60 * 0.5 + 7 * 10.0) / 1e6) < 1e-12
    assert (line.status, line.model, line.ended) == (200, "m", "whole")
    assert line.sent == len(endpoint.posts[0].raw)
    assert line.received == len(endpoint.answers[0].body)
    assert line.reply is not None
    assert line.reply.text == "hello"
    assert [said.text for said in line.told] == ["hi"]
    assert it.proxy.spent == Spent(tokens=COUNTED, dollars=line.dollars)
    assert KEY not in it.log.read_text()


async def test_a_stream_that_did_not_ask_for_usage_is_counted_and_looks_as_if_nobody_asked(
    tmp_path: Path,
) -> None:
    async with (
        serving(calls("bash", '{"command": "ls"}')) as endpoint,
        desk(endpoint, tmp_path) as it,
    ):
        answer = await it.post({**ASKED, "stream": True})
        assert endpoint.posts[0].body["stream_options"] == {"include_usage": True}
        hidden = b"data: " + json.dumps(usage_chunk(USAGE)).encode() + b"\n\n"
        assert answer.content == endpoint.answers[0].body.replace(hidden, b"")
    (line,) = it.lines
    assert line.usage == COUNTED
    assert line.reply is not None
    assert [(call.name, call.arguments) for call in line.reply.calls] == [
        ("bash", '{"command": "ls"}')
    ]


async def test_a_stream_that_asks_for_usage_is_passed_on_byte_by_byte(tmp_path: Path) -> None:
    asked = {**ASKED, "stream": True, "stream_options": {"include_usage": True}}
    async with serving(says("good day")) as endpoint, desk(endpoint, tmp_path) as it:
        assert (await it.post(asked)).content == endpoint.answers[0].body
        assert endpoint.posts[0].body == asked
    assert it.proxy.spent.tokens == COUNTED


async def test_a_server_that_refuses_to_be_asked_for_usage_is_not_asked_again(
    tmp_path: Path,
) -> None:
    refusal = refuses(400, "unknown field stream_options")
    silent = says("hi", usage=None)
    async with serving(refusal, silent) as endpoint, desk(endpoint, tmp_path) as it:
        for _ in range(2):
            answer = await it.post({**ASKED, "stream": True})
            assert answer.content == silent.body
        assert ["stream_options" in seen.body for seen in endpoint.posts] == [True, False, False]
    assert it.proxy.steps == 2
    assert it.proxy.spent == Spent(tokens=None, dollars=None)  # not known is not zero


@pytest.mark.parametrize("chunked", [True, False])
async def test_a_cut_stream_is_cut_for_the_agent_too_and_its_tokens_are_not_known(
    tmp_path: Path, *, chunked: bool
) -> None:
    body = says("a long answer").body
    cut = Answer(body, cut=len(body) // 2, chunked=chunked)
    async with serving(cut) as endpoint, desk(endpoint, tmp_path) as it:
        if chunked:
            with pytest.raises(httpx.RemoteProtocolError):
                await it.post({**ASKED, "stream": True})
        else:
            assert b"[DONE]" not in (await it.post({**ASKED, "stream": True})).content
    (line,) = it.lines
    assert (line.ended, line.usage) == ("cut", None)
    assert it.proxy.spent.tokens is None


async def test_a_refusal_reaches_the_agent_and_costs_nothing(tmp_path: Path) -> None:
    said = refuses(429, f"slow down, {KEY}", retry_after="3")
    async with serving(said, whole()) as endpoint, desk(endpoint, tmp_path) as it:
        answer = await it.post(ASKED)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "3")
        await it.post(ASKED)
    assert [line.ended for line in it.lines] == ["refused", "whole"]
    assert it.proxy.steps == 1
    assert it.proxy.spent.tokens == COUNTED
    assert KEY not in it.log.read_text()


async def test_an_endpoint_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    nobody = "http://127.0.0.1:9/v1"
    async with serving() as endpoint, desk(endpoint, tmp_path, url=nobody) as it:
        answer = await it.post(ASKED)
    assert answer.status_code == 502
    assert "cannot be reached" in answer.json()["error"]["message"]
    assert it.lines[0].ended == "unreachable"


@pytest.mark.parametrize(
    ("budget", "calls_made", "word"),
    [
        (Budget(steps=2), 2, "2 steps"),
        (Budget(tokens=150), 2, "150 tokens"),
        (Budget(cost=0.0002), 2, "0.0002 dollars"),
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


async def test_another_model_is_led_to_the_cells_and_the_record_says_so(tmp_path: Path) -> None:
    async with serving(whole()) as endpoint, desk(endpoint, tmp_path) as it:
        await it.post({**ASKED, "model": "cheap-one"})
        assert endpoint.posts[0].body["model"] == "m"
    assert it.lines[0].asked == "cheap-one"


async def test_responses_are_counted_streamed_or_not(tmp_path: Path) -> None:
    used = {"input_tokens": 50, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 20}}
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}
    text = {"type": "message", "content": [{"type": "output_text", "text": "ok"}]}
    done: Json = {"output": [text, call], "usage": used}
    stream = events({"type": "response.completed", "response": done}, done=False)
    answers = (Answer(json.dumps(done).encode(), kind="application/json"), Answer(stream))
    asked = {"model": "m", "input": [
        {"role": "user", "content": "go"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c0"},
        {"type": "function_call_output", "call_id": "c0", "output": "listing"},
    ]}  # fmt: skip
    async with serving(*answers) as endpoint, desk(endpoint, tmp_path) as it:
        for _ in answers:
            await it.post(asked, "/v1/responses")
        assert [seen.path for seen in endpoint.posts] == ["/v1/responses"] * 2
    for line in it.lines:
        assert line.usage == Tokens(fresh=30, read=20, output=5)
        assert line.reply is not None
        assert line.reply.text == "ok"
        assert line.reply.calls[0].id == "c1"
        assert [(said.answers, said.text) for said in line.told] == [("c0", "listing")]


async def test_messages_are_counted_from_their_first_and_last_event(tmp_path: Path) -> None:
    start = {"input_tokens": 9, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 11}
    tool: Json = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    stream = events(
        {"type": "message_start", "message": {"usage": start | {"output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hm"}},
        {"type": "content_block_start", "index": 1, "content_block": tool},
        {"type": "content_block_delta", "index": 1, "delta": {"partial_json": '{"command":'}},
        {"type": "content_block_delta", "index": 1, "delta": {"partial_json": '"ls"}'}},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 33}},
        done=False,
    )
    result = {"type": "tool_result", "tool_use_id": "t0", "content": "files"}
    asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": [result]}]}
    async with serving(Answer(stream)) as endpoint, desk(endpoint, tmp_path) as it:
        assert (await it.post(asked, "/v1/messages?beta=true")).content == stream
        assert endpoint.posts[0].path == "/v1/messages?beta=true"
        assert "stream_options" not in endpoint.posts[0].body
    (line,) = it.lines
    assert line.usage == Tokens(fresh=9, read=80, write=11, output=33)
    assert line.reply is not None
    assert line.reply.calls[0].arguments == '{"command":"ls"}'
    assert [(said.answers, said.text) for said in line.told] == [("t0", "files")]


async def test_only_paths_of_models_are_passed_on(tmp_path: Path) -> None:
    async with serving(whole(), models=["m"]) as endpoint, desk(endpoint, tmp_path) as it:
        assert (await it.http.get("/v1/models")).json()["data"] == [{"id": "m"}]
        for path in ("/v1/files", "/admin", "/v1/../secrets"):
            assert (await it.post(ASKED, path)).status_code == 404
        assert not endpoint.posts
    assert it.proxy.steps == 0


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


def test_the_endpoint_of_a_model_is_found_with_its_key() -> None:
    env = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "a", "ANTHROPIC_BASE_URL": "http://h/v1/"}
    assert upstream_of("openai/x", env, {}).key("chat") == {"authorization": "Bearer k"}
    anthropic = upstream_of("anthropic/y", env, {})
    assert anthropic.endpoint.url == "http://h/v1"
    assert anthropic.key("messages") == {"x-api-key": "a"}
    assert not upstream_of("mistral/z", {"MISTRAL_API_KEY": "m"}, {}).asks_usage


@pytest.mark.parametrize("name", ["gold", "idle", "bedrock/x", "anthropic/y"])
def test_a_model_that_no_other_agent_can_reach_is_refused(name: str) -> None:
    with pytest.raises(Exception, match=r"other agents|no key"):
        upstream_of(name, {}, {})


async def test_usage_inside_an_event_with_content_stays_visible(tmp_path: Path) -> None:
    last = delta("stop") | {"usage": USAGE}
    stream = events(delta(content="x"), last)
    async with serving(Answer(stream)) as endpoint, desk(endpoint, tmp_path) as it:
        assert (await it.post({**ASKED, "stream": True})).content == stream
    assert it.proxy.spent.tokens == COUNTED
