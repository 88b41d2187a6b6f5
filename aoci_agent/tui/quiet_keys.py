"""Keys that were typed before a question appeared never answer it (safety.md T21)."""

import time
from collections.abc import Callable

QUIET = 0.3  # seconds without a key before a question listens


class QuietKeys:
    """Listens only after nobody typed for `QUIET` seconds, counted anew with every early key."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._listens_at = 0.0

    def begin(self) -> None:
        """The question is on the screen now."""
        self._listens_at = self._clock() + QUIET

    def too_early(self) -> bool:
        """Asked once for each key: whether it was meant for something else."""
        now = self._clock()
        if now >= self._listens_at:
            return False
        self._listens_at = now + QUIET
        return True
