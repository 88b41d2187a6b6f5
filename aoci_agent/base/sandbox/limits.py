"""Limits of what a command may use of the machine, chosen so that no tool of trade breaks.

Not limited: address space (node, Java, Go and every sanitizer reserve far more than they use), data
(the race detectors count as terabytes) and CPU time (the wall clock ends a command). Memory is left
to the kernel, which is told to end the command before anything else (`oom_score_adj`).
"""

import os
import shutil
from pathlib import Path

TASKS = 2_048  # processes and threads
_FILE = 4 << 30  # bytes of one file
_LEAST = 64 << 20


def file_bytes(folder: Path) -> int:
    """How large one file may grow: 4 GB, or half of what is free where that is less."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return _FILE
    return max(_LEAST, min(_FILE, free // 2))


def temporary_bytes() -> int:
    """The size of a temporary folder in memory: a quarter of it, 4 GB at most."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(256 << 20, min(4 << 30, memory // 4))


def limited(argv: tuple[str, ...], file_size: int) -> tuple[str, ...]:
    """The command started by a shell that sets its limits first. Every POSIX shell counts -f in 512."""
    script = (
        f"ulimit -c 0; ulimit -u {TASKS} 2>/dev/null || ulimit -p {TASKS} 2>/dev/null; "
        f"ulimit -f {file_size // 512}; "
        'echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec "$@"'
    )
    return ("/bin/sh", "-c", script, "sh", *argv)
