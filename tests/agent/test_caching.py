"""A prefix that is not cached is said, once, from what the provider's usage shows."""

from aoci_agent.agent.caching import ALIVE, CacheWatch
from aoci_agent.agent.meter import StepRecord
from aoci_agent.agent.models.model import Provenance, Usage

CLAUDE = "anthropic/claude-sonnet-4-5"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def step(usage: Usage, fixed: int = 5_000, **more: object) -> StepRecord:
    layers = {"tools": 1_000, "rules": fixed - 1_000, "conversation": 500}
    return StepRecord(1, CLAUDE, "aoci", usage, layers, **more)  # pyright: ignore[reportArgumentType]


def test_a_prefix_that_is_written_and_then_read_is_no_news() -> None:
    watch = CacheWatch()
    assert watch.saw(step(Usage(fresh=500, cache_write=5_000)), CLAUDE, "p") == ""
    assert watch.saw(step(Usage(fresh=600, cache_read=5_000)), CLAUDE, "p") == ""


def test_a_prefix_below_the_minimum_is_said_once() -> None:
    watch = CacheWatch()
    told = watch.saw(step(Usage(fresh=1_000), fixed=900), CLAUDE, "p")
    assert told == (
        "cache: the prefix (900 tokens) is below this provider's minimum of 1,024: nothing is cached"
    )
    assert watch.saw(step(Usage(fresh=1_000), fixed=900), CLAUDE, "p") == ""


def test_marks_that_did_nothing_are_said() -> None:
    assert "caching did not happen" in CacheWatch().saw(step(Usage(fresh=5_500)), CLAUDE, "p")


def test_a_second_write_is_a_fault_only_while_the_first_may_live() -> None:
    clock = Clock()
    watch = CacheWatch(clock)
    written = step(Usage(fresh=500, cache_write=5_000))
    assert watch.saw(written, CLAUDE, "p") == ""
    clock.now += ALIVE
    assert watch.saw(written, CLAUDE, "p") == ""
    assert watch.saw(written, CLAUDE, "another prefix") == ""
    assert "a second time" in watch.saw(written, CLAUDE, "another prefix")


def test_an_unknown_provider_is_not_accused_at_the_first_call() -> None:
    watch = CacheWatch()
    assert watch.saw(step(Usage(fresh=5_500)), "house/model", "p") == ""
    assert "is not known" in watch.saw(step(Usage(fresh=5_500)), "house/model", "p")


def test_what_nobody_pays_for_or_nobody_counted_is_left_alone() -> None:
    watch = CacheWatch()
    for one in (
        step(Usage(fresh=9, price_from="local", cost=0.0)),
        step(Usage(fresh=9), recorded=True),
        step(Usage(fresh=9), side=True),
        step(Usage(fresh=9, tokens_from=Provenance.ESTIMATED)),
    ):
        assert watch.saw(one, CLAUDE, "p") == ""
