"""Dropping old moments: what it costs."""

import time
from pathlib import Path

from aoci_agent.base.snapshots.prune import DAYS, prune
from aoci_agent.base.snapshots.store import Moment, Snapshot, Store
from aoci_agent.base.snapshots.trees import NOTHING

EMPTY = Snapshot(NOTHING, NOTHING)


class Counted(Moment):
    hashed = 0

    def __hash__(self) -> int:
        Counted.hashed += 1
        return self.number


class Full(Store):
    """A store with a thousand moments, every second of them too old."""

    def moments(self, session: str | None = None) -> list[Moment]:
        del session
        times = (time.time(), time.time() - (DAYS + 1) * 86_400)
        return [
            Counted(number, "s", "turn", 1, "", times[number % 2], EMPTY, None)
            for number in range(1_000)
        ]


def test_moments_are_not_compared_with_each_other(tmp_path: Path) -> None:
    store = Full(tmp_path / "store")
    assert prune(store, 1_000_000_000)
    assert Counted.hashed <= 2_000
    store.close()
