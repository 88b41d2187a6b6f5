import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from aoci_agent.evals import startup
from aoci_agent.evals.endpoint import endpoint


def ask(address: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    data = json.dumps({"model": "measure", "stream": True, "messages": messages}).encode()
    with urllib.request.urlopen(f"{address}/chat/completions", data, timeout=10) as response:
        lines = response.read().decode().split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]


def test_the_endpoint_asks_for_a_command_and_then_answers() -> None:
    with endpoint("echo hello", "Done.") as address:
        first = ask(address, [{"role": "user", "content": "go"}])
        call = first[0]["choices"][0]["delta"]["tool_calls"][0]
        second = ask(address, [{"role": "tool", "tool_call_id": call["id"], "content": "hello"}])
    assert json.loads(call["function"]["arguments"]) == {"command": "echo hello"}
    assert first[-1]["usage"]["prompt_tokens"] == 1_000
    assert second[0]["choices"][0]["delta"]["content"] == "Done."
    assert second[1]["choices"][0]["finish_reason"] == "stop"


def test_a_command_is_timed(tmp_path: Path) -> None:
    timing = startup.command(["--version"], startup.own_environment(tmp_path), tmp_path)
    assert timing.cpu > 0
    assert timing.wall > 0


def test_a_failing_command_is_not_a_figure(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="ended with 2"):
        startup.command(["--no-such-flag"], startup.own_environment(tmp_path), tmp_path)


def test_keys_and_settings_of_the_user_are_not_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("AOCI_AGENT_MODEL", "openai/other")
    assert not {"OPENAI_API_KEY", "AOCI_AGENT_MODEL"} & set(startup.own_environment(tmp_path))
