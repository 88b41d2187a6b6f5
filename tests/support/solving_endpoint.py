"""An endpoint that knows the fix of a small task, in the ways other agents ask for it; it counts what it bills.

It speaks chat completions, Responses and Messages, streamed or not, and calls the tools that the agent
offers. As a program: `solving_endpoint.py LOG` serves until it is ended, prints its address, and writes
a line for each completion into LOG: what it counted.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

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
CHECK = "python3 -B -c 'from calc import add; assert add(2, 3) == 5; print(\"it adds\")'"
STEPS = (f"cat {FILE}", f"sed -i 's/a - b/a + b/' {FILE}", CHECK)
OLD, NEW = "    return a - b", "    return a + b"
BLOCK = (
    "The sign is wrong.\n\n"
    "extra/new.py\n```python\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```\n\n"
    f"{FILE}\n```python\n<<<<<<< SEARCH\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE\n```\n"
)
SHELLS = ("bash", "Bash", "exec_command", "shell", "shell_command")
READS = ("read", "Read")
EDITS = ("edit", "Edit")


@dataclass(frozen=True)
class Reply:
    """Words, or a call of a tool."""

    id: str
    text: str = ""
    tool: str = ""
    arguments: Json | None = None

    @property
    def written(self) -> str:
        return json.dumps(self.arguments)


@dataclass(frozen=True)
class Bill:
    """What one completion was counted as; the prompt holds what was read and written."""

    prompt: int
    read: int
    write: int
    output: int

    @property
    def told(self) -> Json:
        fresh = self.prompt - self.read - self.write
        parts = {"fresh": fresh, "read": self.read, "write": self.write, "output": self.output}
        return {**parts, "total_tokens": self.prompt + self.output}


class SolvingEndpoint(FakeEndpoint):
    """Reads, edits and checks with the agent's own tools; one that offers none gets a SEARCH/REPLACE block."""

    def __init__(self) -> None:
        super().__init__(models=["solver"])
        self.billed: list[Json] = []  # of every completion

    def answer_to(self, seen: Seen) -> Answer:
        if "count_tokens" in seen.path:
            return _whole({"input_tokens": len(seen.raw) // 4})
        body = seen.body
        reply = _reply(body, f"call_{len(self.billed) + 1}")
        prompt = len(seen.raw) // 4
        write = prompt // 8 if "/messages" in seen.path else 0
        bill = Bill(prompt, prompt // 2, write, 11 + len(reply.text + reply.written) // 4)
        self.billed.append(bill.told)
        if "/messages" in seen.path:
            return _messages(body, reply, bill)
        if "/responses" in seen.path:
            return _responses(body, reply, bill)
        return _chat(body, reply, bill)


def _reply(body: Json, call_id: str) -> Reply:
    tools = dict(_tools(body))
    shell = next((name for name in SHELLS if name in tools), "")
    if not shell:
        return Reply(call_id, BLOCK if "SEARCH" in json.dumps(body) else "a sign")
    done = sum(map(_results, body.get("messages") or body["input"]))
    moves = [(shell, _command(tools[shell], line)) for line in STEPS]
    for at, names in enumerate((READS, EDITS)):
        for name in tools.keys() & set(names):
            moves[at] = (name, _edit(tools[name]))
    if tools.keys() == {"bash"}:
        moves.append((shell, _command(tools[shell], SUBMIT)))
    elif done >= len(moves):
        return Reply(call_id, "It adds now.")
    return Reply(call_id, "", *moves[min(done, len(moves) - 1)])


def _tools(body: Json) -> Iterator[tuple[str, Json]]:
    """Names of the tools and their parameters."""
    for tool in body.get("tools") or ():
        told: Json = tool.get("function", tool)
        schema: Json = told.get("parameters") or told.get("input_schema") or {}
        yield told.get("name", ""), schema.get("properties", {})


def _command(parameters: Json, line: str) -> Json:
    if "cmd" in parameters:
        return {"cmd": line}
    listed = parameters.get("command", {}).get("type") == "array"
    return {"command": ["bash", "-c", line] if listed else line}


def _edit(parameters: Json) -> Json:
    """The edit of the file, as far as there are parameters for it: a tool that reads gets its name only."""
    known = {"oldString": OLD, "newString": NEW, "old_string": OLD, "new_string": NEW}
    known |= {"edits": [{"oldText": OLD, "newText": NEW}]}
    known |= dict.fromkeys(("path", "filePath", "file_path"), FILE)
    return {name: known[name] for name in parameters if name in known}


def _results(item: Json) -> int:
    """How many calls a message tells what came of them."""
    told = 0
    if isinstance(content := item.get("content"), list):
        blocks = cast("list[Json]", content)
        told = sum(block.get("type") == "tool_result" for block in blocks)
    own = item.get("role") == "tool" or str(item.get("type")).endswith("_call_output")
    return told + own


def _chat(body: Json, reply: Reply, bill: Bill) -> Answer:
    usage = {
        "prompt_tokens": bill.prompt,
        "completion_tokens": bill.output,
        "total_tokens": bill.prompt + bill.output,
        "prompt_tokens_details": {"cached_tokens": bill.read},
    }
    finish = "tool_calls" if reply.tool else "stop"
    if body.get("stream"):
        said = delta(content=reply.text)
        if reply.tool:
            said = call_delta(0, reply.tool, reply.written, reply.id)
        options: Json = body.get("stream_options") or {}
        asked = options.get("include_usage")
        return Answer(events(said, delta(finish), *([usage_chunk(usage)] if asked else [])))
    message: Json = {"role": "assistant", "content": reply.text or None}
    if reply.tool:
        function = {"name": reply.tool, "arguments": reply.written}
        message["tool_calls"] = [{"id": reply.id, "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": finish}
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "solver"}
    return _whole({**whole, "choices": [choice], "usage": usage})


def _responses(body: Json, reply: Reply, bill: Bill) -> Answer:
    usage = {
        "input_tokens": bill.prompt,
        "output_tokens": bill.output,
        "total_tokens": bill.prompt + bill.output,
        "input_tokens_details": {"cached_tokens": bill.read},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    text: Json = {"type": "output_text", "text": reply.text, "annotations": []}
    item: Json = {
        "type": "message",
        "id": f"msg_{reply.id}",
        "role": "assistant",
        "content": [text],
    }
    if reply.tool:
        named = {"name": reply.tool, "arguments": reply.written, "call_id": reply.id}
        item = {"type": "function_call", "id": f"fc_{reply.id}", **named}
    item |= {"status": "completed"}
    started = {"id": f"resp_{reply.id}", "object": "response", "created_at": 1, "model": "solver"}
    done = {**started, "status": "completed", "output": [item], "usage": usage}
    if not body.get("stream"):
        return _whole(done)
    created: Json = {**started, "status": "in_progress", "output": []}
    return _named(
        {"type": "response.created", "response": created},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    )


def _messages(body: Json, reply: Reply, bill: Bill) -> Answer:
    usage = {
        "input_tokens": bill.prompt - bill.read - bill.write,
        "cache_read_input_tokens": bill.read,
        "cache_creation_input_tokens": bill.write,
        "output_tokens": 1,
    }
    block: Json = {"type": "text", "text": reply.text}
    piece: Json = {"type": "text_delta", "text": reply.text}
    if reply.tool:
        block = {"type": "tool_use", "id": reply.id, "name": reply.tool, "input": reply.arguments}
        piece = {"type": "input_json_delta", "partial_json": reply.written}
    stop = {"stop_reason": "tool_use" if reply.tool else "end_turn", "stop_sequence": None}
    head = {"id": f"msg_{reply.id}", "type": "message", "role": "assistant", "model": "solver"}
    if not body.get("stream"):
        counted = {**usage, "output_tokens": bill.output}
        return _whole({**head, "content": [block], **stop, "usage": counted})
    empty: Json = {**block, "input": {}} if reply.tool else {**block, "text": ""}
    return _named(
        {"type": "message_start", "message": {**head, "content": [], "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": piece},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": bill.output}},
        {"type": "message_stop"},
    )


def _whole(body: Json) -> Answer:
    return Answer(json.dumps(body).encode(), kind="application/json")


def _named(*told: Json) -> Answer:
    """A stream whose events have names."""
    lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in told)
    return Answer("".join(lines).encode())


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
