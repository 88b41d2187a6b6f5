"""The process that serves a GGUF file on loopback with llama.cpp; ends when its input ends."""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    """Serve the file argv[-2] with a context of argv[-1] tokens; prints the address when it is loaded."""
    path, context = sys.argv[-2], int(sys.argv[-1])
    # llama.cpp logs to both outputs; the protocol keeps the real standard output.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # Optional: a plain import would not type-check without it.
    library: Any = import_module("xllamacpp")
    server = library.Server(_parameters(library, path, context))
    out.write(f"{server.listening_address}\n")
    out.flush()
    sys.stdin.buffer.read()
    os._exit(0)  # the server's threads would delay the exit


def _parameters(library: Any, path: str, context: int) -> Any:
    given = library.CommonParams()
    given.model.path = path
    given.model_alias = {Path(path).name}
    given.n_ctx = context
    given.n_parallel = 1
    given.n_gpu_layers = 0
    given.hostnames = ["127.0.0.1"]
    given.port = _free_port()
    threads = os.cpu_count() or 2
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads
    # Spinning threads starve everything on a busy machine (measured: 75 tokens/s became 1 to 3).
    given.cpuparams.poll = given.cpuparams_batch.poll = 0
    given.use_jinja = True
    given.warmup = False
    if hasattr(given, "cache_ram_mib"):  # the host-side prompt cache; 8 GB is its default
        given.cache_ram_mib = 512
    return given


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
