"""Nothing of the program waits for anybody to connect: there is no server to attack."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

LISTEN = "0A"  # in /proc/net/tcp
# The session is open. Before, the sandbox's self-test lets a listener of its own be knocked at.
OPENED = b"index"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc/net")


def listening(home: Path) -> list[str]:
    """Sockets that wait for a connection or a datagram, of every process with this HOME."""
    waiting: dict[str, str] = {}
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path("/proc/net", kind).read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == LISTEN or kind.startswith("udp"):
                waiting[f"socket:[{rest[5]}]"] = f"{kind} {local}"
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(f"HOME={home}\0") not in (process / "environ").read_bytes():
                continue
            open_files = [str(file.readlink()) for file in (process / "fd").iterdir()]
        except OSError:  # another user's, or ended just now
            continue
        found += [waiting[name] for name in open_files if name in waiting]
    return found


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "prices.py").write_text("def price():\n    return 1\n")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


@pytest.mark.gate("T14")
def test_the_screen_listens_nowhere(repository: Path) -> None:
    home = repository.parent
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(repository)
        os.closerange(3, 4096)  # what other tests of this process left open
        os.execve(sys.executable, [sys.executable, "-m", "aoci_agent"], environment(home))
    try:
        termios.tcsetwinsize(terminal, (40, 120))
        assert OPENED in shown(terminal, 60, OPENED)
        for _ in range(10):  # while it prepares what the first question needs
            assert listening(home) == []
            shown(terminal, 0.15)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def shown(terminal: int, seconds: float, until: bytes | None = None) -> bytes:
    """What the program prints, until it has printed this or the time is over."""
    output, ends = b"", time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0 and (until is None or until not in output):
        if select.select([terminal], [], [], left)[0]:
            output += os.read(terminal, 65_536)
    return output


@pytest.mark.gate("T14", control=True)
@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM"])
def test_a_program_that_listens_is_seen(tmp_path: Path, kind: str) -> None:
    code = (
        f"import socket, sys; s = socket.socket(type=socket.{kind}); s.bind(('127.0.0.1', 0)); "
        f"{'s.listen(); ' if kind == 'SOCK_STREAM' else ''}print('up', flush=True); sys.stdin.read()"
    )
    argv = [sys.executable, "-I", "-c", code]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, env=environment(tmp_path), stdin=pipe, stdout=pipe) as server:
        assert server.stdout
        assert server.stdout.readline() == b"up\n"
        assert len(listening(tmp_path)) == 1
        server.communicate()
