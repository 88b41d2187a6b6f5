"""The figures of `eval policies`: answers, intervals, simulated usage. All expected values by hand."""

from math import isclose

import pytest

from aoci_agent.agent.ledger import MESSAGE_OVERHEAD
from aoci_agent.agent.meter import Meter
from aoci_agent.agent.models.model import Request
from aoci_agent.base import tokens
from aoci_agent.evals.policies_cache import SimulatedCache
from aoci_agent.evals.policies_report import figures, told
from aoci_agent.evals.policies_run import Row
from aoci_agent.evals.policies_score import Score, Span, counted, locations, score
from aoci_agent.evals.policies_statistics import Interval, Pair, clustered
from aoci_agent.policies.conversation import AssistantMessage, UserMessage
from aoci_agent.policies.layers import Layer, Prefix


@pytest.mark.parametrize(
    ("answer", "spans"),
    [
        ("Locations: a.py:3-7, b/c.go:9", [Span("a.py", 3, 7), Span("b/c.go", 9, 9)]),
        ("**Locations:** `./a.py:7-3`", [Span("a.py", 3, 7)]),
        (
            "It is here.\nlocations:\n- a.py:L3-L7\n- d.rs:1-2",
            [Span("a.py", 3, 7), Span("d.rs", 1, 2)],
        ),
        ("Locations: x.py:1-2\nNo, wait.\nLocations: a.py:3-7", [Span("a.py", 3, 7)]),
        ("a.py:3-7", []),
        ("Locations: none", []),
        ("", []),
    ],
)
def test_places_are_read_out_of_an_answer(answer: str, spans: list[Span]) -> None:
    assert list(locations(answer)) == spans


def test_overlaps_are_dropped_before_five_are_kept() -> None:
    spans = [Span("a", 1, 10), Span("a", 10, 12), Span("b", 10, 12), Span("a", 11, 12)]
    spans += [Span("c", n, n) for n in range(4)]
    assert counted(spans) == (
        *(Span("a", 1, 10), Span("b", 10, 12), Span("a", 11, 12)),
        *(Span("c", 0, 0), Span("c", 1, 1)),
    )


def test_an_answer_is_scored() -> None:
    blocks = [Span("a", 1, 10), Span("a", 20, 29), Span("b", 1, 4), Span("c", 1, 1)]
    answer = [Span("a", 10, 13), Span("b", 1, 4), Span("d", 1, 2)]
    # two of four blocks; lines a10, b1-b4 of ten answered; a and b of three files
    assert score(answer, blocks, ["a", "b", "c"]) == Score(2 / 4, 5 / 10, 2 / 3)
    assert score([], blocks, ["a"]) == Score(0, 0, 0)


def rounded(interval: Interval) -> tuple[float, ...]:
    return tuple(round(figure, 9) for figure in interval)


def test_one_repository_leaves_nothing_to_draw() -> None:
    pairs = [Pair("a", 0.0), Pair("a", 0.5), Pair("a", -0.2)]
    assert rounded(clustered(pairs)) == (0.1, 0.1, 0.1)


def test_two_repositories_pool_the_cases_of_those_drawn() -> None:
    # Draws: aa 1/4 -> 0; ab, ba 1/2 -> 1/4 (four cases, one hit); bb 1/4 -> 1.
    pairs = [Pair("a", 0.0), Pair("a", 0.0), Pair("a", 0.0), Pair("b", 1.0)]
    assert clustered(pairs) == Interval(0.25, 0.0, 1.0)


def test_bounds_lie_between_the_draws_they_fall_between() -> None:
    # Two draws of two repositories: seed 0 gives b, b and then b, a: means 1 and 0.5. Of two values
    # the 2.5th percentile lies 2.5 % of the way from the lower to the higher.
    pairs = [Pair("a", 0.0), Pair("b", 1.0)]
    assert rounded(clustered(pairs, resamples=2)) == (0.5, 0.5125, 0.9875)


def test_a_policy_is_admitted_by_its_lower_bound() -> None:
    assert Interval(-0.01, -0.049, 0.1).admitted
    assert not Interval(0.0, -0.05, 0.1).admitted
    with pytest.raises(ValueError, match="no pairs"):
        clustered([])


def words(count: int) -> str:
    text = " ".join(["word"] * count)
    assert tokens.count(text) == count
    return text


def request(system: str, *messages: str) -> Request:
    return Request(Prefix((), (Layer("rules", system),)), tuple(UserMessage(m) for m in messages))


