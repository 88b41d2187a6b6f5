"""The recording proxy: passes on what it sees, counts what the endpoint says, keeps the key."""

import json
from pathlib import Path

import httpx
import pytest
from support.endpoint import (
    USAGE,
    Answer,
    Json,
    calls,
    delta,
    events,
    refuses,
    says,
    serving,
    usage_chunk,
)
from support.proxy_desk import ASKED, COUNTED, KEY, desk, whole

from aoci_agent.evals.replay.cell import Spent, Tokens
from aoci_agent.evals.replay.upstream import upstream_of


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


CUTS: dict[str, list[Json]] = {
    "/v1/responses": [{"type": "response.created", "response": {"output": []}}],
    "/v1/messages": [{"type": "message_start", "message": {"usage": {"input_tokens": 9}}}],
}


@pytest.mark.parametrize("path", CUTS)
async def test_what_a_stream_told_before_it_was_cut_is_no_count(tmp_path: Path, path: str) -> None:
    stream = events(*CUTS[path], done=False)  # and then the connection closes, as if it were whole
    async with serving(Answer(stream)) as endpoint, desk(endpoint, tmp_path) as it:
        assert (await it.post({**ASKED, "stream": True}, path)).content == stream
    assert (it.lines[0].ended, it.lines[0].usage) == ("cut", None)
    assert it.proxy.spent == Spent(tokens=None, dollars=None)


async def test_usage_is_found_where_other_providers_say_it(tmp_path: Path) -> None:
    groq = events(delta(content="x"), delta("stop") | {"x_groq": {"usage": USAGE}})
    last = delta("stop")
    last["choices"][0]["usage"] = USAGE  # Kimi
    answers = (Answer(groq), Answer(events(delta(content="x"), last)))
    async with serving(*answers) as endpoint, desk(endpoint, tmp_path) as it:
        for answer in answers:
            assert (await it.post({**ASKED, "stream": True})).content == answer.body
    assert [line.usage for line in it.lines] == [COUNTED] * 2


async def test_calls_are_read_in_every_servers_way_of_writing_them(tmp_path: Path) -> None:
    function = {"name": "bash", "arguments": {"command": "ls"}}  # already parsed, and no index
    parts = [{"id": name, "function": function} for name in ("a", "b")]
    stream = events(delta(tool_calls=parts), delta("tool_calls"), usage_chunk(USAGE))
    async with serving(Answer(stream)) as endpoint, desk(endpoint, tmp_path) as it:
        await it.post({**ASKED, "stream": True})
    (line,) = it.lines
    assert line.reply is not None
    found = [(call.id, call.name, call.arguments) for call in line.reply.calls]
    assert found == [(name, "bash", '{"command": "ls"}') for name in ("a", "b")]


async def test_a_refusal_reaches_the_agent_and_costs_nothing(tmp_path: Path) -> None:
    said = refuses(429, f"slow down, {KEY}", retry_after="3")
    async with serving(said, whole()) as endpoint, desk(endpoint, tmp_path) as it:
        answer = await it.post(ASKED)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "3")
        assert answer.json()["error"]["message"] == "slow down, ***"
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
    last: Json = {"type": "response.completed", "response": done}
    items: list[Json] = [
        {"type": "response.output_item.done", "item": item} for item in (text, call)
    ]
    bare: Json = {"type": "response.completed", "response": {"output": [], "usage": used}}
    answers = (
        Answer(json.dumps(done).encode(), kind="application/json"),
        *(Answer(events(*told, done=False)) for told in ([last], [*items, last], [*items, bare])),
    )
    asked = {"model": "m", "input": [
        {"role": "user", "content": "go"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c0"},
        {"type": "function_call_output", "call_id": "c0", "output": "listing"},
    ]}  # fmt: skip
    async with serving(*answers) as endpoint, desk(endpoint, tmp_path) as it:
        for _ in answers:
            await it.post(asked, "/v1/responses")
        assert [seen.path for seen in endpoint.posts] == ["/v1/responses"] * 4
    for line in it.lines:
        assert line.usage == Tokens(fresh=30, read=20, output=5)
        assert line.reply is not None
        assert line.reply.text == "ok"
        assert [call.id for call in line.reply.calls] == ["c1"]
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
