"""The strong layer: a file system of its own by bubblewrap, and the filter of system calls."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aoci_agent.base.box import Access, Entry, Strength
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.sandbox import seccomp
from aoci_agent.base.sandbox.layout import (
    RUNTIME,
    TEMPORARY,
    Layout,
    guarded,
    writable,
)
from aoci_agent.base.sandbox.limits import file_bytes, limited, temporary_bytes
from aoci_agent.base.sandbox.mountpoints import MountPoints
from aoci_agent.base.sandbox.sockets import listening
from aoci_agent.base.sandbox.surroundings import environment
from aoci_agent.base.sandbox.temporary import Temporary

_SMALL = 16 << 20
_HOME = 256 << 20
_NAMES = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf")  # often links into /run
_NAMESPACES = ("user", "pid", "ipc", "uts", "cgroup-try")
NO_FILTER = "asynchronous system calls, user namespaces of its own: no filter for this machine"
LINKED = "{} is a link, which a command can replace"


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Runs programs in a view of the file system made for one workspace."""

    program: str
    layout: Layout
    points: MountPoints
    machine: str
    temporary: Temporary = field(repr=False)  # is no part of what was tried
    kind: str = "bubblewrap"
    why: str = ""

    @property
    def gaps(self) -> tuple[str, ...]:
        """None, where the machine is known and git's folder is not a link."""
        unfiltered = () if seccomp.program(self.machine, ()) else (NO_FILTER,)
        links = guarded(self.layout.root).links
        return (*unfiltered, *(LINKED.format(link.name) for link in links))

    @property
    def strength(self) -> Strength:
        """Strong, unless something is left open."""
        return Strength.PARTIAL if self.gaps else Strength.STRONG

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        """The command inside. What it holds in the workspace is let go of by `leave`."""
        held, leave = self._held(access)
        try:
            return self._entry(argv, cwd, access, held, leave)
        except OSError as error:
            leave()
            raise NotPossible(f"the sandbox cannot be set up: {error}") from error
        except BaseException:
            leave()
            raise

    def _held(self, access: Access) -> tuple[tuple[Path, ...], Callable[[], None]]:
        if not access.write:
            return (), lambda: None
        try:
            return self.points.hold(guarded(self.layout.root).names)
        except OSError as error:
            raise NotPossible(f"the sandbox cannot be set up: {error}") from error

    def _entry(
        self,
        argv: Sequence[str],
        cwd: Path,
        access: Access,
        held: tuple[Path, ...],
        leave: Callable[[], None],
    ) -> Entry:
        cwd = cwd.resolve()
        options = [self.program, *(f"--unshare-{name}" for name in _NAMESPACES)]
        if not access.network:
            options.append("--unshare-net")
        options += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        options += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        mounts = _tmpfs(Path("/dev/shm"), _HOME)
        mounts += self._mounts(cwd, access, held)
        filters = self._filter(access)
        limits = limited(tuple(argv), file_bytes(self.layout.root))
        seccomp_option = ["--seccomp", str(filters[0])] if filters else []
        return Entry(
            (*options, *mounts, *seccomp_option, "--chdir", str(cwd), "--", *limits),
            environment(self.layout, TEMPORARY[0], access),
            filters,
            leave,
            whole=True,
        )

    def _mounts(self, cwd: Path, access: Access, held: tuple[Path, ...]) -> list[str]:
        """The options in order: what lies deeper is mounted later, and so is what holds."""
        layout = self.layout
        state = guarded(layout.root)
        steps: dict[Path, list[str]] = {}
        for path in layout.hidden:
            if os.access(path, os.F_OK):  # what cannot be reached needs no cover
                steps[path] = _tmpfs(path, _size(path, layout)) if path.is_dir() else _empty(path)
        kept = TEMPORARY[0].resolve()
        if kept in steps and access.write:  # it lasts for the session: what one command puts there
            steps[kept] = ["--bind", str(self.temporary.folder()), str(kept)]
        steps |= {path: _bound("--ro-bind-try", path) for path in layout.shown}
        if access.network:
            steps |= {path: _bound("--ro-bind", path) for path in _resolving()}
        steps |= {path: _bound("--bind", path) for path in writable(layout, cwd)}
        steps[layout.root] = _bound("--bind" if access.write else "--ro-bind", layout.root)
        seen = (layout.root, *layout.shown)
        steps |= {
            path: _bound("--ro-bind", path)
            for path in state.there
            if path not in held and any(map(path.is_relative_to, seen))
        }
        steps |= {path: [*_tmpfs(path, _SMALL), "--remount-ro", str(path)] for path in held}
        visible = (*seen, layout.scratch)
        steps |= {path: _empty(path) for path in listening(visible, layout.hidden)}
        if access.write:
            self._mount_points(kept, steps)
        ordered = sorted(steps, key=lambda path: len(path.parts))
        made = [option for path in ordered for option in steps[path]]
        # Shown empty is not writable: what a command put there would be gone with it, and look done.
        empty = [path for path in layout.hidden if path in steps and path.is_dir()]
        closed = [path for path in empty if path not in (*TEMPORARY, RUNTIME)]
        return made + [option for path in closed for option in ("--remount-ro", str(path))]

    def _mount_points(self, kept: Path, steps: Iterable[Path]) -> None:
        """In the folder of the session, which commands write, nothing may lead a mount elsewhere."""
        for path in steps:
            if path != kept and path.is_relative_to(kept) and os.access(path, os.F_OK):
                self.temporary.mount_point(path.relative_to(kept), folder=path.is_dir())

    def _filter(self, access: Access) -> tuple[int, ...]:
        # With the network comes the host's abstract name space, where session buses listen.
        local = seccomp.ROUTES if access.network else (*seccomp.LOCAL, *seccomp.ROUTES)
        code = seccomp.program(self.machine, (*seccomp.INTERNET, *local))
        if code is None:
            return ()
        descriptor = os.memfd_create("filter")
        os.write(descriptor, code)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return (descriptor,)


def _tmpfs(path: Path, size: int) -> list[str]:
    return ["--size", str(size), "--tmpfs", str(path)]


def _empty(path: Path) -> list[str]:
    return ["--ro-bind", "/dev/null", str(path)]


def _bound(option: str, path: Path) -> list[str]:
    return [option, str(path), str(path)]


def _size(path: Path, layout: Layout) -> int:
    if path in TEMPORARY:
        return temporary_bytes()
    return _HOME if path == layout.home else _SMALL


def _resolving() -> Iterable[Path]:
    """The files that say how names are looked up, where they really lie."""
    real = (Path(name).resolve() for name in _NAMES)
    return (path for path in real if path.is_relative_to(RUNTIME) and path.is_file())
