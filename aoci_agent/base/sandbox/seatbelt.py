"""macOS: a seatbelt profile for `/usr/bin/sandbox-exec`. UNTESTED: written from documentation only.

Apple calls the program deprecated, and other agents rely on it all the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.box import Access, Entry, Strength
from aoci_agent.base.sandbox.layout import Layout, guarded
from aoci_agent.base.sandbox.limits import file_bytes, limited
from aoci_agent.base.sandbox.surroundings import environment

PROGRAM = "/usr/bin/sandbox-exec"  # by its full path: never one from PATH
UNTESTED = "untested on macOS: what it lets through was never measured"
_TEMPORARY = Path("/private/tmp")
_SYSTEM = ("/private/var/folders", "/private/tmp", "/private/var/tmp")


@dataclass(frozen=True, slots=True)
class Seatbelt:
    """Runs programs under a profile made for one workspace."""

    layout: Layout
    kind: str = "seatbelt"
    strength: Strength = Strength.PARTIAL
    gaps: tuple[str, ...] = (UNTESTED,)
    why: str = "the layer for macOS is untested"

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        """The command under the profile."""
        limits = limited(tuple(argv), file_bytes(self.layout.root))
        text = profile(self.layout, access)
        return Entry(
            (PROGRAM, "-p", text, *limits),
            environment(self.layout, _TEMPORARY, access),
        )


def profile(layout: Layout, access: Access) -> str:
    """The profile's text. Later rules win: what is hidden comes before what is shown inside it."""
    hidden = [path for path in layout.hidden if str(path) not in _SYSTEM]
    state = guarded(layout.root)
    lines = [
        "(version 1)",
        "(deny default)",
        "(allow process-exec process-fork signal (target same-sandbox))",
        "(allow sysctl-read mach-lookup ipc-posix-shm ipc-posix-sem)",
        "(allow file-read*)",
        *(f"(deny file-read-data {_below(path)})" for path in hidden),
        *(f"(allow file-read* {_below(path)})" for path in (*layout.shown, layout.root)),
        f"(allow file-read* file-write* {_below(layout.scratch)})",
        *(f"(allow file-write* (subpath {_quoted(path)}))" for path in _SYSTEM),
        '(allow file-write* (literal "/dev/null") (literal "/dev/tty"))',
    ]
    if access.write:
        lines.append(f"(allow file-write* {_below(layout.root)})")
        lines += [
            f"(deny file-write* {_below(path)})"
            for path in dict.fromkeys((*state.there, *state.names))
        ]
    lines.append("(allow network*)" if access.network else "(deny network*)")
    return "\n".join(lines) + "\n"


def _below(path: Path) -> str:
    return f"(subpath {_quoted(str(path))})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
