"""A program in a real pseudo terminal, and reading what it sends there."""

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
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).parents[1]
PARTS = re.compile(
    r"\x1b\[(?P<private>[<-?]?)(?P<numbers>[0-9:;]*)(?P<final>[ -/]*[@-~])"
    r"|(?P<command>\x1b\][^\x07\x1b]*(?:\x07|\x1b\\))"
    r"|(?P<string>\x1b[P_^X][^\x1b]*\x1b\\)"
    r"|(?P<escape>\x1b[ -/]*[0-~]?)"
    r"|(?P<control>[\x00-\x1f\x7f-\x9f])"
)


class Terminal:
    """A program on its own terminal. `environment` is added to this one's; None takes a name away."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        environment: Mapping[str, str | None] | None = None,
        size: tuple[int, int] = (120, 40),
    ) -> None:
        made: dict[str, str | None] = {**os.environ, "TERM": "xterm-256color"}
        made["PYTHONPATH"] = os.pathsep.join((str(TESTS), str(TESTS.parent)))
        made.update(environment or {})
        child = {name: value for name, value in made.items() if value is not None}
        master, slave = pty.openpty()
        self.resize(*size, master)
        modes = termios.tcgetattr(slave)
        modes[3] &= ~termios.ECHO  # else the kernel shows early keys, not the program
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(master)
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                for number in range(3):
                    os.dup2(slave, number)
                os.chdir(cwd or TESTS)
                os.execve(argv[0], list(argv), child)
            finally:
                os._exit(127)
        self.file, self._slave = master, slave  # held: so the modes can be read after its end
        self._open = True
        self.modes = termios.tcgetattr(slave)
        self.output = b""
        self.exit_code: int | None = None

    def resize(self, columns: int, rows: int, file: int | None = None) -> None:
        """As a person drags the window; the program gets SIGWINCH."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.file if file is None else file, termios.TIOCSWINSZ, size)

    def type(self, keys: bytes) -> None:
        os.write(self.file, keys)

    def until(self, words: bytes, seconds: float = 30.0) -> None:
        """Read until the program showed `words`."""
        start, ends = len(self.output), time.monotonic() + seconds
        while words not in self.output[max(0, start - 4000) :]:
            assert time.monotonic() < ends, f"{words!r} was never shown: {self.output[-600:]!r}"
            assert self.read(), f"the program ended: {self.output[-600:]!r}"

    def read(self) -> bool:
        """Take what is there; False when the program has ended."""
        return bool(_take(self)) or not self._ended()

    def stopped(self, seconds: float = 30.0) -> None:
        """Read until it is stopped: it first says what it still had to say."""
        ends = time.monotonic() + seconds
        while (status := os.waitpid(self.pid, os.WUNTRACED | os.WNOHANG)[1]) == 0:
            assert time.monotonic() < ends, "it does not stop"
            _take(self)
        assert os.WIFSTOPPED(status), "it ended"

    def wait(self, seconds: float = 60.0) -> int:
        """Read to the end; the exit code."""
        finish(self, seconds=seconds)
        assert self.exit_code is not None
        return self.exit_code

    @property
    def restored(self) -> bool:
        """The modes of the terminal are what they were before the program."""
        return termios.tcgetattr(self._slave) == self.modes

    def hang_up(self) -> None:
        """Close its window."""
        os.close(self.file)
        os.close(self._slave)
        self._open = False

    def ended(self, seconds: float = 20.0) -> int:
        """Wait without reading; the exit code."""
        ends = time.monotonic() + seconds
        while not self._ended():
            assert time.monotonic() < ends, "it does not end"
            time.sleep(0.02)
        assert self.exit_code is not None
        return self.exit_code

    def close(self) -> None:
        """End whatever still runs on it."""
        if not self._ended():
            os.kill(self.pid, signal.SIGCONT)
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self._open:
            self.hang_up()

    def _ended(self) -> bool:
        if self.exit_code is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self.exit_code = os.waitstatus_to_exitcode(status)
        return self.exit_code is not None


@contextmanager
def terminal(
    *argv: str,
    cwd: Path | None = None,
    environment: Mapping[str, str | None] | None = None,
    size: tuple[int, int] = (120, 40),
) -> Generator[Terminal]:
    """`python ARGV` on a terminal; a first word that ends in .py is a program of tests/support."""
    words = (str(TESTS / "support" / argv[0]), *argv[1:]) if argv[0].endswith(".py") else argv
    it = Terminal((sys.executable, *words), cwd=cwd, environment=environment, size=size)
    try:
        yield it
    finally:
        it.close()


def finish(*terminals: Terminal, seconds: float = 300.0) -> None:
    """Read from all of them until their programs have ended."""
    ends = time.monotonic() + seconds
    while terminals:
        assert time.monotonic() < ends, f"it does not end: {terminals[0].output[-600:]!r}"
        ready = _take(*terminals)
        terminals = tuple(it for it in terminals if it in ready or not it._ended())  # pyright: ignore[reportPrivateUsage]


def _take(*terminals: Terminal) -> list[Terminal]:
    """Read once from those that have something; waits a tenth of a second for the first."""
    ready, _, _ = select.select([it.file for it in terminals], [], [], 0.1)
    found = [it for it in terminals if it.file in ready]
    for it in found:
        it.output += os.read(it.file, 65536)
    return found


def sequences(output: bytes) -> set[str]:
    """The kinds of control sequences in the output; colours and clipboard texts one by one.

    Cursor moves are one kind whatever their numbers. Raises UnicodeDecodeError for bytes that are
    no text.
    """
    found: set[str] = set()
    for part in PARTS.finditer(output.decode()):
        if part["final"] == "m" and not part["private"]:
            found.update(f"colour {atom}" for atom in _atoms(part["numbers"]))
        elif part["final"]:
            numbers = part["numbers"] if part["private"] else "N" * bool(part["numbers"])
            found.add(f"CSI {part['private']}{numbers}{part['final']}")
        else:
            found.add(part[0])
    return found


def _atoms(numbers: str) -> Iterator[str]:
    """Each attribute of a colour sequence: "1", "38;2;10;20;30"."""
    parts = numbers.split(";")
    while parts:
        size = {"2": 5, "5": 3}.get(parts[1], 1) if parts[0] in ("38", "48") and parts[1:] else 1
        yield ";".join(parts[:size])
        parts = parts[size:]


def words(output: bytes) -> str:
    """What is left without control sequences."""
    return PARTS.sub("", output.decode())
