"""A program for pty tests: runs command lines like the bash tool, with a terminal of its own around it.

`command_program.py SECONDS LINE...` prints one JSON line: for each command its exit code, whether its
time was over, and the growth of this program's memory in KB.
"""

import asyncio
import json
import resource
import sys
import tempfile
from pathlib import Path

from aoci_agent.base.process import Limits, Outcome, run


async def commands(seconds: float, lines: list[str]) -> list[Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        limits = Limits(seconds=seconds, spill_bytes=20_000_000)
        outcomes: list[Outcome] = []
        for line in lines:
            outcome = await run(
                ["bash", "-c", line], cwd=place, limits=limits, spill_dir=place / "spilled"
            )
            outcomes.append(outcome)
            if outcome.spill is not None:
                assert outcome.spill.stat().st_size <= limits.spill_bytes
                outcome.spill.unlink()
        return outcomes


def memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    asyncio.run(commands(9, ["true"]))  # what the first command loads is not growth
    before = memory()
    found = asyncio.run(commands(float(sys.argv[1]), sys.argv[2:]))
    told = [[each.exit_code, each.timed_out, len(each.output)] for each in found]
    print("RESULT", json.dumps([told, memory() - before]), flush=True)  # noqa: T201
