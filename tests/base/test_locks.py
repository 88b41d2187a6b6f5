"""Locks: one that is held for a moment only, one that stays, and who has it after its holder died."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import aoci_agent
from aoci_agent.base.box import Access, Unboxed
from aoci_agent.base.child import start
from aoci_agent.base.locks import alone, opened, take, tried
from aoci_agent.base.regular import closing
from aoci_agent.base.sandbox.ladder import open_box

# Holds the lock, starts a child that is not yet another program, and is killed.
DIES_STARTING = """
import os, signal, sys, time
from pathlib import Path
from aoci_agent.base.locks import opened, take
take(opened(Path(sys.argv[1])))
child = os.fork()
if child == 0:
    time.sleep(0.05)
    os.execvp("sleep", ["sleep", "60"])
print(child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """The same file opened twice, the first has it."""
    files = [opened(tmp_path / "made" / "lock") for _ in range(2)]
    assert tried(files[0])
    yield files[0], files[1]
    for file in files:
        os.close(file)


@pytest.mark.gate("R23")
def test_what_a_dying_process_still_holds_is_waited_for(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    argv = [sys.executable, "-c", DIES_STARTING, str(lock)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        child = int(holder.stdout.readline())
        holder.wait()
        mine = opened(lock)
        try:
            take(mine)  # the program that was being started runs on, and has it no more
        finally:
            os.kill(child, signal.SIGKILL)
            os.close(mine)


@pytest.mark.gate("R23")
def test_what_somebody_keeps_is_refused(two: tuple[int, int]) -> None:
    with pytest.raises(BlockingIOError):
        take(two[1])
    assert not tried(two[1], shared=True)


def test_those_who_share_it_keep_out_the_one_who_wants_it_alone(two: tuple[int, int]) -> None:
    assert tried(two[0], shared=True)
    assert tried(two[1], shared=True)
    assert not tried(two[1])


def test_who_waits_has_it_after_the_other(two: tuple[int, int], tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with alone(tmp_path / "made" / "lock"):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    time.sleep(0.05)
    order.append("first")
    fcntl.flock(two[0], fcntl.LOCK_UN)
    thread.join()
    assert order == ["first", "second"]


@pytest.mark.gate("T29")
def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("victim")
    with pytest.raises(OSError, match="symbolic links"):
        opened(tmp_path / "lock")
    assert not (tmp_path / "victim").exists()


@pytest.mark.gate("R23")
@pytest.mark.parametrize("layer", ["none", "partial", "strongest"])
def test_a_program_that_is_started_does_not_keep_it(
    layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if layer == "partial":
        monkeypatch.setenv("PATH", "")
    root = tmp_path / "work"
    root.mkdir()
    box = Unboxed() if layer == "none" else open_box(root, (), tmp_path / "cache", os.environ)
    mine = opened(tmp_path / "lock")
    take(mine)
    argv = (sys.executable, "-c", "import time; print(flush=True); time.sleep(60)")
    child = start(box.enter(argv, root, Access()), root, None, None, subprocess.STDOUT)
    try:
        assert child.stdout.read(1) == b"\n"
        os.close(mine)
        with closing(opened(tmp_path / "lock")) as again:
            assert tried(again)
    finally:
        child.finish()
        child.close()


def test_nowhere_else_a_lock_is_taken_by_hand() -> None:
    package = Path(aoci_agent.__file__).parent
    files = {file.name for file in package.rglob("*.py") if "flock(" in file.read_text()}
    assert files == {"locks.py"}
