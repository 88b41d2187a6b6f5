from collections.abc import Mapping
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings, strategies as st
from support.lexical import Tree, built, delta, everything, judged, view

from aoci_agent.views.lexical.settings import LexicalSettings
from aoci_agent.views.lexical.view import LexicalView
from aoci_agent.views.model import Delta, Level

WORDS = st.sampled_from(["alpha", "beta", "getUserName", "class Alpha", "x", "\n", "\n\n", "数据"])
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)
PATHS = st.sampled_from(["a.py", "b/a.py", "b.py", "test_a.py", "ünï/数据.py", "empty"])
STATES = st.lists(st.dictionaries(PATHS, TEXTS, max_size=5), min_size=1, max_size=6)
QUERIES = st.dictionaries(
    st.sampled_from(["alpha", "beta", "getusername", "user", "数据", "py", "test", "unheard"]),
    st.integers(1, 3),
    max_size=5,
)
STEPS = st.lists(st.sampled_from(["keep", "merge", "reopen"]), min_size=6, max_size=6)
SETTINGS = st.builds(
    LexicalSettings,
    k1=st.floats(0.1, 3),
    b=st.floats(0, 1),
    path_times=st.integers(0, 2),
    symbol_times=st.integers(0, 2),
    stems=st.booleans(),
)


def reopened(before: LexicalView, numbers: LexicalSettings) -> LexicalView:
    after = view(numbers)
    with TemporaryDirectory() as folder:
        before.save(Path(folder))
        after.load(Path(folder))
    return after


def through(
    states: list[dict[str, str]], steps: list[str], numbers: LexicalSettings
) -> LexicalView:
    """A view that went through all these states."""
    found, now = view(numbers), dict[str, str]()
    for state, step in zip(states, steps, strict=False):
        found.apply(Tree(state), delta(now, state))
        now = state
        if step == "merge":
            found.digest()
        elif step == "reopen":
            found = reopened(found, numbers)
    return found


@given(STATES, STEPS, QUERIES, SETTINGS)
@settings(max_examples=80, deadline=None)
def test_scores_after_any_updates_are_those_of_rank_bm25_and_of_a_fresh_build(
    states: list[dict[str, str]],
    steps: list[str],
    query: Mapping[str, int],
    numbers: LexicalSettings,
) -> None:
    updated, fresh = through(states, steps, numbers), built(states[-1], numbers)
    answer = everything(updated, query)
    assert answer == everything(fresh, query)  # to the last bit
    assert answer == everything(reopened(updated, numbers), query)
    assert answer == everything(updated, dict(sorted(query.items(), reverse=True)))
    assert updated.digest() == fresh.digest()
    assert updated.counts == fresh.counts
    found = {((one.path, one.start, one.end), one.level is Level.L0): one.score for one in answer}
    assert len(found) == len(answer)
    expected = judged(states[-1], query, numbers)
    assert found.keys() == expected.keys()
    assert all(isclose(found[key], expected[key], rel_tol=1e-9) for key in found)


@given(STATES, STEPS)
@settings(max_examples=30, deadline=None)
def test_equal_files_write_equal_bytes(states: list[dict[str, str]], steps: list[str]) -> None:
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        through(states, steps, LexicalSettings()).save(Path(one))
        built(states[-1]).save(Path(other))
        files = [
            {file.name: file.read_bytes() for file in Path(folder).iterdir()}
            for folder in (one, other)
        ]
    assert files[0] == files[1]


def many(count: int, word: str) -> dict[str, str]:
    return {f"m{number:04}.py": f"{word}{number} common\n\nother words" for number in range(count)}


def test_many_changes_are_merged_on_the_way() -> None:
    before, after = many(700, "old"), many(600, "new")
    updated = built(before)
    updated.apply(Tree(after), delta(before, after))
    assert everything(updated, {"common": 1, "new7": 2}) == everything(
        built(after), {"common": 1, "new7": 2}
    )
    assert updated.search("old699") == []
    assert updated.digest() == built(after).digest()
    assert updated.counts == {"files": 600, "blocks": 1200, "words": built(after).counts["words"]}


def test_a_file_comes_back() -> None:
    texts = {"a.py": "alpha", "b.py": "beta"}
    found = built(texts)
    found.apply(Tree({"b.py": "beta"}), Delta(removed=("a.py",)))
    assert found.search("alpha") == []
    found.apply(Tree(texts), Delta(added=("a.py",)))
    assert found.digest() == built(texts).digest()


def test_a_file_said_to_be_new_takes_the_place_of_what_was_there() -> None:
    found = built({"a.py": "alpha"})
    found.apply(Tree({"a.py": "beta"}), Delta(added=("a.py",)))
    assert found.digest() == built({"a.py": "beta"}).digest()
