"""A language server that does what its argument says, and writes down what it was told.

python fake_lsp.py MODE LOG: MODE is ok, or a way to misbehave. Every start and every message is a line of LOG.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]
BALLAST: list[bytearray] = []


def send(message: object) -> None:
    body = json.dumps(message).encode()
    write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def receive() -> Json:
    size = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b": ")
        size = int(value) if name == b"Content-Length" else size
    if not size:
        sys.exit(0)
    return json.loads(sys.stdin.buffer.read(size))


def place(uri: str, line: int, column: int) -> Json:
    point = {"line": line, "character": column}
    return {"uri": uri, "range": {"start": point, "end": point}}


def reply(method: str, params: Json) -> object:
    uri: str = params.get("textDocument", {}).get("uri", "")
    if method == "initialize":
        provides = {"workspaceSymbolProvider": True}
        return {"capabilities": provides, "serverInfo": {"name": "fake", "version": "fake v1.2.3"}}
    if method == "textDocument/definition":  # one line further down, in the same column
        return place(uri, params["position"]["line"] + 1, params["position"]["character"])
    if method == "textDocument/references":
        return [place(uri, 0, 0), place("file:///elsewhere/x.py", 4, 0), place(uri, 0, 0)]
    if method == "textDocument/hover":
        return {"contents": [{"language": "x", "value": "def f()"}, "Says hello."]}
    if method == "workspace/symbol":
        return [{"name": params["query"], "kind": 12, "location": place("file:///else", 2, 0)}]
    return None


# Written before the answer, which then comes too late to be read.
NOISE = {
    "garbage": b"\x00\xff no protocol \r\n" * 6000,
    "endless line": b"x" * 200_000,
    "huge": b"Content-Length: 1000000000\r\n\r\n" + b" " * 1_000_000,
}
ODD: tuple[object, ...] = ([1, 2], 7, {"id": 999, "result": {}}, {"method": "x/y"})
NO_PLACES: list[object] = [
    None, {"uri": 3}, {"range": {}}, "x", {"uri": "file:///a", "range": {"start": 1}}
]  # fmt: skip
ASKED = ("workspace/configuration", "window/nonsense", "workspace/applyEdit")


def misbehave(mode: str, starts: int) -> None:
    if mode == "crash" or (mode == "crash once" and starts == 1):
        sys.stderr.write("thread panicked\nError: out of luck\n")
        sys.exit(3)
    elif mode == "hang":
        time.sleep(60)
    elif mode in NOISE:
        write(NOISE[mode])
    elif mode == "asks":
        items: list[Json] = [{}]
        for asked in ASKED:
            send({"jsonrpc": "2.0", "id": asked, "method": asked, "params": {"items": items}})
    elif mode == "memory":
        BALLAST.append(bytearray(os.urandom(1_000) * 150_000))


def wrong_answer(mode: str, number: object) -> bool:
    """Whether one was given."""
    if mode == "broken json":
        write(b"Content-Length: 5\r\n\r\n{nope")
    elif mode == "odd shapes":
        for odd in ODD:
            send(odd)
        send({"jsonrpc": "2.0", "id": number, "result": NO_PLACES})
    elif mode == "error":
        send({"jsonrpc": "2.0", "id": number, "error": {"code": -32603, "message": "not today"}})
    else:
        return False
    return True


def main() -> None:
    mode, log = sys.argv[1], Path(sys.argv[2])
    with log.open("a", encoding="utf-8") as kept:
        kept.write(json.dumps({"pid": os.getpid(), "env": dict(os.environ)}) + "\n")
        kept.flush()
        starts = log.read_text(encoding="utf-8").count('{"pid"')
        if mode == "no start":
            sys.stderr.write("error: Unknown binary 'fake' in the toolchain\n  0: trace\n")
            sys.exit(1)
        while True:
            message = receive()
            kept.write(json.dumps(message) + "\n")
            kept.flush()
            method, number = message.get("method", ""), message.get("id")
            if not method or number is None:
                if method == "exit":
                    return
                continue
            polite = method in ("initialize", "shutdown")
            if not polite:
                misbehave(mode, starts)
            if polite or not wrong_answer(mode, number):
                send({"id": number, "result": reply(method, message.get("params") or {})})


main()
