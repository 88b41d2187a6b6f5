"""The direct client against a server on loopback."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

import pytest
from support.asking import PREFIX, asking, hear
from support.endpoint import (
    USAGE,
    Answer,
    FakeEndpoint,
    calls,
    delta,
    events,
    refuses,
    says,
    serving,
    usage_chunk,
)

from aoci_agent.agent.models.connection import Timeouts
from aoci_agent.agent.models.model import (
    Busy,
    CallPiece,
    ContextOverflow,
    MalformedReply,
    Provenance,
    ReasoningPiece,
    Reply,
    StreamCut,
    TextPiece,
)
from aoci_agent.agent.models.openai_client import OpenAIClient
from aoci_agent.agent.models.providers import Endpoint, find_endpoint
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage, ToolCall, ToolMessage, UserMessage

QUICK = Timeouts(connect=5.0, headers=0.5, event=0.5, gap=0.5)


@asynccontextmanager
async def client_of(
    *answers: Answer,
    models: tuple[str, ...] = (),
    timeouts: Timeouts | None = None,
    key: str = "sk-secret-123456",
) -> AsyncGenerator[tuple[OpenAIClient, FakeEndpoint]]:
    async with serving(*answers, models=models) as server:
        endpoint = Endpoint(
            "openai/fake-1",
            "fake-1",
            server.url,
            key,
            "openai",
            "OPENAI_API_KEY",
            "OPENAI_API_BASE",
        )
        client = OpenAIClient(endpoint, timeouts=timeouts)
        try:
            yield client, server
        finally:
            await client.close()


async def test_text_streams_and_ends_in_one_reply() -> None:
    async with client_of(says("Hello, wörld\u2028!")) as (client, _):
        heard = await hear(client)
    assert (
        "".join(p.text for p in heard.pieces if isinstance(p, TextPiece)) == "Hello, wörld\u2028!"
    )
    assert heard.reply.message == AssistantMessage("Hello, wörld\u2028!")
    assert heard.reply.finish == "stop"
    assert heard.reply.model == "fake-1"


async def test_usage_is_split_into_buckets_and_a_local_server_costs_nothing() -> None:
    async with client_of(says("hi")) as (client, _):
        usage = (await hear(client)).reply.usage
    assert (usage.fresh, usage.cache_read, usage.cache_write, usage.output) == (40, 60, 0, 7)
    assert (usage.cost, usage.cost_from) == (0.0, Provenance.MEASURED)
    assert usage.tokens_from is Provenance.MEASURED


async def test_missing_usage_is_estimated_and_marked() -> None:
    async with client_of(says("hi there", usage=None)) as (client, _):
        usage = (await hear(client)).reply.usage
    assert usage.tokens_from is Provenance.ESTIMATED
    assert usage.fresh > 20
    assert usage.output == 2


async def test_a_tool_call_is_put_together() -> None:
    async with client_of(calls("read", '{"path": "src/app.py"}', "I look.")) as (client, _):
        heard = await hear(client)
    assert heard.reply.message.calls == (ToolCall("call_a", "read", '{"path": "src/app.py"}'),)
    assert heard.reply.message.text == "I look."
    assert heard.reply.finish == "calls"
    assert CallPiece("read", 7) in heard.pieces


async def test_reasoning_streams_apart_from_text() -> None:
    body = events(delta(reasoning_content="hm"), delta(content="yes"), delta("stop"))
    async with client_of(Answer(body)) as (client, _):
        heard = await hear(client)
    assert heard.pieces[0] == ReasoningPiece("hm")
    assert heard.reply.message == AssistantMessage("yes", (), "hm")


async def test_what_is_sent() -> None:
    conversation = (
        UserMessage("look"),
        AssistantMessage("", (ToolCall("c1", "read", '{"path":"a"}'),)),
        ToolMessage("c1", "read", "text of a"),
    )
    async with client_of(says("hi")) as (client, server):
        await hear(client, asking(*conversation, temperature=0))
        await hear(client, asking(*conversation, temperature=0))
    first, second = server.posts
    assert first.raw == second.raw
    assert first.path == "/v1/chat/completions"
    assert first.headers["authorization"] == "Bearer sk-secret-123456"
    assert first.body["stream_options"] == {"include_usage": True}
    assert (first.body["max_tokens"], first.body["temperature"]) == (100, 0)
    assert [tool["function"]["name"] for tool in first.body["tools"]] == ["read", "bash"]
    assert first.body["messages"] == [
        {"role": "system", "content": "Be brief.\n\na.py: the app\n\n"},
        {"role": "user", "content": "look"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"path":"a"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "text of a"},
    ]


async def test_lone_surrogates_in_the_conversation_do_not_break_the_request() -> None:
    async with client_of(says("hi")) as (client, server):
        await hear(client, asking(UserMessage("name: \udcff")))
    assert server.posts[0].body["messages"][1]["content"] == "name: ?"


async def test_a_server_that_does_not_stream_is_understood() -> None:
    message = {"role": "assistant", "content": "all at once"}
    body = {
        "model": "m",
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": USAGE,
    }
    answer = Answer(json.dumps(body).encode(), kind="application/json")
    async with client_of(answer) as (client, _):
        reply = (await hear(client)).reply
    assert reply.message.text == "all at once"
    assert reply.usage.cache_read == 60


async def test_a_last_line_without_line_feed_counts() -> None:
    body = events(delta(content="x"), delta("stop")).rstrip()
    async with client_of(Answer(body)) as (client, _):
        assert (await hear(client)).reply.message.text == "x"


@pytest.mark.parametrize(
    ("refusal", "field", "value"),
    [
        ("Unknown field: stream_options", "stream_options", None),
        ("Use 'max_completion_tokens' instead of 'max_tokens'", "max_completion_tokens", 100),
    ],
)
async def test_the_dialect_of_a_server_is_learned(
    refusal: str, field: str, value: int | None
) -> None:
    async with client_of(refuses(400, refusal), says("hi")) as (client, server):
        await hear(client)
        await hear(client)
    assert len(server.posts) == 3
    assert server.posts[1].body.get(field) == value
    assert server.posts[2].body.get(field) == value


@pytest.mark.parametrize(
    ("model", "marked"),
    [("gpt-4o", 0), ("gpt-5", 0), ("gpt-5.6-sol", 2), ("gpt-6-sol", 2), ("o3", 0)],
)
def test_openai_itself_gets_a_cache_key_and_breakpoints(model: str, marked: int) -> None:
    endpoint = find_endpoint(f"openai/{model}", {"OPENAI_API_KEY": "k"})
    body = OpenAIClient(endpoint).body(asking())
    assert body["prompt_cache_key"] == PREFIX.content_id
    assert body["max_completion_tokens"] == 100
    assert json.dumps(body).count("prompt_cache_breakpoint") == marked


def test_a_server_of_ones_own_gets_neither_under_openais_names() -> None:
    env = {"OPENAI_API_KEY": "k", "OPENAI_API_BASE": "http://127.0.0.1:9/v1"}
    client = OpenAIClient(find_endpoint("openai/gpt-5.6", env))
    assert client.rates is None
    assert "prompt_cache" not in json.dumps(client.body(asking()))


@pytest.mark.parametrize(("model", "key"), [("mistral/devstral", True), ("groq/x", False)])
def test_a_cache_key_goes_where_it_helps(model: str, key: bool) -> None:  # noqa: FBT001 - a pytest parameter
    env = {"MISTRAL_API_KEY": "k", "GROQ_API_KEY": "k"}
    assert ("prompt_cache_key" in OpenAIClient(find_endpoint(model, env)).body(asking())) is key


@pytest.mark.parametrize(("long_prefix", "hours"), [(False, 0), (True, 2)])
def test_claude_behind_openrouter_is_marked(long_prefix: bool, hours: int) -> None:  # noqa: FBT001 - a pytest parameter
    endpoint = find_endpoint("openrouter/anthropic/claude-sonnet-4.5", {"OPENROUTER_API_KEY": "k"})
    body = json.dumps(OpenAIClient(endpoint, long_prefix=long_prefix).body(asking()))
    assert body.count("cache_control") == 3
    assert body.count('"ttl": "1h"') == hours


async def test_a_refused_key_names_the_variable_and_hides_the_key() -> None:
    async with client_of(refuses(401, "bad key sk-secret-123456\nfor you")) as (client, _):
        with pytest.raises(ModelUnavailable) as caught:
            await hear(client)
    assert "sk-secret" not in caught.value.message
    assert "\n" not in caught.value.message
    assert "OPENAI_API_KEY" in caught.value.hint


async def test_an_unknown_model_gets_close_names() -> None:
    answer = refuses(404, "model not found")
    async with client_of(answer, models=("fake-12", "other")) as (client, _):
        with pytest.raises(ModelUnavailable) as caught:
            await hear(client)
    assert "fake-1" in caught.value.message
    assert "fake-12" in caught.value.hint


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens",
        "the request exceeds the available context size, try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "Input length 9000 exceeds the maximum allowed input length",
    ],
)
async def test_context_overflow_is_told_apart_from_other_refusals(message: str) -> None:
    async with client_of(refuses(400, message)) as (client, _):
        with pytest.raises(ContextOverflow):
            await hear(client)


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (400, "temperature must be below 2", ModelUnavailable),
        (403, "not allowed", ModelUnavailable),
        (402, "pay first", ModelUnavailable),
        (429, "insufficient_quota", ModelUnavailable),
        (429, "slow down", Busy),
        (500, "oops", Busy),
        (503, "loading model", Busy),
    ],
)
async def test_refusals(status: int, message: str, expected: type[Exception]) -> None:
    async with client_of(refuses(status, message)) as (client, _):
        with pytest.raises(expected, match=message.split()[0]):
            await hear(client)


async def test_retry_after_is_read() -> None:
    async with client_of(refuses(429, "slow down", Retry_After="7")) as (client, _):
        with pytest.raises(Busy) as caught:
            await hear(client)
    assert caught.value.retry_after == 7


async def test_a_web_page_points_to_the_base_url() -> None:
    async with client_of(Answer(b"<html>hi</html>", kind="text/html")) as (client, _):
        with pytest.raises(ModelUnavailable) as caught:
            await hear(client)
    assert "/v1" in caught.value.hint


async def test_a_redirect_is_not_followed() -> None:
    answer = Answer(b"", 302, {"Location": "http://elsewhere.example/"})
    async with client_of(answer) as (client, server):
        with pytest.raises(ModelUnavailable, match="redirects"):
            await hear(client)
    assert len(server.seen) == 1


async def test_an_unreachable_server_names_its_address_and_the_variable() -> None:
    async with serving() as server:
        url = server.url
    client = OpenAIClient(
        Endpoint("openai/x", "x", url, provider="openai", url_variable="OPENAI_API_BASE")
    )
    with pytest.raises(ModelUnavailable) as caught:
        await hear(client)
    assert url in caught.value.message
    assert "OPENAI_API_BASE" in caught.value.hint
    await client.close()


async def test_a_server_that_goes_away_later_may_come_back() -> None:
    async with client_of(says("hi")) as (client, _):
        await hear(client)
    with pytest.raises(Busy, match="cannot be reached"):
        await hear(client)
    await client.close()


@pytest.mark.parametrize("stall", [0, 1, 3])
@pytest.mark.gate("R16")
async def test_silence_before_the_first_piece_is_busy(stall: int) -> None:
    answer = replace(says("hi"), stall=stall)
    async with client_of(answer, timeouts=QUICK) as (client, _):
        with pytest.raises(Busy):
            await hear(client)


@pytest.mark.gate("R16")
async def test_silence_in_the_middle_is_a_cut_with_an_estimate() -> None:
    whole = says("one two three four five six")
    answer = replace(whole, stall=whole.body.index(b"data:", 10) + 3)
    async with client_of(answer, timeouts=QUICK) as (client, _):
        with pytest.raises(StreamCut) as caught:
            await hear(client)
    assert caught.value.received == "one two t"
    assert caught.value.usage is not None
    assert caught.value.usage.tokens_from is Provenance.ESTIMATED


async def test_closing_the_stream_hangs_up() -> None:
    whole = says("one two three four five six")
    answer = replace(whole, stall=whole.body.index(b"data:", 10))
    async with client_of(answer) as (client, server):
        async with aclosing(client.stream(asking())) as pieces:
            async for piece in pieces:
                assert piece == TextPiece("one two t")
                break
        async with asyncio.timeout(5):
            await server.hung_up.wait()


async def test_cancelling_while_waiting_hangs_up() -> None:
    async with client_of(replace(says("x"), stall=0)) as (client, server):
        task = asyncio.create_task(hear(client))
        async with asyncio.timeout(5):
            await server.arrived.wait()
            task.cancel()
            await server.hung_up.wait()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_an_error_inside_the_stream_before_and_after_text() -> None:
    error = {"error": {"message": "overloaded", "code": 529}}
    async with client_of(Answer(events(error))) as (client, _):
        with pytest.raises(Busy, match="overloaded"):
            await hear(client)
    async with client_of(Answer(events(delta(content="par"), error))) as (client, _):
        with pytest.raises(StreamCut, match="overloaded") as caught:
            await hear(client)
    assert caught.value.received == "par"


@pytest.mark.parametrize("body", [b"data: {oops\n\n", b"data: [1]\n\n", events({"hello": 1})])
@pytest.mark.gate("R15", "S11")
async def test_nonsense_with_status_200_is_malformed(body: bytes) -> None:
    async with client_of(Answer(body)) as (client, _):
        with pytest.raises(MalformedReply):
            await hear(client)


async def test_a_length_stop_is_said() -> None:
    body = events(delta(content="abc"), delta("length"), usage_chunk(USAGE))
    async with client_of(Answer(body)) as (client, _):
        reply: Reply = (await hear(client)).reply
    assert reply.finish == "length"
