import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aoci_agent.base.errors import TryAgain
from aoci_agent.base.process import Limits, run


def shell(text: str) -> list[str]:
    return ["bash", "-c", text]


async def test_output_is_interleaved_and_codes_are_kept(tmp_path: Path) -> None:
    outcome = await run(shell("echo a; echo b >&2; echo c; exit 3"), cwd=tmp_path)
    assert outcome.output == "a\nb\nc\n"
    assert outcome.exit_code == 3
    assert (outcome.timed_out, outcome.omitted_bytes, outcome.spill) == (False, 0, None)


async def test_a_signal_from_elsewhere_is_a_code(tmp_path: Path) -> None:
    assert (await run(shell("kill -SEGV $$"), cwd=tmp_path)).exit_code == 128 + signal.SIGSEGV


async def test_raw_bytes_pass_and_bad_ones_are_replaced(tmp_path: Path) -> None:
    outcome = await run(["printf", r"\033[1m10%%\r20%%\r\377"], cwd=tmp_path)
    assert outcome.output == "\x1b[1m10%\r20%\r\ufffd"


async def test_input_is_empty_or_what_is_given(tmp_path: Path) -> None:
    assert (await run(["cat"], cwd=tmp_path)).output == ""
    large = b"line\n" * 50_000
    outcome = await run(["wc", "-c"], cwd=tmp_path, stdin=large)
    assert outcome.output.strip() == str(len(large))


@pytest.mark.gate("R20")
async def test_it_runs_in_the_folder_without_a_terminal(tmp_path: Path) -> None:
    outcome = await run(
        shell("pwd; read line </dev/tty && echo terminal; ps -o sid= -p $$; echo $$"), cwd=tmp_path
    )
    lines = outcome.output.split()
    assert lines[0] == str(tmp_path)
    assert "terminal" not in lines
    assert lines[-1] == lines[-2]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["no-such-program"], "no such program"),
        (["/etc/passwd"], "Permission denied"),
        (["echo", "a\0b"], "cannot be started"),
        (["echo", "x" * 3_000_000], "too long"),
        ([""], r"no such program|cannot be started"),
    ],
)
async def test_what_cannot_start_is_said(tmp_path: Path, argv: list[str], message: str) -> None:
    with pytest.raises(TryAgain, match=message):
        await run(argv, cwd=tmp_path)


async def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(TryAgain, match=r"folder .* does not exist"):
        await run(["true"], cwd=tmp_path / "gone")


@pytest.mark.parametrize(
    "command",
    ["read line; echo after", "python3", "less /etc/passwd >/dev/null", "git --version; cat"],
)
@pytest.mark.gate("R20")
async def test_nothing_waits_for_a_person(tmp_path: Path, command: str) -> None:
    outcome = await run(shell(command), cwd=tmp_path, limits=Limits(seconds=5))
    assert not outcome.timed_out


@pytest.mark.gate("R20")
async def test_time_is_limited_also_for_the_deaf(tmp_path: Path) -> None:
    script = "trap '' TERM HUP INT; echo started; while :; do sleep 0.05; done"
    outcome = await run(shell(script), cwd=tmp_path, limits=Limits(seconds=0.3))
    assert outcome.timed_out
    assert outcome.exit_code is None
    assert outcome.output == "started\n"


async def test_a_polite_command_may_clean_up(tmp_path: Path) -> None:
    script = "trap 'echo cleaned; exit 0' TERM; echo started; while :; do sleep 0.05; done"
    outcome = await run(shell(script), cwd=tmp_path, limits=Limits(seconds=0.3))
    assert outcome.timed_out
    assert outcome.output.startswith("started\n")
    assert outcome.output.endswith("cleaned\n")


async def test_a_stopped_command_is_ended(tmp_path: Path) -> None:
    outcome = await run(shell("kill -STOP $$"), cwd=tmp_path, limits=Limits(seconds=0.2))
    assert outcome.timed_out


@pytest.mark.gate("R21")
async def test_large_output_is_cut_and_spilled(tmp_path: Path) -> None:
    limits = Limits(output_bytes=3000)
    outcome = await run(["seq", "100000"], cwd=tmp_path, limits=limits, spill_dir=tmp_path / "s")
    assert outcome.exit_code == 0
    assert outcome.output.startswith("1\n2\n3\n")
    assert outcome.output.endswith("99999\n100000\n")
    assert f"{outcome.omitted_bytes:,} bytes omitted" in outcome.output
    assert outcome.spill is not None
    assert outcome.spill.read_text().split() == [str(number) for number in range(1, 100_001)]


@pytest.mark.parametrize("source", ["yes", "cat /dev/zero", "cat /dev/urandom"])
@pytest.mark.gate("R21")
async def test_a_flood_is_ended_and_costs_no_memory(tmp_path: Path, source: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = await run(shell(source), cwd=tmp_path, spill_dir=tmp_path / "s")
    assert outcome.exit_code is None
    assert not outcome.timed_out
    assert len(outcome.output) < 100_000
    assert outcome.spill is not None
    assert outcome.spill.stat().st_size == 50_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KB
    outcome.spill.unlink()


async def test_many_commands_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(run(shell(f"sleep 0.0{n % 5}; echo {n}; exit {n}"), cwd=tmp_path))
            for n in range(20)
        ]
    assert [task.result().exit_code for task in tasks] == list(range(20))
    assert [task.result().output for task in tasks] == [f"{n}\n" for n in range(20)]


def zombies() -> int:
    argv = ["ps", "-o", "stat=", "--ppid", str(os.getpid())]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.count("Z")


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_descriptors_and_zombies_do_not_pile_up(tmp_path: Path) -> None:
    async def commands() -> None:
        await run(["true"], cwd=tmp_path)
        before = descriptors()
        for _ in range(10):
            await run(shell("(sleep 0.01 &) ; true"), cwd=tmp_path)
            with pytest.raises(TryAgain):
                await run(["no-such-program"], cwd=tmp_path)
        assert descriptors() == before

    before = zombies()
    asyncio.run(commands())
    assert zombies() <= before


@pytest.mark.slow
def test_an_interrupt_ends_the_command(tmp_path: Path) -> None:
    script = f"""
import asyncio, signal
from pathlib import Path
from aoci_agent.base.process import run
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background inherit none
asyncio.run(run(["sh", "-c", "echo $$ > pid; exec sleep 60"], cwd=Path({str(tmp_path)!r})))
"""
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE) as agent:
        file = tmp_path / "pid"
        while not (file.exists() and file.read_text().strip()):
            time.sleep(0.02)
        agent.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in agent.communicate(timeout=20)[1]
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)
