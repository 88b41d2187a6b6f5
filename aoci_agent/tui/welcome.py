"""The first block of the screen: what is open, and what is missing."""

from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from aoci_agent.tui import foreign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aoci_agent.agent.events import SessionStarted
    from aoci_agent.tui.session import Status

NAME = ("aoci-agent", "$text-primary bold")
OPENING = Content.assemble(NAME, ("  opening the repository…", "$muted"))
NO_MODEL = "no model: set a key or start a local server; /index works without"


def welcome(started: "SessionStarted", status: "Status", width: int) -> Content:
    """Three or four lines: program, repository, index, model."""
    room = max(20, width - 12)
    where = _home(started.root) + (f" on {status.branch}" if status.branch else "")
    lines = [
        Content.assemble(NAME, foreign.line(f" {started.version}", 30, "$muted")),
        _row("folder", foreign.line(where, room)),
        _row("index", foreign.line(status.index_status, room)),
    ]
    if status.model:
        words = f"{status.model}  policy {status.policy}  mode {status.mode}"
        lines.append(_row("model", foreign.line(words, room)))
    else:
        lines.append(Content.styled(NO_MODEL, "$text-warning"))
    return Content("\n").join(lines)


def offers(found: "Sequence[str]") -> str:
    """What answered on this machine, and how to choose it."""
    if not found:
        return "no local server answered on the usual ports; /model NAME chooses one"
    names = ", ".join(found[:6])
    return f"found: {names}\nchoose with /model {found[0]}"


def _row(name: str, content: Content) -> Content:
    return Content.assemble((f"{name:<8}", "$muted"), content)


def _home(root: str) -> str:
    try:
        return f"~/{Path(root).relative_to(Path.home()).as_posix()}".removesuffix("/.")
    except (ValueError, RuntimeError):
        return root
