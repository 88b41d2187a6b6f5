"""An endpoint that knows the fix of a small task, in the ways other agents ask for it; it counts what it bills.

As a program: `solving_endpoint.py LOG` serves until it is ended, prints its address, and writes a line
for each completion into LOG: what it counted.
"""

import asyncio
import json
import sys
from pathlib import Path

from support.endpoint import (
    Answer,
    FakeEndpoint,
    Json,
    Seen,
    call_delta,
    delta,
    events,
    running,
    usage_chunk,
)

FILE = "calc.py"
BEFORE = "def add(a, b):\n    return a - b\n"
AFTER = "def add(a, b):\n    return a + b\n"
HIDDEN = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
STEPS = (f"cat {FILE}", f"sed -i 's/a - b/a + b/' {FILE}", SUBMIT)  # of one that has a shell
BLOCK = (
    f"{FILE}\n```python\n<<<<<<< SEARCH\n    return a - b\n=======\n    return a + b\n"
    ">>>>>>> REPLACE\n```\n"
)


class SolvingEndpoint(FakeEndpoint):
    """Agents that offer a tool get one command a step, the others a SEARCH/REPLACE block."""

    def __init__(self) -> None:
        super().__init__(models=["solver"])
        self.billed: list[Json] = []  # the usage of every completion

    def answer_to(self, seen: Seen) -> Answer:
        body = seen.body
        prompt = len(seen.raw) // 4
        text, command = "", ""
        if body.get("tools"):
            done = sum(message["role"] == "assistant" for message in body["messages"])
            command = STEPS[min(done, len(STEPS) - 1)]
        else:
            text = f"The sign is wrong.\n\n{BLOCK}"
        written = 11 + len(text + command) // 4
        usage: Json = {
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
            "prompt_tokens_details": {"cached_tokens": prompt // 2},
        }
        self.billed.append(usage)
        tool = body["tools"][0]["function"]["name"] if command else ""
        arguments = json.dumps({"command": command})
        call_id = f"call_{len(self.billed)}"
        if body.get("stream"):
            said = [call_delta(0, tool, arguments, call_id)] if command else [delta(content=text)]
            asked = "stream_options" in body
            end = [delta("tool_calls" if command else "stop")]
            return Answer(events(*said, *end, *([usage_chunk(usage)] if asked else [])))
        message: Json = {"role": "assistant", "content": text or None}
        if command:
            function = {"name": tool, "arguments": arguments}
            message["tool_calls"] = [{"id": call_id, "type": "function", "function": function}]
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": "tool_calls" if command else "stop",
        }
        whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "solver"}
        return Answer(
            json.dumps({**whole, "choices": [choice], "usage": usage}).encode(),
            kind="application/json",
        )


async def _serve(log: Path) -> None:
    async with running(SolvingEndpoint()) as endpoint:
        print(endpoint.url, flush=True)  # noqa: T201
        told = 0
        while True:
            await asyncio.sleep(0.1)
            if told < len(endpoint.billed):
                lines = "".join(json.dumps(usage) + "\n" for usage in endpoint.billed[told:])
                told = len(endpoint.billed)
                with log.open("a") as file:
                    file.write(lines)


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
