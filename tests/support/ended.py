"""A program run to its end, as a user runs one."""

import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, create_subprocess_exec
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PROGRAM = (sys.executable, "-m", "aoci_agent")


class Ended(NamedTuple):
    """How it ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def result(self) -> dict[str, Any]:
        """Its output, where that is one JSON object."""
        return json.loads(self.out)


async def ended(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: bytes | None = None
) -> Ended:
    """Run it; without `stdin` there is no input at all."""
    given = DEVNULL if stdin is None else PIPE
    child = await create_subprocess_exec(
        *argv, cwd=cwd, env=env, stdin=given, stdout=PIPE, stderr=PIPE
    )
    out, err = await child.communicate(stdin)
    assert child.returncode is not None
    return Ended(child.returncode, out.decode(), err.decode())
