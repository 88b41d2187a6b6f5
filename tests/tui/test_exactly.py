import pytest

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


def test_mixed_alphabets_are_named() -> None:
    assert warnings("pip install p\u0430ndas") == [
        "⚠ letters of several alphabets: p\u0430ndas (CYRILLIC+LATIN)"
    ]
    assert warnings("echo привет and λόγος") == []
