import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aoci_agent.base.process import Limits, Peer, run, run_blocking

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a subreaper")

# Each way writes the process id of a program that wants to outlive its command.
WAYS = {
    "background": "(echo $BASHPID >> {log}; exec sleep 300) & ",
    "nohup": "nohup bash -c 'echo $$ >> {log}; exec sleep 300' >/dev/null 2>&1 & ",
    "setsid": "setsid bash -c 'echo $$ >> {log}; exec sleep 300' & ",
    "double fork": "(setsid bash -c 'echo $$ >> {log}; exec sleep 300' </dev/null >/dev/null 2>&1 &) ; ",
    "deaf": "(setsid bash -c 'trap \"\" TERM HUP; echo $$ >> {log}; while :; do sleep 0.1; done' &) ; ",
    "no mark": "(env -i setsid bash -c 'echo $$ >> {log}; exec sleep 300' >/dev/null 2>&1 &) ; ",
    "no mark, same group": "env -i bash -c 'echo $$ >> {log}; exec sleep 300' & ",
    "daemon of a daemon": "(setsid bash -c '(setsid bash -c \"echo \\$\\$ >> {log}; exec sleep 300\" &) ; echo $$ >> {log}; exec sleep 300' &) ; ",
}
ALL = len(WAYS) + 1  # the last way starts two
WAIT = "while [ $(wc -l < {log}) -lt {count} ]; do sleep 0.02; done; "


def script(log: Path, *ways: str) -> str:
    """A shell program that starts escapees and goes on once all of them run."""
    log.write_text("")
    ways = ways or tuple(WAYS)
    count = len(ways) + ("daemon of a daemon" in ways)
    return ("".join(WAYS[way] for way in ways) + WAIT).format(log=log, count=count)


def survivors(log: Path) -> list[int]:
    alive: list[int] = []
    for pid in map(int, log.read_text().split()):
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] not in "ZX":
            alive.append(pid)
    return alive


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - another process makes it true
            await asyncio.sleep(0.02)


async def until_logged(log: Path) -> None:
    await until(lambda: bool(log.read_text()))


async def test_nothing_outlives_a_command(tmp_path: Path) -> None:
    log = tmp_path / "log"
    outcome = await run(["bash", "-c", script(log) + "echo ended"], cwd=tmp_path)
    assert outcome.output == "ended\n"
    assert outcome.exit_code == 0
    assert len(log.read_text().split()) == ALL
    assert survivors(log) == []


async def test_nothing_outlives_a_timeout(tmp_path: Path) -> None:
    log = tmp_path / "log"
    argv = ["bash", "-c", script(log) + "sleep 300"]
    outcome = await run(argv, cwd=tmp_path, limits=Limits(seconds=1))
    assert outcome.timed_out
    assert len(log.read_text().split()) == ALL
    assert survivors(log) == []


@pytest.mark.gate("R19", "S15")
async def test_a_killed_agent_leaves_no_command_of_its_own(tmp_path: Path) -> None:
    """One that does not hear: what it started has another session and its own mark."""
    log = tmp_path / "log"
    log.write_text("")
    inner = ["bash", "-c", f"echo $$ >> {log}; exec sleep 300"]
    code = (
        "import pathlib, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "from aoci_agent.base.process import run_blocking; "
        f"run_blocking({inner}, cwd=pathlib.Path.cwd())"
    )
    command = asyncio.create_task(run([sys.executable, "-c", code], cwd=tmp_path))
    await until_logged(log)
    command.cancel()
    with pytest.raises(asyncio.CancelledError):
        await command
    assert survivors(log) == []


def test_without_the_sweep_they_would_survive(tmp_path: Path) -> None:
    log = tmp_path / "log"
    argv = ["bash", "-c", script(log, "double fork")]
    with subprocess.Popen(argv, cwd=tmp_path, start_new_session=True) as command:
        command.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(command.pid, 9)
    assert len(survivors(log)) == 1
    os.kill(survivors(log)[0], 9)


@pytest.mark.parametrize("times", [1, 3])
async def test_nothing_outlives_a_cancelled_command(tmp_path: Path, times: int) -> None:
    log = tmp_path / "log"
    argv = ["bash", "-c", script(log, "deaf") + "sleep 300"]
    task = asyncio.create_task(run(argv, cwd=tmp_path))
    await until_logged(log)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0.01)
    with pytest.raises(asyncio.CancelledError):
        await task
    # A second cancellation stops the waiting, not the ending.
    await until(lambda: not survivors(log))


def test_nothing_outlives_a_blocking_command(tmp_path: Path) -> None:
    log = tmp_path / "log"
    outcome = run_blocking(["bash", "-c", script(log, "double fork")], cwd=tmp_path)
    assert outcome.exit_code == 0
    assert survivors(log) == []


async def test_nothing_outlives_a_peer(tmp_path: Path) -> None:
    log = tmp_path / "log"
    peer = await Peer.start(
        ["bash", "-c", script(log, "double fork") + "echo up; cat"], cwd=tmp_path, env={}
    )
    assert await anext(aiter(peer.lines())) == b"up"
    await peer.stop()
    assert survivors(log) == []


async def test_another_commands_children_are_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    start = script(log, "setsid")
    longer = asyncio.create_task(
        run(["bash", "-c", start + "sleep 0.6; kill -0 $(cat log) && echo alive"], cwd=tmp_path)
    )
    await until_logged(log)
    await run(["bash", "-c", "(setsid sleep 300 &) ; true"], cwd=tmp_path)
    assert (await longer).output == "alive\n"
    assert survivors(log) == []


def test_programs_started_before_are_left_alone(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "300"], start_new_session=True) as bystander:
        time.sleep(0.03)
        run_blocking(["bash", "-c", "(setsid sleep 300 &) ; true"], cwd=tmp_path)
        assert bystander.poll() is None
        bystander.kill()


def test_zombies_of_escapees_are_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "log"
    run_blocking(["bash", "-c", script(log)], cwd=tmp_path)
    left = [pid for pid in log.read_text().split() if Path(f"/proc/{pid}").exists()]
    assert left == []


async def test_zombies_of_a_program_that_runs_on_are_waited_for(tmp_path: Path) -> None:
    helpers = (
        "for i in 1 2 3; do (setsid bash -c 'echo $$ >> log' &); done; (echo $BASHPID >> log &)"
    )
    peer = await Peer.start(["bash", "-c", f"{helpers}; echo up; cat"], cwd=tmp_path, env={})
    try:
        assert await anext(aiter(peer.lines())) == b"up"
        told = tmp_path / "log"
        await until(lambda: told.exists() and len(told.read_text().split()) == 4)
        pids = told.read_text().split()
        await until(lambda: all(map(ended, pids)))
        await run(["true"], cwd=tmp_path)
        assert not any(map(there, pids))
        assert peer.running
    finally:
        await peer.stop()


def there(pid: str) -> bool:
    return Path("/proc", pid).exists()


def ended(pid: str) -> bool:
    """Whether it is gone, or a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
