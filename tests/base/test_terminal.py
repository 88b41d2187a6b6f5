import re
import unicodedata

import pytest
from hypothesis import given, strategies as st
from support.hostile import ESCAPES

from aoci_agent.base.terminal import cell_width, clean, one_line

ASCII_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")
UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)


@pytest.mark.parametrize("payload", ESCAPES)
@pytest.mark.gate("T18", "T20")
def test_payloads_lose_their_power_and_stay_visible(payload: str) -> None:
    for text in (payload, f"before {payload} after", payload * 3):
        shown = clean(text)
        assert not ASCII_CONTROL.search(shown)
        assert not UNSEEN.search(shown)
        assert shown != text
        assert shown.encode()  # a terminal can be sent it
        assert clean(shown) == shown
        assert not ASCII_CONTROL.search(one_line(text, 30))


def test_there_are_enough_payloads() -> None:
    assert len(set(ESCAPES)) >= 60


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("\x00\x07\x08", "␀␇␈"),
        ("\x7f", "␡"),
        ("\x9b", "<U+009B>"),
        ("a\r\nb", "a\nb"),
        ("10%\r20%", "10%␍20%"),
        ("\u202e", "<U+202E>"),
        ("\U000e0041", "<U+E0041>"),
        ("\ud800", "<U+D800>"),
        ("tab\tand\nline", "tab\tand\nline"),
    ],
)
def test_how_they_are_shown(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "plain [bold] text [/] \\ ",
        "größe 你好 日本語 한국어 العربية עברית हिन्दी",
        "👩‍👩‍👧 👍🏽 ❤️ 🏳️‍🌈 👩🏽‍💻 1️⃣ #️⃣ ✔︎ ©️",
        "e\u0301 combining",
        "∀x∈M ⇒ ─│┌ ▁▂▃ ␛",
    ],
)
def test_honest_text_is_untouched(text: str) -> None:
    assert clean(text) == text


@given(st.text())
@pytest.mark.gate("T18")
def test_any_text_becomes_harmless_in_one_pass(text: str) -> None:
    shown = clean(text)
    assert not ASCII_CONTROL.search(shown)
    assert not UNSEEN.search(shown)
    assert clean(shown) == shown
    assert shown.count("\n") == text.count("\n")


@given(st.text(), st.integers(0, 40))
def test_one_line_is_one_line_and_fits(text: str, width: int) -> None:
    line = one_line(text, width)
    assert "\n" not in line
    assert "\t" not in line
    assert cell_width(line) <= width


@pytest.mark.gate("P77")
def test_one_line_cuts_by_cells() -> None:
    assert one_line("hello", 5) == "hello"
    assert one_line("hello!", 5) == "hell…"
    assert one_line("你好世界", 5) == "你好…"
    assert one_line("a\nb\tc", 9) == "a⏎b c"
    assert one_line("e\u0301" * 5, 5) == "e\u0301" * 5
    assert one_line("x" * 1_000_000, 4) == "xxx…"
    assert one_line("x", 0) == ""


@pytest.mark.gate("P77")
def test_wide_and_combining_characters_are_measured() -> None:
    assert cell_width("abc") == 3
    assert cell_width("你好") == 4
    assert cell_width("e\u0301") == 1
    assert all(unicodedata.category(c) != "Cc" for c in clean("".join(map(chr, range(14, 32)))))


def test_large_text_is_cleaned_whole() -> None:
    text = ("x" * 60 + "\x1b[0m\u202e\n") * 2000
    assert clean(text) == ("x" * 60 + "␛[0m<U+202E>\n") * 2000
