"""Things that are started on first use and shared."""

import asyncio

import pytest

from aoci_agent.agent.models.child import Shared, start_module
from aoci_agent.base.errors import ModelUnavailable


class Workshop:
    """Starts numbers one after the other; `broken` are no longer usable."""

    def __init__(self, *, failing: int = 0) -> None:
        self.started = 0
        self.failing = failing
        self.go = asyncio.Event()
        self.broken: set[int] = set()
        self.ended: list[int] = []
        self.shared = Shared(self._start, lambda number: number not in self.broken, self._end)

    async def _start(self) -> int:
        self.started += 1
        number = self.started
        await self.go.wait()
        if number <= self.failing:
            raise ModelUnavailable(f"start {number} failed")
        return number

    async def _end(self, number: int) -> None:
        self.ended.append(number)


async def test_callers_share_one_start_and_a_cancelled_one_does_not_end_it() -> None:
    shop = Workshop()
    first, second = (asyncio.create_task(shop.shared.get()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    shop.go.set()
    assert await second == 1
    assert shop.shared.ready
    await shop.shared.close()
    assert (shop.ended, shop.shared.ready) == ([1], False)


async def test_what_is_no_longer_usable_is_ended_and_replaced() -> None:
    shop = Workshop()
    shop.go.set()
    assert await shop.shared.get() == 1
    shop.broken.add(1)
    assert not shop.shared.ready
    assert await asyncio.gather(shop.shared.get(), shop.shared.get()) == [2, 2]
    assert shop.ended == [1]


async def test_a_failed_start_is_tried_again() -> None:
    shop = Workshop(failing=1)
    shop.go.set()
    with pytest.raises(ModelUnavailable):
        await shop.shared.get()
    assert await shop.shared.get() == 2


async def test_a_module_that_ends_at_once_is_named_with_its_last_words() -> None:
    with pytest.raises(ModelUnavailable, match=r"the engine did not start: .*No module named"):
        await start_module("nowhere", label="the engine", env={}, seconds=20.0)
