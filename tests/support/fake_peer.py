"""An agent of another make, as small as can be: `fake_peer.py PROMPT` asks the model, edits, runs commands.

Standard library only: it runs in the sandbox. `--stream`, `--greedy` (never stops asking), `--slow`
(does not end by itself) `--look` (says what it can reach) and `--litter` (leaves a file)
choose what it does; other options are those of agents it stands for.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any

TOOL = {"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}


def ask(messages: list[dict[str, Any]], *, stream: bool) -> dict[str, Any]:
    base, key = os.environ["OPENAI_API_BASE"], os.environ["OPENAI_API_KEY"]
    body = {"model": "mine", "messages": messages, "tools": [TOOL], "stream": stream}
    request = urllib.request.Request(
        f"{base}/chat/completions",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        if not stream:
            return json.loads(answer.read())["choices"][0]["message"]
        call: dict[str, Any] = {"function": {"name": "", "arguments": ""}, "type": "function"}
        for line in answer:
            if line.startswith(b"data: {"):
                chunk = json.loads(line[6:])
                assert "usage" not in chunk, "usage it did not ask for"
                for part in chunk["choices"][0]["delta"].get("tool_calls", []):
                    call["id"] = part.get("id", call.get("id"))
                    call["function"]["name"] += part["function"].get("name", "")
                    call["function"]["arguments"] += part["function"].get("arguments", "")
        return {"role": "assistant", "content": None, "tool_calls": [call]}


def look() -> None:
    try:
        socket.create_connection(("192.0.2.1", 9), 0.2).close()
        way = "open"
    except OSError as error:
        way = str(error)
    secrets = [name for name, value in os.environ.items() if "secret" in value]
    told = {"network": way, "secrets": secrets, "home": os.listdir(os.environ["HOME"])}  # noqa: PTH208
    print(json.dumps(told), flush=True)  # noqa: T201


def main(options: list[str], prompt: str) -> int:
    if "--look" in options:
        look()
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    while True:
        try:
            message = ask(messages, stream="--stream" in options)
        except urllib.error.HTTPError as error:
            print(error.code, error.read().decode(), flush=True)  # noqa: T201
            if "--slow" in options:
                time.sleep(60)
            return 1
        messages.append(message)
        for call in message["tool_calls"]:
            command = json.loads(call["function"]["arguments"])["command"]
            if "COMPLETE_TASK" in command and "--greedy" not in options:
                return 0
            ran = subprocess.run(command, shell=True, capture_output=True, text=True)  # noqa: S602
            told = {"role": "tool", "tool_call_id": call["id"], "content": ran.stdout + ran.stderr}
            messages.append(told)


if __name__ == "__main__":
    if "--litter" in sys.argv:
        with open(".fake.log", "w") as log:  # noqa: PTH123 - what it leaves in the tree
            log.write("litter")
    asked = sys.argv[sys.argv.index("-t") + 1] if "-t" in sys.argv else sys.argv[-1]
    sys.exit(main(sys.argv[1:], asked))
