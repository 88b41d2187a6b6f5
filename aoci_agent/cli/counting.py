"""A counter on the terminal while something takes long."""

import sys
from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # what is being done, how many are done, of how many
_EVERY = 25


def progress() -> Progress | None:
    """A counter on stderr when it is a terminal; nothing otherwise."""
    return show if sys.stderr.isatty() else None


def show(what: str, done: int, total: int) -> None:
    """One line that the next takes the place of; the last is wiped out."""
    if total and done == total:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    elif done % _EVERY == 0:
        print(f"\r\x1b[K{what} {done}/{total}", end="", file=sys.stderr, flush=True)
