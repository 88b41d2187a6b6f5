"""What a pty test of the screen says, and watching how it is cleaned. Import it before the screen.

`hostile_program.py hostile|plain|raw REPORT STRIDE`. "plain" says harmless words; "hostile" says each
STRIDE-th payload; "raw" takes the cleaning away and says, at each place, a clipboard sequence with its name.
REPORT gets what went through which function of the screen, and how many clickable cells were painted.
"""

import inspect
import sys
from pathlib import Path

from support.hostile import ALL

from aoci_agent.base import terminal

KIND, REPORT, STRIDE = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
WORDS = tuple(f"word{number:03d}\tof [ours]" for number in range(20))
TEXTS = {"plain": WORDS, "hostile": ALL[::STRIDE], "raw": ("",)}[KIND]
GROUP, LONG = 90, 230  # characters: what a narrow place and a wide one show uncut
seen: dict[str, set[int]] = {}
asked: set[str] = set()
_clean, _one_line = terminal.clean, terminal.one_line


def site() -> str:
    """The function of the product that asked for cleaning: `widgets/call.py:Call._tail`."""
    frame = inspect.currentframe()
    while frame is not None:
        file = frame.f_code.co_filename.partition("/aoci_agent/")[2]
        if file and file not in ("base/terminal.py", "tui/foreign.py"):
            return f"{file}:{frame.f_code.co_qualname.partition('.<locals>')[0]}"
        frame = frame.f_back
    return ""


def note(text: str) -> None:
    if KIND == "hostile":
        found = {number for number, each in enumerate(TEXTS) if each in text}
        seen.setdefault(site(), set()).update(found)


def watched_clean(text: str) -> str:
    note(text)
    return text if KIND == "raw" else _clean(text)


def watched_line(text: str, width: int) -> str:
    note(text)
    return text.replace("\n", " ") if KIND == "raw" else _one_line(text, width)


# Before any module of the screen takes them by name.
terminal.clean, terminal.one_line = watched_clean, watched_line
