"""The process that imports litellm (7-10 CPU seconds, 200 MB) so that the agent does not.

Speaks JSON lines. In: {"id", "body"} asks, {"id", "cancel": true} stops, end of input ends the process.
Out: {"ready": true} once, then per request {"id", "chunk"}..., and one {"id", "done": true} or
{"id", "error": {"status", "kind", "message", "headers"}}.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, cast


def main() -> None:
    """Serve until standard input ends."""
    # Whatever litellm prints goes to standard error; the protocol keeps the real standard output.
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    _prepare_environment()
    complete = _load()
    _say(out, {"ready": True})
    asyncio.run(_serve(complete, out))
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
    """Import litellm and return its completion coroutine function."""
    import litellm

    module = cast("Any", litellm)
    module.telemetry = False
    module.suppress_debug_info = True
    module.num_retries = 0
    module.drop_params = True  # a parameter one model does not know is no reason to fail
    return module.acompletion


async def _serve(complete: Any, out: BinaryIO) -> None:
    running: dict[int, asyncio.Task[None]] = {}
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        message = cast("dict[str, Any]", json.loads(line))
        number = int(message["id"])
        if message.get("cancel"):
            task = running.get(number)
            if task is not None:
                task.cancel()
            continue
        task = asyncio.create_task(_answer(complete, out, number, message["body"]))
        running[number] = task
        task.add_done_callback(lambda _, number=number: running.pop(number, None))


async def _answer(complete: Any, out: BinaryIO, number: int, body: dict[str, Any]) -> None:
    try:
        stream = await complete(**body)
        async for chunk in stream:
            _say(out, {"id": number, "chunk": chunk.model_dump(exclude_none=True)})
    except asyncio.CancelledError:
        pass
    except Exception as error:  # noqa: BLE001 - every failure is reported to the parent, by kind
        _say(out, {"id": number, "error": _described(error)})
        return
    _say(out, {"id": number, "done": True})


def _described(error: Exception) -> dict[str, Any]:
    """An exception of litellm (or below it) as data. Its attributes vary, hence the careful reads."""
    status = getattr(error, "status_code", None)
    response = getattr(error, "response", None)
    wanted: dict[str, str] = {}
    for source in (
        getattr(response, "headers", None),
        getattr(
            error, "litellm_response_headers", None
        ),  # the provider's own, where litellm kept it
    ):
        if isinstance(source, Mapping):
            for name, value in cast("Mapping[str, str]", source).items():
                if str(name).lower() in ("retry-after", "retry-after-ms"):
                    wanted[str(name).lower()] = str(value)
    return {
        "status": status if isinstance(status, int) else 500,
        "kind": type(error).__name__,
        "message": str(getattr(error, "message", "") or error)[:4000],
        "headers": wanted,
    }


def _say(out: BinaryIO, message: Mapping[str, Any]) -> None:
    out.write(json.dumps(message, default=str).encode() + b"\n")
