import errno
import io
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from queue import Full

import pytest
from support.ptys import TESTS, Terminal, terminal
from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread

from aoci_agent.tui.signals import drain

# What a terminal app has no reason to send; Textual's own output holds none of these.
NEVER = re.compile(
    rb"\x1b(?:\](?:52|0|2|8|9|1337);|P\+|_|c|\[2J|\[2K|\[1A|\[8m|\[3g)|[\x07\x08\x7f]"
)
POINTER = re.compile(rb"\x1b\]22;[a-z-]*(\x07|\x1b\\)")  # Textual sets the mouse pointer's shape

SCREEN = (str(TESTS / "support" / "screen_program.py"),)
REPLAY = (
    "-c",
    "import sys; from aoci_agent.tui.replay import run_replay, Trajectory\n"
    "sys.exit(run_replay(Trajectory('aoci-agent', ())))",
)
DEAF = (  # leads the session in place of the program, which nobody tells that the window is closed
    "-c",
    "import signal, subprocess, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    "sys.exit(subprocess.call([sys.executable, *sys.argv[1:]]))",
)


@pytest.fixture
def screen() -> Iterator[Terminal]:
    with terminal("screen_program.py") as it:
        yield it


def restored(it: Terminal) -> bool:
    """Left the alternate screen, showed the cursor again, stopped mouse and paste modes."""
    ends = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?2004l")
    return it.restored and all(end in it.output for end in ends)


@pytest.mark.gate("T18", "T20", "T21")
def test_nothing_foreign_reaches_the_terminal(screen: Terminal) -> None:
    screen.until(b"aoci-agent")
    screen.type(b"go\r")
    screen.until(b"Run this command?")
    screen.type(b"yyy\r")  # typed while the question pops up: words for the prompt
    screen.until(b"yyy")
    pause = 0.8
    while b"you denied" not in screen.output:  # once nobody has typed for a moment: no is chosen
        screen.type(b"\r")
        ends = time.monotonic() + pause
        pause *= 2  # a busy machine must find a moment without keys, too
        while time.monotonic() < ends and b"you denied" not in screen.output:
            assert screen.read(), screen.output[-600:]
    screen.type(b"\x03\x03\x04")
    assert screen.wait() == 0
    own = screen.output.split(b"\x1b[?1049h", 1)[1].split(b"\x1b[?1049l", 1)[0]
    assert not NEVER.search(POINTER.sub(b"", own))
    assert restored(screen)


def test_keys_typed_at_once_are_echoed_and_kept(screen: Terminal) -> None:
    screen.type(b"early bord\x7f\x7f\x7fird")  # backspaces must not overtake letters
    screen.until(b"early bird")
    screen.type(b"\x03\x03\x03")
    assert screen.wait() == 0


@pytest.mark.gate("R22")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_terminal(screen: Terminal, number: signal.Signals) -> None:
    screen.until(b"aoci-agent")
    os.kill(screen.pid, number)
    assert screen.wait() == 128 + number
    assert restored(screen)


@pytest.mark.gate("R22")
@pytest.mark.parametrize("after", [0, 0.05, 0.2])
@pytest.mark.parametrize("program", [SCREEN, REPLAY], ids=["screen", "replay"])
def test_a_closed_window_ends_it(program: tuple[str, ...], after: float) -> None:
    with terminal(*program) as it:
        it.until(b"aoci-agent")
        it.hang_up()
        time.sleep(after)
        os.kill(it.pid, signal.SIGCONT)  # so does the system when a shell leaves
        assert it.ended() == 128 + signal.SIGHUP


@pytest.mark.gate("R22")
@pytest.mark.parametrize("program", [SCREEN, REPLAY], ids=["screen", "replay"])
def test_a_closed_window_is_noticed_without_a_signal(program: tuple[str, ...]) -> None:
    with terminal(*DEAF, *program) as it:
        it.until(b"aoci-agent")
        it.hang_up()
        assert it.ended() == 128 + signal.SIGHUP


class Gone(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.EIO, "gone")


@pytest.mark.gate("R22")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_nothing_waits_for_a_terminal_that_takes_no_more() -> None:
    writer = WriterThread(Gone())
    writer.start()
    threading.Thread(target=drain, args=(writer,), daemon=True).start()
    for _ in range(MAX_QUEUED_WRITES * 3):
        try:
            writer._queue.put("x", timeout=10)  # pyright: ignore[reportPrivateUsage]
        except Full:
            pytest.fail("it waits")
