"""Signals at any moment of a turn: the terminal is as before, nothing runs on, the record is whole."""

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest
from support.ptys import Terminal, terminal

from aoci_agent.agent.record import read_record


def processes(folder: Path) -> list[int]:
    """The numbers that the command left, of those that still run."""
    file = folder / "pid"
    told = file.read_text().split() if file.exists() else []
    return [int(each) for each in told if Path(f"/proc/{each}").exists() and not _zombie(each)]


def _zombie(number: str) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def settled(it: Terminal, folder: Path) -> None:
    """What must hold however the program ended."""
    assert it.restored
    assert it.output.rstrip().endswith((b"l", b"h", b"m", b"u")) or b"\x1b[?1049l" in it.output
    assert processes(folder) == []
    record = folder / "record.jsonl"
    if record.exists():
        assert all(line["type"] for line in read_record(record))
        assert record.read_bytes().endswith(b"\n")


def working(it: Terminal, folder: Path) -> None:
    """Wait until the command runs."""
    it.until(b"Ask for")
    it.type(b"go\r")
    ends = time.monotonic() + 30
    while len(processes(folder)) < 2:
        assert time.monotonic() < ends
        it.read()


ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


@pytest.mark.gate("R22", "R19")
@pytest.mark.parametrize("number", ENDING)
def test_a_signal_in_a_command_ends_both(tmp_path: Path, number: signal.Signals) -> None:
    with terminal("work_program.py", str(tmp_path)) as it:
        working(it, tmp_path)
        os.kill(it.pid, number)
        assert it.wait() == 128 + number
        settled(it, tmp_path)


@pytest.mark.gate("R22", "R19")
def test_a_closed_window_in_a_command_ends_both(tmp_path: Path) -> None:
    with terminal("work_program.py", str(tmp_path)) as it:
        working(it, tmp_path)
        it.hang_up()
        time.sleep(0.05)
        os.kill(it.pid, signal.SIGCONT)
        assert it.ended() == 128 + signal.SIGHUP
        assert processes(tmp_path) == []


@pytest.mark.gate("R22", "P92", "P93")
def test_esc_stops_the_command_and_the_next_turn_works(tmp_path: Path) -> None:
    with terminal("work_program.py", str(tmp_path)) as it:
        working(it, tmp_path)
        it.type(b"\x1b")
        it.until(b"1 line printed")
        it.until(b"stopped: interrupted")
        assert processes(tmp_path) == []
        it.type(b"\x03again\r")
        working_again = len((tmp_path / "pid").read_text().split())
        ends = time.monotonic() + 30
        while len((tmp_path / "pid").read_text().split()) == working_again:
            assert time.monotonic() < ends
            it.read()
        it.type(b"\x1b")
        it.until(b"stopped: interrupted")
        it.type(b"\x03\x03\x03")
        assert it.wait() == 0
        settled(it, tmp_path)
        lines = list(read_record(tmp_path / "record.jsonl"))
        ended = [line["reason"] for line in lines if line["type"] == "TurnFinished"]
        assert ended == ["interrupted", "interrupted"]
        said = json.dumps([line for line in lines if line["type"] == "Grew"])
        assert said.count("Interrupted by the person; it may have taken effect") == 2
        assert said.count("\\npartial") == 2


@pytest.mark.gate("R22")
@pytest.mark.parametrize(
    "number",  # the second cannot be heard
    [signal.SIGTSTP, pytest.param(signal.SIGSTOP, marks=pytest.mark.gate_only)],
)
def test_a_stop_gives_the_terminal_back_and_going_on_takes_it_again(
    tmp_path: Path, number: signal.Signals
) -> None:
    with terminal("work_program.py", str(tmp_path)) as it:
        working(it, tmp_path)
        for _ in range(2):
            os.kill(it.pid, number)
            it.stopped()
            assert it.restored or number is signal.SIGSTOP
            os.kill(it.pid, signal.SIGCONT)
            it.until(b"\x1b[?1049h")
        it.type(b"\x1b")
        it.until(b"stopped: interrupted")
        it.type(b"\x03\x03\x03")
        assert it.wait() == 0
        settled(it, tmp_path)


@pytest.mark.gate("R22", "P75")
def test_a_storm_of_sizes_leaves_a_whole_screen(tmp_path: Path) -> None:
    with terminal("work_program.py", str(tmp_path)) as it:
        working(it, tmp_path)
        for columns, rows in ((20, 5), (200, 60), (1, 1), (40, 10), (300, 3), (80, 24)) * 8:
            it.resize(columns, rows)
        it.type(b"\x1b")
        it.until(b"stopped: interrupted")
        it.type(b"\x03\x03\x03")
        assert it.wait() == 0
        settled(it, tmp_path)


def at_random(seed: int, folder: Path) -> None:
    """A signal at a random moment from the first byte of the program on."""
    dice = random.Random(seed)
    number = dice.choice((*ENDING, signal.SIGINT, signal.SIGTSTP, signal.SIGWINCH))
    with terminal("work_program.py", str(folder)) as it:
        it.until(b"\x1b[?1049h")
        it.type(b"go\r")
        ends = time.monotonic() + dice.random() * 1.5
        while time.monotonic() < ends:
            it.read()
        os.kill(it.pid, number)
        if number is signal.SIGTSTP:
            it.stopped()
            os.kill(it.pid, signal.SIGCONT)
        if number in (signal.SIGTSTP, signal.SIGWINCH):
            os.kill(it.pid, signal.SIGTERM)
        it.wait()
        settled(it, folder)


@pytest.mark.gate("R22")
@pytest.mark.parametrize(
    "seed",  # 1 hangs up, 5 stops it and goes on
    [pytest.param(n, marks=[] if n in (1, 5) else [pytest.mark.gate_only]) for n in range(54)],
)
def test_a_signal_at_a_random_moment(tmp_path: Path, seed: int) -> None:
    at_random(seed, tmp_path)
