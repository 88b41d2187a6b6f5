import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
# What a terminal app has no reason to send; Textual's own output holds none of these.
NEVER = (
    b"\x1b]52",
    b"\x1b]0;",
    b"\x1b]2;",
    b"\x1b]8;",
    b"\x1b]9",
    b"\x1b]1337",
    b"\x1bP+",
    b"\x1b_",
    b"\x1bc",
)

POINTER = re.compile(
    rb"\x1b\]22;[a-z-]*(\x07|\x1b\\)"
)  # Textual sets the shape of the mouse pointer


class Terminal:
    """The screen in a real pseudo terminal."""

    def __init__(self) -> None:
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            paths = os.pathsep.join((str(TESTS), str(TESTS.parent)))
            environment = {**os.environ, "PYTHONPATH": paths, "TERM": "xterm-256color"}
            program = str(TESTS / "support" / "screen_program.py")
            os.execve(sys.executable, [sys.executable, program], environment)
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        modes = termios.tcgetattr(self.file)
        modes[3] &= ~termios.ECHO  # else the kernel shows early keys, not the program
        termios.tcsetattr(self.file, termios.TCSANOW, modes)
        self.output = b""
        self.exit_code: int | None = None

    def type(self, keys: bytes) -> None:
        os.write(self.file, keys)

    def until(self, words: bytes, seconds: float = 20.0) -> None:
        start, ends = len(self.output), time.monotonic() + seconds
        while words not in self.output[max(0, start - 4000) :]:
            assert time.monotonic() < ends, f"{words!r} was never shown: {self.output[-600:]!r}"
            assert self.read(), f"the program ended: {self.output[-600:]!r}"

    def read(self) -> bool:
        ready, _, _ = select.select([self.file], [], [], 0.2)
        if not ready:
            return True
        try:
            piece = os.read(self.file, 65536)
        except OSError:  # the other side is closed
            return False
        self.output += piece
        return bool(piece)

    def wait(self) -> int:
        while self.read():
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                break
        else:
            _, status = os.waitpid(self.pid, 0)
        self.exit_code = os.waitstatus_to_exitcode(status)
        while select.select([self.file], [], [], 0.1)[0] and self.read():
            pass
        return self.exit_code


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    it = Terminal()
    yield it
    if it.exit_code is None:
        os.kill(it.pid, signal.SIGKILL)
        os.waitpid(it.pid, 0)
    os.close(it.file)


def restored(output: bytes) -> bool:
    """Left the alternate screen, showed the cursor again, stopped mouse and paste modes."""
    ends = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?2004l")
    return all(end in output for end in ends)


def test_nothing_foreign_reaches_the_terminal(terminal: Terminal) -> None:
    terminal.until(b"aoci-agent")
    terminal.type(b"go\r")
    terminal.until(b"HEARD")
    terminal.until(b"Run this command?")
    time.sleep(0.5)
    terminal.type(b"n")
    terminal.until(b"you denied")
    terminal.type(b"\x04")
    assert terminal.wait() == 0
    assert not [sequence for sequence in NEVER if sequence in terminal.output]
    own = terminal.output.split(b"\x1b[?1049h", 1)[1].split(b"\x1b[?1049l", 1)[0]
    own = POINTER.sub(b"", own)
    for sequence in (
        b"\x1b[2J",
        b"\x1b[2K",
        b"\x1b[1A",
        b"\x1b[8m",
        b"\x1b[3g",
        b"\x07",
        b"\x08",
        b"\x7f",
    ):
        assert sequence not in own
    assert restored(terminal.output)


def test_keys_typed_at_once_are_echoed_and_kept(terminal: Terminal) -> None:
    terminal.type(b"early bord\x7f\x7f\x7fird")  # backspaces must not overtake letters
    terminal.until(b"early bird")
    terminal.type(b"\x03\x03\x03")
    assert terminal.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_terminal(terminal: Terminal, number: signal.Signals) -> None:
    terminal.until(b"aoci-agent")
    os.kill(terminal.pid, number)
    assert terminal.wait() == 128 + number
    assert restored(terminal.output)
