"""An agent of another make, as small as can be: `fake_peer.py PROMPT` asks the model, edits, runs commands.

Under the name of a known agent it takes address, model and dialect from where that one looks for them,
and speaks as it does. Standard library only: it runs in the sandbox. `--stream`, `--greedy` (never
stops asking), `--slow` (does not end by itself), `--look` (says what it can reach), `--daemon` (leaves
a process behind, that holds its output) and `--litter` (leaves a file) choose what it does; other
options are those of agents it stands for.
"""

import json
import os
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SCHEMA: Json = {"type": "object", "properties": {"command": {"type": "string"}}}
PATHS = {"chat": "/chat/completions", "responses": "/responses", "messages": "/messages"}
KEYS = {"chat": "Authorization", "responses": "Authorization", "messages": "X-Api-Key"}


class Talk:
    """A conversation with the model, in one of the dialects."""

    def __init__(self, api: str, url: str, model: str, key: str, *, stream: bool) -> None:
        self.api, self.url, self.model, self.key = api, url, model, key
        self.stream = stream
        self.said: list[Json] = []

    def tell(self, text: str) -> None:
        self.said.append({"role": "user", "content": text})

    def answer(self, call_id: str, text: str) -> None:
        if self.api == "chat":
            told: Json = {"role": "tool", "tool_call_id": call_id, "content": text}
        elif self.api == "responses":
            told = {"type": "function_call_output", "call_id": call_id, "output": text}
        else:
            result = {"type": "tool_result", "tool_use_id": call_id, "content": text}
            told = {"role": "user", "content": [result]}
        self.said.append(told)

    def ask(self, tool: str) -> tuple[str, list[tuple[str, Json]]]:
        """What the model says, and its calls: their ids and arguments."""
        data = self._asked(tool)
        if self.api == "chat":
            message = self._chunks(data) if self.stream else _one(data)["choices"][0]["message"]
            self.said.append(message)
            made: list[Json] = message.get("tool_calls") or []
            calls = [(call["id"], json.loads(call["function"]["arguments"])) for call in made]
            return message.get("content") or "", calls
        if self.api == "responses":
            whole = list(data)[-1]["response"] if self.stream else _one(data)
            self.said += whole["output"]
            made = [item for item in whole["output"] if item["type"] == "function_call"]
            calls = [(item["call_id"], json.loads(item["arguments"])) for item in made]
            text = "".join(
                part["text"] for item in whole["output"] for part in item.get("content", [])
            )
            return text, calls
        blocks = self._blocks(data) if self.stream else _one(data)["content"]
        self.said.append({"role": "assistant", "content": blocks})
        calls = [(block["id"], block["input"]) for block in blocks if block["type"] == "tool_use"]
        return "".join(block.get("text", "") for block in blocks), calls

    def _asked(self, tool: str) -> Iterator[Json]:
        offered: Json = {"name": tool, "parameters": SCHEMA}
        if self.api == "chat":
            offered = {"type": "function", "function": offered}
        elif self.api == "messages":
            offered = {"name": tool, "input_schema": SCHEMA}
        name = "input" if self.api == "responses" else "messages"
        body: Json = {"model": self.model, name: self.said, "stream": self.stream}
        request = urllib.request.Request(
            self.url + PATHS[self.api],
            json.dumps({**body, "tools": [offered]} if tool else body).encode(),
            {KEYS[self.api]: f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            if not self.stream:
                yield json.loads(answer.read())
            for line in answer if self.stream else ():
                if line.startswith(b"data: {"):
                    yield json.loads(line[6:])

    def _chunks(self, chunks: Iterator[Json]) -> Json:
        call: Json = {"function": {"name": "", "arguments": ""}, "type": "function"}
        text = ""
        for chunk in chunks:
            assert "usage" not in chunk, "usage it did not ask for"
            delta = chunk["choices"][0]["delta"]
            text += delta.get("content") or ""
            for part in delta.get("tool_calls", []):
                call["id"] = part.get("id", call.get("id"))
                call["function"]["name"] += part["function"].get("name", "")
                call["function"]["arguments"] += part["function"].get("arguments", "")
        calls = {"tool_calls": [call]} if "id" in call else {}
        return {"role": "assistant", "content": text or None, **calls}

    def _blocks(self, events: Iterator[Json]) -> list[Json]:
        blocks: list[Json] = []
        for event in events:
            if event["type"] == "content_block_start":
                blocks.append(event["content_block"])
            elif event["type"] == "content_block_delta" and "text" in event["delta"]:
                blocks[-1]["text"] += event["delta"]["text"]
            elif event["type"] == "content_block_delta":
                blocks[-1]["input"] = json.loads(event["delta"]["partial_json"])
        return blocks


def _one(data: Iterator[Json]) -> Json:
    return next(data)


def talk(name: str, options: list[str]) -> Talk:
    """As the agent of that name finds its model."""
    find = {"pi": _pi, "opencode": _opencode, "codex": _codex, "claude": _claude}
    find |= {"mini": _litellm, "aider": _litellm}
    return find.get(name, _fake)(options)


def _after(options: list[str], *names: str) -> str:
    return next(options[options.index(name) + 1] for name in names if name in options)


def _pi(options: list[str]) -> Talk:
    told = json.loads((Path.home() / ".pi/agent/models.json").read_text())
    relay, model = told["providers"]["relay"], _after(options, "--model")
    if relay["api"] == "anthropic-messages":
        return Talk("messages", relay["baseUrl"] + "/v1", model, relay["apiKey"], stream=True)
    return Talk("chat", relay["baseUrl"], model, relay["apiKey"], stream=True)


def _opencode(options: list[str]) -> Talk:
    told = json.loads((Path.home() / ".config/opencode/opencode.json").read_text())
    relay = told["provider"]["relay"]
    api = "messages" if relay["npm"] == "@ai-sdk/anthropic" else "chat"
    at, model = relay["options"], _after(options, "-m").removeprefix("relay/")
    return Talk(api, at["baseURL"], model, at["apiKey"], stream=True)


def _codex(options: list[str]) -> Talk:
    told = tomllib.loads((Path.home() / ".codex/config.toml").read_text())
    relay = told["model_providers"][told["model_provider"]]
    assert relay["wire_api"] == "responses"
    key = os.environ[relay["env_key"]]
    return Talk("responses", relay["base_url"], _after(options, "-m"), key, stream=True)


def _claude(_: list[str]) -> Talk:
    url, key = os.environ["ANTHROPIC_BASE_URL"] + "/v1", os.environ["ANTHROPIC_API_KEY"]
    return Talk("messages", url, os.environ["ANTHROPIC_MODEL"], key, stream=True)


def _litellm(options: list[str]) -> Talk:
    provider, _, model = _after(options, "-m", "--model").partition("/")
    if provider == "anthropic":
        url, key = os.environ["ANTHROPIC_API_BASE"] + "/v1", os.environ["ANTHROPIC_API_KEY"]
        return Talk("messages", url, model, key, stream=False)
    url, key = os.environ["OPENAI_API_BASE"], os.environ["OPENAI_API_KEY"]
    return Talk("chat", url, model, key, stream=False)


def _fake(options: list[str]) -> Talk:
    url, key = os.environ["OPENAI_API_BASE"], os.environ["OPENAI_API_KEY"]
    return Talk("chat", url, "mine", key, stream="--stream" in options)


SHELLS = {"claude": "Bash", "codex": "exec_command", "aider": ""}


def look() -> None:
    try:
        socket.create_connection(("192.0.2.1", 9), 0.2).close()
        way = "open"
    except OSError as error:
        way = str(error)
    secrets = [name for name, value in os.environ.items() if "secret" in value]
    shell = subprocess.run(["bash", "-lc", 'echo "$PATH"'], capture_output=True, text=True)
    cell = [name for name, value in os.environ.items() if "/cell" in value]
    told = {"network": way, "secrets": secrets, "cell": cell, "there": os.environ.get("PWD")}
    print(json.dumps({**told, "login": shell.stdout.strip()}), flush=True)  # noqa: T201


def leave() -> None:
    """A process in a session of its own, whose parent has ended, and that holds the output."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            Path("daemon").write_text(str(os.getpid()))
            time.sleep(120)
        os._exit(0)
    while not Path("daemon").exists():
        time.sleep(0.01)


def work(talking: Talk, shell: str, options: list[str]) -> int:
    while True:
        try:
            text, calls = talking.ask(shell)
        except urllib.error.HTTPError as error:
            print(error.code, error.read().decode(), flush=True)  # noqa: T201
            if "--slow" in options:
                time.sleep(60)
            return 1
        if not shell:
            old, _, new = text.rpartition("<<<<<<< SEARCH\n")[2].partition("=======\n")
            file = Path("calc.py")
            file.write_text(file.read_text().replace(old, new.partition(">>>>>>>")[0]))
        if not calls:
            return 0
        for call_id, arguments in calls:
            command = arguments["command"]
            if "COMPLETE_TASK" in command and "--greedy" not in options:
                return 0
            ran = subprocess.run(command, shell=True, capture_output=True, text=True)  # noqa: S602
            talking.answer(call_id, ran.stdout + ran.stderr)


def main(options: list[str]) -> int:
    if "--litter" in options:
        Path(".fake.log").write_text("litter")  # what it leaves in the tree
    if "--look" in options:
        look()
    if "--daemon" in options:
        leave()
    name = Path(sys.argv[0]).name
    talking = talk(name, options)
    marks = {"mini": "-t", "aider": "--message"}
    prompt = options[options.index(marks[name]) + 1] if name in marks else options[-1]
    talking.tell(prompt if SHELLS.get(name, "bash") else f"{prompt}\nAnswer with SEARCH blocks.")
    return work(talking, SHELLS.get(name, "bash"), options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
