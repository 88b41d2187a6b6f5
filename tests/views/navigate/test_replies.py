"""Replies in every shape servers use, and in shapes nobody promised."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from aoci_agent.views.navigate import replies
from aoci_agent.views.navigate.replies import Span

RANGE = {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 9}}
PLACE = {"uri": "file:///a.py", "range": RANGE}
LINK = {"targetUri": "file:///a.py", "targetRange": {}, "targetSelectionRange": RANGE}
SPAN = Span("file:///a.py", 2, 4, 2, 9)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(None, []), ([], []), (PLACE, [SPAN]), ([PLACE, PLACE], [SPAN]), ([LINK], [SPAN]), (LINK, [SPAN])],
)  # fmt: skip
def test_places(raw: Any, expected: list[Span]) -> None:
    assert replies.spans(raw) == expected


def test_a_range_that_ends_before_a_line_does_not_hold_it() -> None:
    assert Span("", 2, 0, 4, 0).last_line == 3
    assert Span("", 2, 0, 2, 0).last_line == 2


def test_symbols_carry_owner_and_kind() -> None:
    raw = [{"name": "run", "kind": 6, "containerName": "Job", "location": PLACE}]
    assert replies.symbols(raw) == [SPAN._replace(symbol="Job.run", kind="method")]
    assert replies.symbols([{"name": "x", "location": {"uri": "file:///b"}}])[0].line == 0


def test_callers_are_the_calls_with_who_calls() -> None:
    raw = [
        {"from": {"name": "main", "kind": 12, "uri": "file:///a.py"}, "fromRanges": [RANGE, RANGE]}
    ]
    assert set(replies.callers(raw)) == {SPAN._replace(symbol="main", kind="function")}


@pytest.mark.parametrize(
    ("contents", "text"),
    [
        ("plain", "plain"),
        ({"kind": "markdown", "value": "*x*"}, "*x*"),
        ([{"language": "py", "value": "def f()"}, "", "words"], "def f()\nwords"),
        (None, ""),
        ("x" * 9000, "x" * 4000),
    ],
)
def test_hover(contents: object, text: str) -> None:
    assert replies.hover({"contents": contents}) == text
    assert replies.hover(None) == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ("uri", "range", "start", "end", "line", "character", "from", "fromRanges", "name", "kind",
             "location", "contents", "value", "targetUri", "targetSelectionRange", "containerName")
        ), inner, max_size=4,
    ),
)  # fmt: skip


@given(JSON)
def test_nothing_raises(raw: Any) -> None:
    replies.spans(raw)
    replies.symbols(raw)
    replies.callers(raw)
    replies.hover(raw)
