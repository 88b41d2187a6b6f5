"""From a name to a model."""

from math import isclose
from pathlib import Path

import pytest
from support.asking import asking, hear
from support.endpoint import calls, says, serving

from aoci_agent.agent.models.catalog import ModelSettings, open_model
from aoci_agent.agent.models.discover import find_servers
from aoci_agent.agent.models.litellm_client import LitellmModel
from aoci_agent.agent.models.model import Model
from aoci_agent.agent.models.openai_client import OpenAIClient
from aoci_agent.agent.models.probe import CallStyle, ProbingModel
from aoci_agent.agent.models.providers import find_endpoint, provider_of, worker_environment
from aoci_agent.agent.models.recorded import RecordingModel, ReplayModel
from aoci_agent.agent.models.schemaaction import SchemaActionModel
from aoci_agent.agent.models.textcalls import TextCallsModel, TextPromptModel
from aoci_agent.agent.models.wrapping import Wrapper
from aoci_agent.base.errors import ModelUnavailable

KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "OPENROUTER_API_KEY": "k"}


def layers(model: Model) -> list[type]:
    found = [type(model)]
    while isinstance(model, Wrapper):
        model = model.inner
        found.append(type(model))
    return found


@pytest.mark.parametrize(
    ("name", "url", "model"),
    [
        ("openai/gpt-5", "https://api.openai.com/v1", "gpt-5"),
        ("openrouter/anthropic/claude-x", "https://openrouter.ai/api/v1", "anthropic/claude-x"),
        ("ollama/qwen3:8b", "http://127.0.0.1:11434/v1", "qwen3:8b"),
        ("lmstudio/a", "http://127.0.0.1:1234/v1", "a"),
        ("llamacpp/a", "http://127.0.0.1:8080/v1", "a"),
    ],
)
def test_endpoints(name: str, url: str, model: str) -> None:
    endpoint = find_endpoint(name, KEYS)
    assert (endpoint.url, endpoint.model, endpoint.own) == (url, model, True)


@pytest.mark.parametrize(
    ("name", "variable", "value", "url"),
    [
        ("openai/m", "OPENAI_API_BASE", "http://127.0.0.1:99/v1/", "http://127.0.0.1:99/v1"),
        ("openai/m", "OPENAI_BASE_URL", "https://x.example/api", "https://x.example/api"),
        ("openai/m", "OPENAI_API_BASE", "http://[::1]:9/v1/chat/completions", "http://[::1]:9/v1"),
        ("ollama/m", "OLLAMA_API_BASE", "http://localhost:99", "http://localhost:99/v1"),
        ("ollama/m", "OLLAMA_API_BASE", "10.0.0.5:11434", "http://10.0.0.5:11434/v1"),
    ],
)
def test_base_urls_from_the_environment(name: str, variable: str, value: str, url: str) -> None:
    endpoint = find_endpoint(name, KEYS | {variable: value})
    assert (endpoint.url, endpoint.own) == (url, False)


def test_a_loopback_server_needs_no_key() -> None:
    assert find_endpoint("openai/relay", {"OPENAI_API_BASE": "http://127.0.0.1:9/v1"}).loopback


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "no model"),
        ("  ", "no model"),
        ("openai/gpt-5", "OPENAI_API_KEY"),
        ("openai/", "ends too early"),
        ("mistral/large", "MISTRAL_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("gpt-4o", "OPENAI_API_KEY"),
        ("gemini/gemini-2.5-pro", "GEMINI_API_KEY"),
        ("nobody/nothing", "no provider"),
        ("claude-sonnet-9-9-typo", "no provider"),
        ("/x", "no provider"),
    ],
)
def test_names_that_cannot_work_say_what_to_do(name: str, words: str) -> None:
    with pytest.raises(ModelUnavailable, match=words) as caught:
        open_model(name, {})
    assert caught.value.hint


