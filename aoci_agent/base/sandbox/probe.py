"""The self-test of a box: what it promises is tried once, and again after every change of its parts."""

import hashlib
import json
import os
import secrets
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.box import Access, Box
from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import atomic_write
from aoci_agent.base.process import Limits, run_blocking
from aoci_agent.base.terminal import one_line

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_LIMITS = Limits(seconds=10.0)
# Prints what worked. The file it makes inside has no name, so that nothing shows in the workspace.
_CODE = """
import os, socket, sys
outside, secret, port = sys.argv[1:]
def works(name, attempt):
    try:
        attempt()
        print(name)
    except (OSError, AttributeError):
        pass
works("inside", lambda: os.open(".", os.O_TMPFILE | os.O_WRONLY))
if os.access(".", os.W_OK): print("inside")
works("outside", lambda: open(outside, "a").write("written"))
works("secret", lambda: print(open(secret).read()))
works("network", lambda: socket.create_connection(("127.0.0.1", int(port)), 1))
"""


@dataclass(frozen=True, slots=True)
class _Bait:
    """What the test tries to reach, in a folder of the agent's own."""

    outside: Path
    secret: Path
    word: str
    listener: socket.socket

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    @property
    def called(self) -> bool:
        """Whether anybody connected."""
        try:
            self.listener.accept()[0].close()
        except OSError:
            return False
        return True


def self_test(box: Box, root: Path, cache: Path, parts: str) -> str:
    """Why the box does not hold, or "". A good answer is remembered for this boot and these `parts`."""
    known = cache / f"tested-{box.kind}"
    mark = _mark(parts)
    with suppress(OSError):
        if known.read_text(encoding="ascii") == mark:
            return ""
    complaint = _tried(box, root, cache)
    if not complaint:
        with suppress(OSError):
            atomic_write(known, mark.encode())
    return complaint


def _mark(parts: str) -> str:
    """Boot, kernel, user, and this code: any other of them may answer differently."""
    try:
        boot = _BOOT.read_text()
    except OSError:
        boot = secrets.token_hex()
    code = [file.stat().st_mtime_ns for file in sorted(Path(__file__).parent.glob("*.py"))]
    everything = json.dumps([boot, *os.uname(), os.geteuid(), sys.executable, code, parts])
    return hashlib.blake2b(everything.encode(errors="surrogatepass")).hexdigest()


def _tried(box: Box, root: Path, cache: Path) -> str:
    with _bait(cache) as bait:
        argv = [sys.executable, "-I", "-S", "-c", _CODE]
        argv += [str(bait.outside), str(bait.secret), str(bait.port)]
        try:
            done = run_blocking(box.enter(argv, root, Access()), cwd=root, limits=_LIMITS)
        except ForModel as error:
            return str(error)
        told = done.stdout.decode(errors="replace").split()
        if done.exit_code != 0:
            errors = done.stderr.decode(errors="replace").strip().splitlines()
            return one_line(errors[-1] if errors else f"exit code {done.exit_code}", 200)
        if bait.outside.read_bytes():
            return "a program inside could write outside the workspace"
        if bait.word in told:
            return "a program inside could read what is hidden"
        if "network" in told or bait.called:
            return "a program inside could reach the network"
        inside = "inside" in told or not os.access(root, os.W_OK)
        return "" if inside else "the workspace cannot be written"


@contextmanager
def _bait(cache: Path) -> Generator[_Bait]:
    word = secrets.token_hex()
    outside, secret = (cache / f"bait-{secrets.token_hex(8)}" for _ in range(2))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        try:
            outside.touch(mode=0o600)
            secret.touch(mode=0o600)
            secret.write_text(word)
            yield _Bait(outside, secret, word, listener)
        finally:
            outside.unlink(missing_ok=True)
            secret.unlink(missing_ok=True)
