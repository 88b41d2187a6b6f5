"""Which box a session gets: the strongest that holds here, and the reason why it is not a stronger one."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from aoci_agent.base.box import Box, Unboxed
from aoci_agent.base.environment import find_program
from aoci_agent.base.files import atomic_write
from aoci_agent.base.sandbox.bubblewrap import Bubblewrap
from aoci_agent.base.sandbox.landlock import Landlock, version
from aoci_agent.base.sandbox.layout import GIT_SETTINGS, IDENTITY, Layout, layout_of
from aoci_agent.base.sandbox.mountpoints import MountPoints
from aoci_agent.base.sandbox.probe import self_test
from aoci_agent.base.sandbox.seatbelt import Seatbelt
from aoci_agent.base.sandbox.temporary import Temporary

NOT_INSTALLED = "bubblewrap is not installed"
_SETTINGS = {
    "kernel/apparmor_restrict_unprivileged_userns": "1",
    "kernel/unprivileged_userns_clone": "0",
    "user/max_user_namespaces": "0",
}
NO_LANDLOCK = "the kernel has no Landlock"


def open_box(
    root: Path,
    own: Sequence[Path],
    cache: Path,
    env: Mapping[str, str],
    readable: Sequence[Path] = (),
) -> Box:
    """The box of a workspace, after its self-test; 150 ms the first time, then some milliseconds.

    `own` are the agent's folders of settings, records and caches, which are hidden; `cache` is this
    repository's folder in them, for the state of the box; `readable` are folders in them that are
    shown after all, such as that of long outputs, which are made where they are missing. Never raises for what the system lacks:
    the box says how strong it is, what it leaves open, and `why` there is no stronger one.
    """
    folder = cache / "box"
    scratch = folder / "caches"
    try:
        scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(folder / GIT_SETTINGS, IDENTITY)
        for one in (*own, *readable):  # what is made later would not be hidden, or not be shown
            one.mkdir(parents=True, exist_ok=True, mode=0o700)
        layout = layout_of(root, own, scratch, env, readable)
    except OSError as error:
        return Unboxed(f"its folder cannot be made: {error}")
    if sys.platform == "darwin":
        return _seatbelt(layout, folder)
    if sys.platform != "linux":
        return Unboxed(f"there is none for {sys.platform}")
    return strongest(layout, folder, find_program("bwrap", outside=layout.root))


def strongest(layout: Layout, folder: Path, program: str | None) -> Box:
    """The box on Linux, where `program` is its bubblewrap, and `folder` holds the state of the box."""
    machine = os.uname().machine
    points, temporary = MountPoints(folder / "mountpoints"), Temporary(folder / "tmp")
    points.sweep()
    with suppress(OSError):  # what cannot be swept now can be later
        temporary.sweep()
    if program is None:
        why = NOT_INSTALLED
    else:
        strong = Bubblewrap(program, layout, points, machine, temporary)
        known = Path(program).stat()
        parts = f"{strong!r} {known.st_mtime_ns} {known.st_size}"
        why = self_test(strong, layout.root, folder, parts)
        if not why:
            return strong
        why = f"bubblewrap does not work here: {why}{_forbidden()}"
    abi = version()
    if not abi:
        return Unboxed(f"{why}; {NO_LANDLOCK}")
    partial = Landlock(layout, temporary, abi, machine, why)
    failed = self_test(partial, layout.root, folder, repr(partial))
    return Unboxed(f"{why}; Landlock does not work here: {failed}") if failed else partial


def _forbidden() -> str:
    """Which setting of this system refuses user namespaces, in words to add to a reason."""
    for path, value in _SETTINGS.items():
        with suppress(OSError):
            if Path("/proc/sys", path).read_text().strip() == value:
                return f" ({path.replace('/', '.')} is {value})"
    return ""


def _seatbelt(layout: Layout, folder: Path) -> Box:
    box = Seatbelt(layout)
    failed = self_test(box, layout.root, folder, repr(box))
    return Unboxed(f"seatbelt does not work here: {failed}") if failed else box
