"""A lock that is held for a moment only, and one that stays."""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aoci_agent.base.locks import take


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """The same file opened twice, the first has it."""
    files = [os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2)]
    fcntl.flock(files[0], fcntl.LOCK_EX)
    yield files[0], files[1]
    for file in files:
        os.close(file)


@pytest.mark.gate("R23")
def test_what_a_dying_process_still_holds_is_waited_for(two: tuple[int, int]) -> None:
    soon = threading.Thread(target=lambda: (time.sleep(0.05), fcntl.flock(two[0], fcntl.LOCK_UN)))
    soon.start()
    take(two[1], fcntl.LOCK_EX)
    soon.join()


@pytest.mark.gate("R23")
def test_what_somebody_keeps_is_refused(two: tuple[int, int]) -> None:
    with pytest.raises(BlockingIOError):
        take(two[1], fcntl.LOCK_EX)
