"""Scores on one scale, and how they are put together."""

from aoci_agent.views.model import Level, Scored
from aoci_agent.views.retrieve.ranking import (
    Block,
    Ranking,
    added,
    of_files,
    ordered,
    ranked,
    reciprocal,
)
from aoci_agent.views.retrieve.signals import Reasons, Signal, by_rank, summed


def block(path: str, start: int = 1) -> Block:
    return Block(path, start, start + 1, "function", f"f{start}")


def scored(path: str, start: int, score: float) -> Scored:
    return Scored(path, start, start + 1, Level.L2, "function", f"f{start}", score)


def test_a_file_is_as_good_as_its_best_blocks() -> None:
    files = of_files({block("a.py", n): 1.0 for n in range(1, 9)} | {block("b.py"): 1.5})
    assert {path: round(score, 9) for path, score in files.items()} == {"a.py": 1.4, "b.py": 1.5}


def test_the_best_of_a_search_has_one() -> None:
    ranking = ranked([scored("a.py", 1, 8), scored("b.py", 5, 2), scored("c.py", 1, 0)])
    assert ranking.blocks == {block("a.py"): 1, block("b.py", 5): 0.25}
    assert ranking.files == {"a.py": 1, "b.py": 0.25}
    assert ranked([]) == Ranking()


def test_ties_are_in_the_order_of_their_places() -> None:
    scores = {block("b.py"): 1.0, block("a.py", 9): 1.0, block("a.py", 1): 1.0}
    assert ordered(scores) == [block("a.py", 1), block("a.py", 9), block("b.py")]


def test_ranks_alone_count_in_reciprocal_fusion() -> None:
    one, other = {"a": 100.0, "b": 1.0}, {"b": 0.2, "c": 0.1}
    assert ordered(reciprocal([one, other])) == ["b", "a", "c"]
    assert added([(1, one), (10, other)]) == {"a": 100, "b": 3, "c": 1}


def test_blocks_are_raised_by_their_files() -> None:
    weak, strong = block("strong.py"), block("weak.py")
    signals = [
        Signal("words", 1, Ranking({weak: 0.9, strong: 1.0}, {"strong.py": 0.5, "weak.py": 0.5})),
        Signal("path", 1, Ranking({}, {"strong.py": 1.0})),
    ]
    for join in (summed, by_rank):
        ranking = join(signals)
        assert ordered(ranking.files) == ["strong.py", "weak.py"]
        assert ordered(ranking.blocks) == [weak, strong]
        assert max(ranking.blocks.values()) == max(ranking.files.values()) == 1


def test_reasons_name_the_ways_that_found_it() -> None:
    found = Ranking({block("a.py"): 1.0}, {"a.py": 1.0, "b.py": 0.5})
    reasons = Reasons([Signal("words", 1, found), Signal("path", 1, Ranking({}, {"b.py": 1.0}))])
    assert reasons.of(block("a.py")) == "words 1"
    assert reasons.of(block("b.py")) == "path 1"
    assert reasons.of(block("a.py", 7)) == "its file: words 1"
    assert reasons.of(block("c.py")) == ""
