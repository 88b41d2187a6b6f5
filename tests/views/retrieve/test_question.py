"""Taking a query apart."""

import pytest
from hypothesis import given, strategies as st

from aoci_agent.views.retrieve.question import question_of, weights_of

REPORT = """Redirects lose the `Authorization` header
We use BaseClient._redirect_headers, which drops it.

```python
client = make_client(secret_word)
```

    indented = code

>>> prompt_word()
Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/shop/outer.py", line 3, in run
    inner(frame_word)
  File "/usr/lib/python3/site-packages/shop/inner.py", line 9, in inner
    raise ValueError
ValueError: bad header value

See docs/redirects.md.
"""


def test_a_report_has_a_title_prose_and_places() -> None:
    question = question_of(REPORT)
    assert question.title == "Redirects lose the `Authorization` header"
    assert "which drops it" in question.prose
    assert "ValueError: bad header value" in question.prose
    for code in ("secret_word", "indented", "prompt_word", "frame_word"):
        assert code in question.text
        assert code not in question.prose
    innermost = "/usr/lib/python3/site-packages/shop/inner.py"
    assert question.frames == (innermost, innermost.replace("inner.py", "outer.py"))
    assert "docs/redirects.md" in question.paths
    assert "BaseClient._redirect_headers" in question.qualified


def test_how_sure_a_name_is_of_code() -> None:
    names = question_of("fooBar, foo_bar, `quoted`, called(), Capital and plain").names
    sureness = [
        names[name] for name in ("fooBar", "foo_bar", "quoted", "called", "Capital", "plain")
    ]
    assert sureness == [1.0, 1.0, 0.7, 0.7, 0.3, 0.15]


@pytest.mark.parametrize(
    ("trace", "frames"),
    [
        ("Error: x\n    at run (/srv/app/inner.js:3:7)\n    at /srv/app/outer.js:9:1", ["inner.js", "outer.js"]),
        ("~/code/a/wcs.py in transform(self)\n~/code/a/core.py in inner(x)", ["wcs.py", "core.py"]),
        ("src/_pytest/runner.py:12: ValueError", ["runner.py"]),
        ("\tat com.shop.Order.place(Order.java:42)", ["Order.java"]),
        ("main.go:17 +0x1d", ["main.go"]),
    ],
)  # fmt: skip
def test_frames_of_other_languages(trace: str, frames: list[str]) -> None:
    found = question_of(f"It fails\n{trace}").frames
    assert [
        path.replace("com.shop.Order.place(", "").rpartition("/")[2] for path in found
    ] == frames


def test_one_line_is_title_prose_and_text_alike() -> None:
    question = question_of("parse the config file")
    assert {question.title, question.prose, question.text} == {"parse the config file"}


def test_repeated_words_count_more_but_not_in_proportion() -> None:
    weights = weights_of("redirect redirect redirect header the would")
    assert weights["header"] == 1
    assert 1 < weights["redirect"] < 3
    assert set(weights) == {"redirect", "header"}


@given(st.text(max_size=300))
def test_any_text_can_be_taken_apart(text: str) -> None:
    question = question_of(text)
    assert question.title in question.prose
    assert all(0 < sureness <= 1 for sureness in question.names.values())


@pytest.mark.parametrize(
    "piece",
    ["a", "a.", "/", "[", "-", "x(", "a::b ", 'File "', "= ", ") ", "a.py:", "`", "\t", "(a"],
)
def test_a_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    question = question_of(piece * 20_000)  # a way of looking that goes back would take minutes
    assert len(question.text) <= 20_000