@pytest.mark.parametrize("url", ["nonsense", "ftp://x/v1", "http://", "://"])
def test_a_base_url_that_is_none(url: str) -> None:
    with pytest.raises(ModelUnavailable, match="OPENAI_API_BASE"):
        open_model("openai/x", {"OPENAI_API_BASE": url})


@pytest.mark.parametrize(
    ("name", "client"),
    [
        ("openai/gpt-4o", OpenAIClient),
        ("gpt-4o", OpenAIClient),
        ("openai/gpt-5-codex", LitellmModel),
        ("anthropic/claude-sonnet-4-5", LitellmModel),
        ("claude-sonnet-4-5", LitellmModel),
        ("openrouter/anthropic/claude-x", OpenAIClient),
    ],
)
def test_who_serves_a_name(name: str, client: type) -> None:
    model = open_model(name, KEYS)
    assert layers(model)[-1] is client
    assert not model.recorded


@pytest.mark.parametrize(
    ("style", "outer"),
    [("auto", TextCallsModel), ("text", TextPromptModel), ("schema", SchemaActionModel)],
)
def test_call_styles(style: CallStyle, outer: type) -> None:
    assert layers(open_model("openai/x", KEYS, ModelSettings(call_style=style)))[0] is outer


def test_only_local_servers_are_probed_and_only_when_asked_to() -> None:
    assert layers(open_model("ollama/x", {}))[0] is ProbingModel
    native = ModelSettings(call_style="native")
    assert ProbingModel not in layers(open_model("ollama/x", {}, native))


def test_a_missing_model_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"none\.gguf") as caught:
        open_model(f"local:{tmp_path}/none.gguf", {})
    assert caught.value.hint


def test_the_worker_sees_only_its_providers_variables() -> None:
    env = KEYS | {"PATH": "/bin", "SECRET": "s", "HTTPS_PROXY": "p", "ANTHROPIC_BASE_URL": "u"}
    assert worker_environment("anthropic/claude-x", env) == {
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": "u",
        "HTTPS_PROXY": "p",
    }


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("anthropic/claude-x", "anthropic"),
        ("claude-sonnet-4-5", "anthropic"),
        ("vertex_ai/claude-x", "vertex_ai"),
        ("bedrock/anthropic.claude-x", "bedrock"),
        ("xai/grok-x", "xai"),
        ("cerebras/x", "cerebras"),
    ],
)
def test_providers(name: str, provider: str) -> None:
    assert provider_of(name) == provider


async def test_recording_and_replaying_from_outside(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    async with serving(calls("read", '{"path": "a"}'), says("done")) as server:
        env = {"OPENAI_API_BASE": server.url}
        model = open_model("openai/relay", env, ModelSettings(record_to=path))
        assert isinstance(model, RecordingModel)
        first = [(await hear(model, asking())).reply for _ in range(2)]
        await model.close()
    replay = open_model("", {}, ModelSettings(replay_from=path))
    assert isinstance(replay, ReplayModel)
    assert [(await hear(replay)).reply for _ in range(2)] == first


async def test_user_prices_reach_the_reply() -> None:
    async with serving(says("hi")) as server:
        prices = {"openai/relay": {"input": 1.0, "output": 10.0, "cache_read": 0.5, "window": 9000}}
        model = open_model(
            "openai/relay", {"OPENAI_API_BASE": server.url}, ModelSettings(prices=prices)
        )
        usage = (await hear(model)).reply.usage
        await model.close()
    assert isclose(usage.cost or 0, (40 * 1.0 + 60 * 0.5 + 7 * 10.0) / 1e6)
    assert model.window == 9000


async def test_running_servers_are_found_and_silent_ones_are_not() -> None:
    async with serving(models=("qwen3", "llama4")) as one, serving() as empty:
        gone = "http://127.0.0.1:9/v1"
        found = await find_servers(
            {"ollama": one.url, "lmstudio": empty.url, "llamacpp": gone}, 5.0
        )
    assert [(server.server, server.models) for server in found] == [
        ("Ollama", ("ollama/qwen3", "ollama/llama4"))
    ]