def buckets(cache: SimulatedCache, asked: Request) -> tuple[int, int, int]:
    usage = cache.usage(asked, AssistantMessage("a b c"))
    assert usage.output == 3
    return usage.fresh, usage.cache_read, usage.cache_write


def test_usage_is_what_the_request_has_in_common_with_the_one_before() -> None:
    system, question = words(2_000), words(100)
    cache = SimulatedCache()
    frame = MESSAGE_OVERHEAD + 1  # a layer ends with a blank line
    first = request(system, question)
    fresh, read, write = buckets(cache, first)
    prompt = fresh + read + write
    assert prompt == 2_100 + frame + MESSAGE_OVERHEAD + 1  # and no tools: an empty list
    assert (read, write) == (0, prompt // 128 * 128)
    assert buckets(cache, first) == (fresh, write, 0)
    longer = request(system, question, words(500))
    fresh, read, write = buckets(cache, longer)
    assert read == prompt // 128 * 128
    assert (fresh + read + write) // 128 * 128 == read + write
    # Another question: what both begin with is the system message and some 50 words.
    other = request(system, f"{words(50)} and then {words(600)}")
    fresh, read, write = buckets(cache, other)
    assert read == (2_000 + frame + 1 + 50) // 128 * 128
    assert fresh < 128


def test_a_warm_cache_holds_what_is_fixed() -> None:
    system = words(2_000)
    frame = MESSAGE_OVERHEAD + 1  # a layer ends with a blank line
    first = request(system, words(500))
    fresh, read, write = buckets(SimulatedCache(warm=True), first)
    assert read == (2_000 + frame + 1) // 128 * 128
    assert buckets(SimulatedCache(), first) == (fresh, 0, read + write)


def test_nothing_below_the_minimum_is_cached() -> None:
    cache = SimulatedCache()
    small = request(words(900), words(50))
    assert buckets(cache, small)[1:] == (0, 0)
    assert buckets(cache, small)[1:] == (0, 0)
    fresh, read, write = buckets(cache, request(words(900), words(200)))
    assert (read, write) == (0, (fresh + write) // 128 * 128)


def row(case: str, policy: str, recall: float, spent: int | None) -> Row:
    used = None if spent is None else {"fresh": spent, "read": 0, "write": 0, "output": 0}
    found = Score(recall, recall / 2, recall)
    dollars = None if spent is None else spent / 1e6
    return Row(case, case[0], policy, "m", found, 2, 0, "", "done", used, dollars, 0.1)


def test_policies_are_compared_on_the_cases_both_have() -> None:
    rows = [row("a1", "grep-read", 1.0, 100), row("b1", "grep-read", 0.0, 300)]
    rows += [row("a1", "aoci", 0.5, 50), row("b1", "aoci", 0.5, 50), row("c1", "aoci", 1.0, 50)]
    base, aoci = figures(rows, ("grep-read", "aoci", "eager"))
    assert (base.recall, base.trajectory, base.recall_delta, base.admitted) == (
        0.5,
        200,
        None,
        None,
    )
    assert base.per_success == 400
    assert isclose(aoci.recall, 2 / 3)
    assert aoci.recall_delta == Interval(0.0, -0.5, 0.5)
    assert (aoci.admitted, aoci.tokens_ratio) == (False, 0.25)
    assert aoci.dollars_ratio is not None
    assert isclose(aoci.dollars_ratio, 0.25)
    assert aoci.tokens_delta == Interval(-150.0, -250.0, -50.0)
    assert "baseline" in told([base, aoci])


def test_usage_that_is_missing_once_is_not_a_smaller_sum() -> None:
    rows = [row("a1", "grep-read", 1.0, 100), row("b1", "grep-read", 1.0, 100)]
    rows += [row("a1", "aoci", 1.0, 100), row("b1", "aoci", 1.0, None)]
    aoci = figures(rows, ("grep-read", "aoci"))[1]
    assert (aoci.tokens, aoci.trajectory, aoci.tokens_ratio, aoci.tokens_delta) == (None,) * 4
    assert (aoci.dollars, aoci.per_success) == (None, None)
    assert aoci.recall_delta == Interval(0.0, 0.0, 0.0)
    assert "?" in told([aoci])


def test_the_simulated_prompt_is_what_the_gauge_shows() -> None:
    asked = request(words(300), "What is this?", words(40))
    usage = SimulatedCache().usage(asked, AssistantMessage("a"))
    assert usage.prompt == sum(Meter().parts(asked).values())
