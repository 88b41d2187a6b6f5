"""The partial layer: Landlock rules and the filter of system calls, where there is no bubblewrap.

Landlock only adds rights: what lies in a folder that may be written can be written. So git's own
files inside the workspace stay open, which is why this layer is called partial.
"""

import contextlib
import ctypes
import json
import os
import resource
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aoci_agent.base.box import Access, Entry, Strength
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.sandbox import seccomp
from aoci_agent.base.sandbox.layout import Layout, writable
from aoci_agent.base.sandbox.limits import TASKS, file_bytes
from aoci_agent.base.sandbox.surroundings import environment
from aoci_agent.base.sandbox.temporary import Temporary

_CREATE_RULESET = 444
_LAUNCHER = Path(__file__).with_name("landlock_child.py")
# Rights on files and folders, by the version of the interface that brought them.
_EXECUTE, _WRITE, _READ, _LIST, _REFER, _TRUNCATE, _DEVICE = 1, 2, 4, 8, 1 << 13, 1 << 14, 1 << 15
_FIRST = (1 << 13) - 1
_READING = _EXECUTE | _READ | _LIST
_TCP = 0b11  # bind and connect
_SCOPES = 0b11  # abstract sockets and signals
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")
SHARED = Path("/dev/shm")

# What was measured to get through (safety.md section 3), by the version that closes it.
GIT_OPEN = "write .git and .aoci-agent inside the workspace"
MODES = "change modes and times of your files outside it"
SEEN = "see which files exist and which programs run"
MEMORY = "use shared memory of your other programs"
LEFT = "run on when this program is killed"
ALWAYS = (GIT_OPEN, MODES, SEEN, MEMORY, LEFT)
UNTIL = {
    3: "empty files outside the workspace",
    6: "send signals to your other programs",
}


def version() -> int:
    """The version of the kernel's interface, 0 where there is none."""
    if sys.platform != "linux":
        return 0
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return max(0, int(library.syscall(_CREATE_RULESET, None, 0, 1)))


@dataclass(frozen=True, slots=True)
class Landlock:
    """Runs programs that restrict themselves before they start."""

    layout: Layout
    temporary: Temporary = field(repr=False)  # is no part of what was tried
    abi: int
    machine: str
    why: str
    strength: Strength = Strength.PARTIAL
    kind: str = "landlock"

    @property
    def gaps(self) -> tuple[str, ...]:
        """What this version of the kernel leaves open."""
        return (*ALWAYS, *(gap for since, gap in UNTIL.items() if self.abi < since))

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        """The command behind the launcher, with the temporary folder of the session."""
        try:
            temporary = self.temporary.folder()
        except OSError as error:
            raise NotPossible(f"the sandbox cannot be set up: {error}") from error
        everything = _filesystem(self.abi)
        root = everything if access.write else _READING
        network = _TCP if self.abi >= 4 and not access.network else 0
        families = (*(seccomp.INTERNET if access.network else ()), *seccomp.ROUTES)
        order = {
            "paths": [
                *([str(path), _READING] for path in self._readable(access)),
                *([str(path), everything] for path in (temporary, SHARED)),
                *([str(path), everything] for path in writable(self.layout, cwd.resolve())),
                *([str(path), root] for path in self._open(self.layout.root)),
                *([f"/dev/{name}", _READ | _WRITE | _LIST | _DEVICE] for name in _DEVICES),
            ],
            "filesystem": everything,
            "network": network,
            "scoped": _SCOPES if self.abi >= 6 else 0,
            "filter": (seccomp.program(self.machine, families) or b"").hex(),
            "limits": [
                [resource.RLIMIT_CORE, 0],
                [resource.RLIMIT_FSIZE, file_bytes(self.layout.root)],
                [resource.RLIMIT_NPROC, _running() + TASKS],
            ],
        }
        return Entry(
            (sys.executable, "-I", "-S", str(_LAUNCHER), json.dumps(order), *argv),
            environment(self.layout, temporary, access),
        )

    def _readable(self, access: Access) -> Iterator[Path]:
        layout = self.layout
        yield from around(Path("/"), (*layout.hidden, Path("/dev")))
        for path in layout.shown:
            yield from self._open(path)
        if access.network:
            yield Path("/etc/resolv.conf").resolve()

    def _open(self, path: Path) -> Iterator[Path]:
        """The folder, or what is left of it where something inside it is hidden."""
        inside = [one for one in self.layout.hidden if one != path and one.is_relative_to(path)]
        if inside:
            yield from around(path, inside)
        else:
            yield path


def around(folder: Path, hidden: Sequence[Path]) -> Iterator[Path]:
    """The entries of a folder that neither are hidden nor lead to what is; of those that do, theirs."""
    try:
        with os.scandir(folder) as entries:
            paths = [folder / entry.name for entry in entries]
    except OSError:
        return
    for path in sorted(paths):
        with contextlib.suppress(OSError, RuntimeError):
            real = path.resolve()
            if any(map(real.is_relative_to, hidden)):
                continue
            if not any(one.is_relative_to(real) for one in hidden):
                yield path
            elif not path.is_symlink():
                yield from around(path, hidden)


def _filesystem(abi: int) -> int:
    """All rights that this version knows: those that are not granted are refused."""
    rights = _FIRST
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _DEVICE)):
        rights |= right if abi >= since else 0
    return rights


def _running() -> int:
    """How many tasks the system has, since the limit counts those of the person elsewhere too."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return TASKS
