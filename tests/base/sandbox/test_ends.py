import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from base.sandbox.conftest import partial_box, strong_box
from support.world import World

from aoci_agent.base.box import Access, Box
from aoci_agent.base.process import Limits, run
from aoci_agent.base.sandbox.landlock import LEFT

# Each starts a program that wants to outlive its command; {mark} is in its command line.
WAYS = (
    "sleep {mark} & ",
    "nohup sleep {mark} >/dev/null 2>&1 & ",
    "setsid sleep {mark} & ",
    "(setsid sleep {mark} </dev/null >/dev/null 2>&1 &) ; ",
    "(setsid bash -c 'trap \"\" TERM HUP; sleep {mark}; sleep {mark}' &) ; ",
    "(env -i setsid sleep {mark} >/dev/null 2>&1 &) ; ",
)
AGENT = """
import asyncio, json, os, sys
from pathlib import Path
from aoci_agent.base.box import Access
from aoci_agent.base.process import Limits, run
from aoci_agent.base.sandbox.ladder import open_box, strongest
root, own, cache, command, partial = json.loads(sys.argv[1])
box = open_box(Path(root), [Path(p) for p in own], Path(cache), os.environ)
if partial:
    box = strongest(box.layout, Path(cache) / "box", None)
entry = box.enter(["bash", "-c", command], Path(root), Access())
asyncio.run(run(entry, cwd=Path(root), limits=Limits(seconds=60)))
"""


def living(mark: str) -> list[int]:
    """The processes with the mark as an argument, and not yet dead."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0")
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if mark.encode() in arguments and state not in "ZX":
            found.append(int(entry.name))
    return found


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - another process makes it true
            await asyncio.sleep(0.02)


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def mark() -> str:
    return f"300.{time.time_ns()}"


def command(marked: str) -> str:
    return "".join(WAYS).format(mark=marked)


@pytest.fixture(params=["strong", "partial"])
def box(request: pytest.FixtureRequest, here: World) -> Box:
    return strong_box(here) if request.param == "strong" else partial_box(here)


@pytest.mark.gate("R19", "S15")
async def test_nothing_outlives_a_command(
    here: World, box: Box, record_property: Callable[[str, object], None]
) -> None:
    marked = mark()
    entry = box.enter(
        ["bash", "-c", command(marked) + "sleep 0.3; echo ended"], here.root, Access()
    )
    outcome = await run(entry, cwd=here.root)
    assert "ended" in outcome.output
    assert living(marked) == []
    record_property("cases", len(WAYS))


@pytest.mark.gate("R19", "S15")
@pytest.mark.gate_only
async def test_nothing_outlives_its_time(here: World, box: Box) -> None:
    marked = mark()
    entry = box.enter(["bash", "-c", command(marked) + "wait"], here.root, Access())
    outcome = await run(entry, cwd=here.root, limits=Limits(seconds=1))
    assert outcome.timed_out
    assert living(marked) == []


async def test_a_command_has_its_grace(here: World, box: Box) -> None:
    script = "trap 'echo saved > saved; exit' TERM; touch ready; while :; do sleep 0.05; done"
    entry = box.enter(["bash", "-c", script], here.root, Access())
    task = asyncio.create_task(run(entry, cwd=here.root))
    await until((here.root / "ready").exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (here.root / "saved").read_text() == "saved\n"


def killed(made: World, *, partial: bool) -> str:
    """The mark of what an agent had started when it was killed."""
    marked = mark()
    told = [str(made.root), [str(one) for one in made.own], str(made.cache / "project")]
    argument = json.dumps([*told, command(marked) + "wait; wait", partial])
    agent = subprocess.Popen([sys.executable, "-c", AGENT, argument], env=dict(os.environ))
    try:
        wait_until(lambda: len(living(marked)) >= len(WAYS) - 1)
    finally:
        agent.send_signal(signal.SIGKILL)
        agent.wait()
    return marked


def end(marked: str) -> None:
    while left := living(marked):
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


@pytest.mark.gate("R19", "S15")
def test_nothing_outlives_a_killed_agent(here: World) -> None:
    strong_box(here)
    marked = killed(here, partial=False)
    wait_until(lambda: not living(marked))


@pytest.mark.gate_only
def test_the_partial_layer_names_what_outlives_a_killed_agent(here: World) -> None:
    strong_box(here)
    assert LEFT in partial_box(here).gaps
    marked = killed(here, partial=True)
    try:
        assert living(marked)
    finally:
        end(marked)


@pytest.mark.gate("R19", control=True)
def test_without_a_box_a_killed_agent_leaves_them(here: World) -> None:
    marked = mark()
    shell = subprocess.Popen(["bash", "-c", command(marked) + "wait; wait"], start_new_session=True)
    try:
        wait_until(lambda: len(living(marked)) >= len(WAYS) - 1)
        shell.kill()
        shell.wait()
        assert len(living(marked)) >= len(WAYS) - 1
    finally:
        end(marked)
