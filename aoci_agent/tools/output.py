"""What the model reads: within a token limit, and of programs without their screen control."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from aoci_agent.base import tokens
from aoci_agent.base.files import atomic_write
from aoci_agent.base.process import Outcome

T = TypeVar("T")
# No text worth reading has more characters to a token; longer need not be counted exactly.
CHARACTERS = 8
# Colour, cursor and title sequences: they cost tokens and say nothing.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_OVERWRITTEN = re.compile(r"^[^\n]*\r(?=[^\n])", re.MULTILINE)


def fit(items: list[T], render: Callable[[list[T]], str], limit: int) -> tuple[str, int]:
    """The text of the first items within `limit` tokens, at least of one; and how many they are."""
    count = len(items)
    while True:
        text = render(items[:count])
        size = tokens.count(text) if len(text) <= limit * CHARACTERS else len(text) // 4
        if size <= limit or count <= 1:
            return text, count
        # A little below the proportional share, because items differ.
        count = max(1, min(count - 1, int(count * limit / size * 0.98)))


def plain(output: str) -> str:
    """Text without escape sequences; of a line drawn over itself, the last state."""
    text = _ESCAPES.sub("", output).replace("\r\n", "\n")
    return _OVERWRITTEN.sub("", text).replace("\x00", "")


def within(text: str, limit: int, outcome: Outcome, spill_dir: Path) -> str:
    """The text cut in its middle to `limit` tokens, naming the file that has all of it."""
    cut = tokens.cut_middle(tokens.shorten_lines(text), limit)
    if not cut.omitted_lines and not cut.omitted_tokens and not outcome.omitted_bytes:
        return cut.text
    return f"{cut.text}\n[output was cut; all of it: {spilled(outcome, spill_dir)}]"


def spilled(outcome: Outcome, spill_dir: Path) -> str:
    """The path of a file with the whole output, written now if the process did not spill it."""
    if outcome.spill:
        return outcome.spill.as_posix()
    data = outcome.output.encode("utf-8", "surrogateescape")
    path = spill_dir / f"output-{hashlib.blake2b(data, digest_size=6).hexdigest()}.txt"
    spill_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    atomic_write(path, data)
    return path.as_posix()


def ending(outcome: Outcome) -> str:
    """How a program ended, said plainly."""
    if outcome.cancelled:
        return f"stopped after {outcome.seconds:.1f} s"
    if outcome.timed_out:
        return (
            f"killed: still running after {outcome.seconds:.0f} s (raise timeout if it needs more)"
        )
    if outcome.exit_code is None:
        return "killed: it printed far too much"
    return f"exit {outcome.exit_code}"
