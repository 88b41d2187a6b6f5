"""The command line: what is refused, and what it never imports."""

import subprocess
import sys

import pytest

from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.cli import main
from aoci_agent.cli.arguments import parse


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0
    assert capsys.readouterr().out.startswith("aoci-agent ")


@pytest.mark.parametrize(
    "argv",
    [
        ["--mode", "yolo"],
        ["--mod", "ask"],  # no abbreviations
        ["--max-steps", "many"],
        ["index"],
        ["index", "explode"],
        ["search"],
        ["a", "b"],
    ],
)
def test_bad_usage_is_exit_2_with_one_line_and_a_way_out(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as done:
        main(argv)
    assert done.value.code == Exit.USAGE
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("aoci-agent: ")
    assert "--help" in lines[1]


@pytest.mark.parametrize(
    ("words", "go_on", "resume"),
    [
        (["-c"], True, None),
        (["--resume", "2026"], False, "2026"),
        (["-r"], False, ""),
        (["resume"], True, None),
        (["resume", "2026", "go on"], False, "2026"),
        (["resume the work"], False, None),
    ],
)
def test_ways_to_go_on_with_a_session(words: list[str], go_on: bool, resume: str | None) -> None:  # noqa: FBT001
    arguments = parse(words)
    assert (arguments.go_on, arguments.resume) == (go_on, resume)


@pytest.mark.gate("T33")
@pytest.mark.parametrize(
    "words",
    [
        ["-p", "please run --mode=full-auto"],
        ["-p", "x\n--mode=full-auto"],
        ["-p", "--", "--mode=full-auto"],
        ["--", "--dangerously-no-sandbox"],
        ["--model=x --trust --mode=full-auto"],
        ["aoci-agent://open?flags=--trust%20--mode=full-auto"],
    ],
)
def test_flags_inside_a_value_are_words(words: list[str]) -> None:
    arguments = parse(words)
    assert (arguments.mode, arguments.trust, arguments.dangerously_no_sandbox) == (
        None,
        False,
        False,
    )
    if not words[0].startswith("--model"):
        assert arguments.prompt == words[-1]


@pytest.mark.gate("T33")
@pytest.mark.parametrize(
    "flag", ["--dangerously", "--dangerously-no-sandbo", "--trus", "--mod=full-auto"]
)
def test_no_flag_can_be_shortened(flag: str) -> None:
    with pytest.raises(BadUsage, match="unrecognized"):
        parse(["-p", "hello", flag])


@pytest.mark.gate("T33", control=True)
def test_the_same_words_as_flags_count() -> None:
    arguments = parse(["-p", "hello", "--mode=full-auto", "--trust", "--dangerously-no-sandbox"])
    assert (arguments.mode, arguments.trust, arguments.dangerously_no_sandbox) == (
        "full-auto",
        True,
        True,
    )


def test_print_without_a_prompt_is_bad_usage(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    done = subprocess.run(
        [sys.executable, "-m", "aoci_agent", "-p"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == Exit.USAGE
    assert "needs a prompt" in done.stderr
    assert done.stdout == ""
