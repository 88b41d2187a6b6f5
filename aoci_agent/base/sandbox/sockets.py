"""Sockets of services that a read-only view would still reach: a path is enough to speak to one."""

import os
from collections.abc import Sequence
from pathlib import Path


def listening(visible: Sequence[Path], hidden: Sequence[Path]) -> tuple[Path, ...]:
    """Where sockets lie now that a program in the box could find: not in `hidden`, or in `visible`."""
    try:
        lines = Path("/proc/net/unix").read_bytes().splitlines()[1:]
    except OSError:
        return ()
    names = {fields[7] for line in lines if len(fields := line.split(None, 7)) == 8}
    paths = (Path(os.fsdecode(name)) for name in names if name.startswith(b"/"))
    resolved = {path.resolve() for path in paths if os.access(path, os.F_OK)}
    return tuple(
        path
        for path in sorted(resolved)
        if any(map(path.is_relative_to, visible)) or not any(map(path.is_relative_to, hidden))
    )
