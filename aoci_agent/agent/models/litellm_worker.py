"""The process that imports litellm (7-10 CPU seconds, 200 MB) so that the agent does not.

Speaks JSON lines. In: {"id", "call", "body"} asks (`call` is a key of `_CALLS`), {"id", "cancel": true}
stops, end of input ends the process. Out: {"ready": true} once, then per request {"id", "chunk"}...,
and one {"id", "done"} (whether the provider itself ended the reply) or
{"id", "error": {"status", "kind", "message", "headers"}}. A completion is streamed; an embedding is
one chunk {"vectors": [base64 of float32, little endian, ...], "usage"}, a rerank {"results", "usage"}.
"""

import asyncio
import json
import os
import sys
from array import array
from base64 import b64encode
from collections.abc import Awaitable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

_CALLS: Final = {"completion": "acompletion", "embedding": "aembedding", "rerank": "arerank"}


def main() -> None:
    """Serve until standard input ends."""
    # Whatever litellm prints goes to standard error; the protocol keeps the real standard output.
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    _prepare_environment()
    litellm = _load()
    _say(out, {"ready": True})
    asyncio.run(_serve(litellm, out))
    os._exit(0)  # litellm leaves threads behind that would delay the exit


def _prepare_environment() -> None:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no download of the price list
    os.environ["LITELLM_MODE"] = "PRODUCTION"  # do not read a .env file of some folder
    os.environ["LITELLM_TELEMETRY"] = "False"
    spec = find_spec("litellm")
    if spec is not None and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0], "litellm_core_utils", "tokenizers")
        os.environ["CUSTOM_TIKTOKEN_CACHE_DIR"] = str(folder)


def _load() -> Any:
    """Import litellm."""
    import litellm

    module = cast("Any", litellm)
    module.telemetry = False
    module.suppress_debug_info = True
    module.num_retries = 0
    module.drop_params = True  # a parameter one model does not know is no reason to fail
    return module


async def _serve(litellm: Any, out: BinaryIO) -> None:
    running: dict[int, asyncio.Task[None]] = {}
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        message = cast("dict[str, Any]", json.loads(line))
        number = int(message["id"])
        if message.get("cancel"):
            task = running.get(number)
            if task is not None:
                task.cancel()
            continue
        task = asyncio.create_task(_answer(litellm, out, number, message))
        running[number] = task
        task.add_done_callback(lambda _, number=number: running.pop(number, None))


async def _answer(litellm: Any, out: BinaryIO, number: int, message: Mapping[str, Any]) -> None:
    ended = False
    try:
        call = getattr(litellm, _CALLS[message["call"]])
        answer = _stream if message["call"] == "completion" else _whole
        ended = await answer(call(**message["body"]), out, number)
    except asyncio.CancelledError:
        pass
    except Exception as error:  # noqa: BLE001 - every failure is reported to the parent, by kind
        _say(out, {"id": number, "error": _described(error)})
        return
    _say(out, {"id": number, "done": ended})


async def _stream(asked: Awaitable[Any], out: BinaryIO, number: int) -> bool:
    """Say a completion as it comes; whether the provider ended it."""
    ended = False
    stream = await asked
    async for chunk in stream:
        ended = _ended(stream)
        _say(out, {"id": number, "chunk": _told(chunk, stream, ended=ended)})
    return ended


async def _whole(asked: Awaitable[Any], out: BinaryIO, number: int) -> bool:
    """Say an embedding or a ranking, which come in one piece."""
    told = cast("dict[str, Any]", (await asked).model_dump(exclude_none=True))
    chunk: dict[str, Any] = {"usage": told.get("usage", {})}
    if "data" in told:
        chunk["vectors"] = [_packed(item["embedding"]) for item in told["data"]]
    if "results" in told:
        chunk["results"] = told["results"]
    _say(out, {"id": number, "chunk": chunk})
    return True


def _packed(numbers: Iterable[float]) -> str:
    """A vector in a quarter of the bytes its digits would take."""
    values = array("f", numbers)
    if sys.byteorder == "big":
        values.byteswap()
    return b64encode(values.tobytes()).decode()


def _told(chunk: Any, stream: Any, *, ended: bool) -> dict[str, Any]:
    """A chunk without what litellm made up.

    It counts tokens when the provider did not, adds the cost by its own table (which would beat the
    user's prices), and writes "stop" when no finish reason came.
    """
    told = cast("dict[str, Any]", chunk.model_dump(exclude_none=True))
    usages = [getattr(seen, "usage", None) for seen in getattr(stream, "chunks", ())]
    reported = next((usage for usage in reversed(usages) if usage), None)
    if reported is None:
        told.pop("usage", None)
    elif "usage" in told:
        told["usage"]["cost"] = getattr(reported, "cost", None)
    if not ended:
        for choice in told.get("choices", ()):
            choice.pop("finish_reason", None)
    return told


def _ended(stream: Any) -> bool:
    """Whether the provider gave a reason to finish: a stream that broke off has none."""
    signs = ("received_finish_reason", "intermittent_finish_reason", "received_any_finish_reason")
    return any(getattr(stream, sign, None) for sign in (*signs, "is_mock"))


def _described(error: Exception) -> dict[str, Any]:
    """An exception of litellm (or below it) as data. Its attributes vary, hence the careful reads."""
    status = getattr(error, "status_code", None)
    response = getattr(error, "response", None)
    headers: dict[str, str] = {}
    # The provider's own come last: litellm keeps them apart in some cases.
    for found in (
        getattr(response, "headers", None),
        getattr(error, "litellm_response_headers", None),
    ):
        if isinstance(found, Mapping):
            named = cast("Mapping[str, object]", found).items()
            headers |= {name.lower(): str(value) for name, value in named}
    return {
        "status": status if isinstance(status, int) else 500,
        "kind": type(error).__name__,
        "message": str(getattr(error, "message", "") or error)[:4000],
        "headers": {name: v for name, v in headers.items() if name.startswith("retry-after")},
    }


def _say(out: BinaryIO, message: Mapping[str, Any]) -> None:
    out.write(json.dumps(message, default=str).encode() + b"\n")
