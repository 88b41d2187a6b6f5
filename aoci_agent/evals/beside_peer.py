"""The peer's server, asked over MCP on its standard streams."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self


class PeerServer:
    """`codenib mcp` of one repository; JSON-RPC 2.0, one message a line."""

    def __init__(self, peer: Path, tree: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [str(peer), "mcp", str(tree)],
            cwd=tree,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._sent = 0
        client = {"name": "measure", "version": "0"}
        self._ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}})

    def search(self, query: str) -> str:
        """The text of its BM25 answer."""
        return self._call("search_bm25", {"query": query})

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, tool: str, arguments: dict[str, Any]) -> str:
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        return "\n".join(str(item.get("text", "")) for item in result.get("content", ()))

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._sent += 1
        self._send({"jsonrpc": "2.0", "id": self._sent, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == self._sent:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
        raise RuntimeError(f"the peer's server ended at {method}")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
