"""Splitting a measured total over the parts of a request."""

from hypothesis import given, strategies as st

from aoci_agent.agent.ledger import scaled

PARTS = st.dictionaries(
    st.sampled_from(["tools", "rules", "index", "conversation", "tool results"]),
    st.integers(0, 10**6),
    min_size=1,
)


@given(PARTS, st.integers(0, 10**7))
def test_the_split_sums_to_the_total_and_keeps_zero_parts_zero(
    parts: dict[str, int], total: int
) -> None:
    split = scaled(parts, total)
    assert set(split) == set(parts)
    if sum(parts.values()) and total:
        assert sum(split.values()) == total
        assert all(value >= 0 for value in split.values())


def test_proportions_are_kept() -> None:
    assert scaled({"index": 300, "conversation": 100}, 800) == {"index": 600, "conversation": 200}
