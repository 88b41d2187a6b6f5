import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from aoci_agent.base.terminal import clean
from aoci_agent.tui.exactly import exact_command, warnings


def test_a_plain_command_is_shown_as_it_runs() -> None:
    assert exact_command("ls -la | wc -l").plain == "$ ls -la | wc -l"


def test_lines_stay_apart() -> None:
    assert exact_command("cd x\nrm -rf y").plain == "$ cd x\n  rm -rf y"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("ls" + " " * 10_000 + "; rm -rf ~", "$ ls<10000 spaces>; rm -rf ~"),
        ("echo a  ", "$ echo a<2 spaces>"),
        ("a\tb", "$ a<tab>b"),
        ("echo hi\rrm -rf ~", "$ echo hi␍rm -rf ~"),
        ("echo \u202edlrow", "$ echo <U+202E>dlrow"),
        ("rm\u200b -rf", "$ rm<U+200B> -rf"),
        ("x\x1b[2K", "$ x␛[2K"),
        ("x\x08y", "$ x␈y"),
    ],
)
def test_nothing_hides(command: str, shown: str) -> None:
    assert exact_command(command).plain == shown


SPOOFS = (
    "ls\u202e;x~ fr- mr", "ls \u2066# \u2069; rm x", "rm\u200b -rf x", "l\u200cs", "l\u200ds", "ls\u2060", "\ufeffls",
    "ls \U000e0072\U000e006d", "ls\ufe0f", "echo \u00ad", "ls\u180e", "ls \u3164 x", "ls\u2800x", "ls\u00a0-la",
    "ls\u2003-la", "ls\u3000x", "ls\u2028rm x", "echo hi\rrm -rf ~", "ls\x1b[2K\x1b[1Arm x", "ls\x08\x08rm", "ls\x9b2K", "ls\x7f",
    "ls" + " " * 10_000 + "; rm -rf ~", "ls \t\t\t\t; rm x", "ls  ", "ls\n\n\n\nrm x", "echo \u037e rm x", "echo x\uff1brm",
    "ls \uff5c sh", "cat \u2215etc\u2215passwd", "echo \u2018x\u2019", "echo <U+202E>x", "echo <3 spaces>", "echo <tab>", "echo \u240d\u241b",
    "echo e\u0301 \u00e9", "echo \U0001f469\u200d\U0001f4bb", "\u0440m x", "r\u043c -rf x", "echo \ud800", "a" * 5_000 + "; rm x",
)  # fmt: skip
_SPELLING = re.compile(r"<U\+([0-9A-F]+)>|<(tab)>|<(\d+) spaces>|([\u2400-\u241f\u2421])")


def read_back(shown: str) -> str:
    """The characters behind what a person sees."""

    def character(found: re.Match[str]) -> str:
        code, tab, spaces, picture = found.groups()
        if code:
            return chr(int(code, 16))
        if picture:
            return "\x7f" if picture == "\u2421" else chr(ord(picture) - 0x2400)
        return "\t" if tab else " " * int(spaces)

    lines = [line[2:] for line in shown.split("\n")]
    return "\n".join(_SPELLING.sub(character, line) for line in lines)


@pytest.mark.gate("T20")
def test_what_is_seen_reads_back_to_what_runs(
    record_property: Callable[[str, object], None],
) -> None:
    assert [text for text in SPOOFS if read_back(exact_command(text).plain) != text] == []
    assert len(SPOOFS) >= 25
    record_property("cases", len(SPOOFS))


@pytest.mark.gate("T20")
@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_command_reads_back(text: str) -> None:
    shown = exact_command(text).plain
    assert read_back(shown) == text
    assert clean(shown) == shown


@pytest.mark.gate("T20", control=True)
def test_shown_as_they_are_they_deceive() -> None:
    def seen(text: str) -> str:
        """What a reader takes in: no invisible characters, blanks as one, look-alikes as one."""
        visible = "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cc", "Mn"))
        return " ".join(unicodedata.normalize("NFKC", visible).split())

    deceiving = [text for text in SPOOFS if seen(text) != text]
    assert len(deceiving) >= 25


def test_mixed_alphabets_are_named() -> None:
    assert warnings("pip install p\u0430ndas") == [
        "⚠ letters of several alphabets: p\u0430ndas (CYRILLIC+LATIN)"
    ]
    assert warnings("echo привет and λόγος") == []
    assert warnings("\u0441\u0440 a b") == [
        "⚠ letters of several alphabets: \u0441\u0440 (CYRILLIC)"
    ]
    assert warnings("\uff52\uff4d x") == [
        "⚠ letters of several alphabets: \uff52\uff4d (FULLWIDTH)"
    ]
