"""Ending a command with everything it started, also what fled into a session of its own.

A killpg reaches only the command's own process group. On Linux this process therefore becomes a
child subreaper, every command carries a mark in its environment, and after the command /proc is
searched for processes of its group, its session or with its mark, and for orphans that came to us
without a mark and were born during the command. Elsewhere only the group is ended.
"""

import ctypes
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

MARK = "AOCI_AGENT_COMMAND"
GRACE = 0.5  # seconds between SIGTERM and SIGKILL
_LAST_RESORT = 3.0  # seconds after which a process that cannot be killed is given up
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_LINUX = sys.platform == "linux"


def _new_mark() -> str:
    """The mark of this process goes first, where this process is itself a command of another one."""
    return "/".join(filter(None, (os.environ.get(MARK), uuid.uuid4().hex)))


@dataclass(eq=False)
class Command:
    """One started program: its process, the mark in its environment, its birth in clock ticks.

    The leader of a `boxed` one is the box itself: everything inside dies with it, at once.
    """

    mark: str = field(default_factory=_new_mark)
    pid: int = 0
    born: int = 0
    boxed: bool = False


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    state: str
    parent: int
    group: int
    session: int
    born: int


_commands: set[Command] = set()  # whose leaders this process waits for
_lock = threading.RLock()  # keeps a sweep from seeing a half-started one


@contextmanager
def starting(command: Command) -> Generator[None]:
    """Around the fork: the body must set `command.pid`."""
    _become_subreaper()
    with _lock:
        command.born = _now()
        yield
        _commands.add(command)


def forget(command: Command) -> None:
    """After the leader was waited for: its process id may belong to anyone now."""
    with _lock:
        _commands.discard(command)


def end(command: Command, *, leader_too: bool) -> None:
    """Stop all that is left of the command: SIGTERM, a grace of 0.5 s, SIGKILL. Blocks up to 3.5 s.

    With `leader_too` false the leader has ended by itself, but has not been waited for. The leader
    is never waited for here; orphans that came to this process are.
    """
    if not _LINUX:
        _end_group(command, leader_too=leader_too)
        return
    if _signal_all(command, signal.SIGTERM) or leader_too:
        deadline = time.monotonic() + GRACE
        while _living(command) and time.monotonic() < deadline:
            time.sleep(0.01)
        deadline = time.monotonic() + _LAST_RESORT
        while _signal_all(command, signal.SIGKILL) and time.monotonic() < deadline:
            time.sleep(0.005)
    _reap(command)


def end_all() -> None:
    """Stop every command of this process, those of other threads too; whoever waits sees it killed."""
    with _lock:
        running = tuple(_commands)
    for command in running:
        end(command, leader_too=True)


def _end_group(command: Command, *, leader_too: bool) -> None:
    with suppress(OSError):
        os.killpg(command.pid, signal.SIGTERM)
        time.sleep(GRACE if leader_too else 0.05)
        os.killpg(command.pid, signal.SIGKILL)


def _signal_all(command: Command, number: signal.Signals) -> int:
    """Signal every living process of the command; how many there were."""
    with _lock:
        found = _living(command)
        if number == signal.SIGTERM and command.boxed:
            # The box goes last, so that what is inside has its grace.
            found = [process for process in found if process.pid != command.pid]
        for process in found:
            with suppress(OSError):
                os.kill(process.pid, number)
            with suppress(OSError):
                os.kill(process.pid, signal.SIGCONT)
    return len(found)


def _living(command: Command) -> list[_Process]:
    with _lock:
        return [
            process
            for process in _processes(command.born)
            if process.state not in "ZX" and _belongs(process, command)
        ]


def _belongs(process: _Process, command: Command) -> bool:
    if command.pid in (process.pid, process.group, process.session):
        return True
    mark = _mark(process.pid)
    if mark:
        return f"{mark}/".startswith(f"{command.mark}/")
    return _is_orphan(process)


def _is_ours(*pids: int) -> bool:
    return any(command.pid in pids for command in _commands)


def _is_orphan(process: _Process) -> bool:
    """A child of this process that it did not start, outside every session that it knows of.

    Code that starts programs in sessions of their own without this module would be mistaken for
    it, if it did so while a command runs; there is no such code here.
    """
    return (
        process.parent == os.getpid()
        and process.session != os.getsid(0)
        and not _is_ours(process.pid, process.session, process.group)
    )


def _reap(command: Command) -> None:
    """Wait for the dead that became our children, those of programs that still run too."""
    with _lock:
        leaders = {one.pid for one in _commands}
        for process in _processes(min(one.born for one in (command, *_commands))):
            if (
                process.state == "Z"
                and process.parent == os.getpid()
                and process.session != os.getsid(0)
                and process.pid not in (command.pid, *leaders)
            ):
                with suppress(OSError):
                    os.waitpid(process.pid, os.WNOHANG)


def _processes(born: int) -> list[_Process]:
    """All processes that are not older than `born` (a boot time in clock ticks)."""
    with os.scandir("/proc") as entries:
        found = [_process(int(entry.name)) for entry in entries if entry.name.isdecimal()]
    return [process for process in found if process is not None and process.born >= born]


def _process(pid: int) -> _Process | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name in parentheses may itself hold spaces and parentheses.
    fields = text[text.rfind(b")") + 2 :].split()
    return _Process(
        pid, fields[0].decode(), int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19])
    )


def _mark(pid: int) -> str:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return ""
    start = f"{MARK}=".encode()
    for variable in environment.split(b"\0"):
        if variable.startswith(start):
            return variable[len(start) :].decode(errors="replace")
    return ""


def _now() -> int:
    """The time since boot in the clock ticks of /proc."""
    if not _LINUX:
        return 0
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


@cache
def _become_subreaper() -> None:
    """Let orphans of our commands become our children, so that they can be found and waited for."""
    if _LINUX:
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
