"""What a test run said, whichever runner it was."""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Report:
    """Counts, the names of what failed, and the runner's own words about each failure."""

    passed: int = 0
    failed: int = 0  # failures and errors
    skipped: int = 0
    failing: tuple[str, ...] = ()
    messages: tuple[tuple[str, str], ...] = ()  # (heading, text), in the runner's order

    @property
    def counts(self) -> str:
        """ "2 failed, 310 passed, 3 skipped", or that there was nothing to count."""
        if not (self.failed or self.passed or self.skipped):
            return "no tests ran"
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.failed} failed, {self.passed} passed{skipped}"


Reader = Callable[[str], Report | None]


def number(pattern: str, text: str) -> int:
    """The sum of the first group over all matches."""
    return sum(int(found) for found in re.findall(pattern, text, re.MULTILINE))


def unique(names: list[str]) -> tuple[str, ...]:
    """Names in order, each once."""
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def blocks(text: str, heading: str) -> tuple[tuple[str, str], ...]:
    """Pieces of a text, each from a line that matches `heading` (its group 1 names it) to the next."""
    starts = list(re.finditer(heading, text, re.MULTILINE))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return tuple(
        (match[1].strip(), text[match.end() : end].strip("\n"))
        for match, end in zip(starts, ends, strict=False)
    )
