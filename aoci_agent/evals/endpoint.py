"""A tiny OpenAI-compatible endpoint on loopback that asks for one command and then answers."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

MODEL = "measure"
HEAD: dict[str, Any] = {"id": "1", "object": "chat.completion.chunk", "model": MODEL}
USAGE = {"prompt_tokens": 1_000, "completion_tokens": 20, "total_tokens": 1_020}


@contextmanager
def endpoint(command: str, answer: str) -> Generator[str]:
    """Serve until the block ends. Yields the base address to give to a client."""
    handler = type("_Handler", (_Handler,), {"command_line": command, "answer": answer})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Streams a `bash` call to a conversation without a tool result, and the answer to one with."""

    protocol_version = "HTTP/1.1"
    command_line: ClassVar[str]
    answer: ClassVar[str]

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"data": [{"id": MODEL, "object": "model"}]}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = any(message.get("role") == "tool" for message in body["messages"])
        delta = {"content": self.answer} if asked else {"tool_calls": [self._call()]}
        lines = [
            self._chunk({"role": "assistant"} | delta, None),
            self._chunk({}, "stop" if asked else "tool_calls"),
            json.dumps(HEAD | {"choices": [], "usage": USAGE}),
            "[DONE]",
        ]
        self._send("text/event-stream", "".join(f"data: {line}\n\n" for line in lines))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the figures are the only output."""

    def _call(self) -> dict[str, Any]:
        arguments = json.dumps({"command": self.command_line})
        function = {"name": "bash", "arguments": arguments}
        return {"index": 0, "id": "call_1", "type": "function", "function": function}

    def _chunk(self, delta: dict[str, Any], finish: str | None) -> str:
        return json.dumps(
            HEAD | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        )

    def _send(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
