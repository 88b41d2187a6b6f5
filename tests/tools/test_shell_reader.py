"""Command lines read into parts; what bash itself makes of the same words."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from aoci_agent.tools.shell.danger import destructive, network
from aoci_agent.tools.shell.reader import MOST_CHARACTERS, read_line

BASH = shutil.which("bash")


def argvs(text: str) -> list[tuple[str, ...]]:
    line = read_line(text)
    assert line.complete, line.why
    return [part.argv for part in line.parts]


def test_parts_of_a_line() -> None:
    line = read_line("A=1 make 'all x' >out 2>&1 && (cd src; ls *.py) | head -3\npwd")
    assert line.complete
    make, cd, ls, head, pwd = line.parts
    assert (make.argv, make.assignments, make.joined) == (("make", "all x"), ("A=1",), "")
    assert [(one.operator, one.target.text) for one in make.redirections] == [
        (">", "out"),
        ("2>&", "1"),
    ]
    assert [one.target.text for one in make.writes] == ["out"]
    assert (cd.argv, cd.joined) == (("cd", "src"), "&&")
    assert [word.kind for word in ls.words] == ["plain", "glob"]
    assert (head.joined, pwd.argv) == ("|", ("pwd",))


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("echo 'a b' \"c d\" e\\ f", ("echo", "a b", "c d", "e f")),
        ('git log --format="%h %s"', ("git", "log", "--format=%h %s")),
        ("g\"i\"'t' status", ("git", "status")),
        ("ls \\\n -l", ("ls", "-l")),
        ("find . -exec rm {} \\;", ("find", ".", "-exec", "rm", "{}", ";")),
        ('echo "a\\"b"', ("echo", 'a"b')),
    ],
)
def test_quotes_are_resolved(text: str, argv: tuple[str, ...]) -> None:
    line = read_line(text)
    assert line.parts[0].argv == argv


def test_a_redirection_belongs_to_the_last_of_a_chain_and_to_all_of_a_group() -> None:
    assert [bool(part.writes) for part in read_line("a && b | c > f").parts] == [False, False, True]
    assert [bool(part.writes) for part in read_line("(a; b) > f").parts] == [True, True]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x" * (MOST_CHARACTERS + 1), "longer"),
        ("ls\rrm x", "carriage return"),
        ("ls\u200b", "cannot be seen"),
        ("; ".join(["true"] * 51), "more than 50"),
        ("ls 'x", "cannot be read"),
        ("$X y", "filled in"),
        ("eval x", "eval changes"),
        ("for f in a; do ls; done", "a loop"),
        ("f() { ls; }", "a function"),
        ("cat <(ls)", "a process substitution"),
        ("echo ${x@P}", "${x@P}"),
        ("cat <<E\nx\nE", "a here-document"),
        ("ls &", "background"),
        ("> x", "without a command"),
        ("X=1", "an assignment"),
        ("", "no command"),
    ],
)
def test_what_is_not_certain_says_why(text: str, why: str) -> None:
    line = read_line(text)
    assert not line.complete
    assert why in line.why


def test_the_parts_inside_are_found_all_the_same() -> None:
    line = read_line('for f in $(rm x); do echo "`rm y`" <(rm z); done')
    removed = [part.argv for part in line.parts if part.program == "rm"]
    assert removed == [("rm", "x"), ("rm", "y"), ("rm", "z")]
    assert all(part.inside for part in line.parts)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    read_line(text)


@given(st.lists(st.text(min_size=1, max_size=8, alphabet="ab'\"\\ $*?;|&<>(){}#~!=-"), min_size=1))
def test_quoted_words_come_back(words: list[str]) -> None:
    line = read_line(f"prog {shlex.join(words)}")
    if line.complete:
        assert line.parts[0].argv == ("prog", *words)
        assert {word.kind for word in line.parts[0].words} == {"plain"}


@pytest.mark.skipif(BASH is None, reason="no bash here")
@settings(max_examples=40)
@given(
    st.lists(
        st.text(alphabet="ab'\"\\ ;|&<>()#=-\n", min_size=1, max_size=12), min_size=1, max_size=3
    )
)
def test_bash_runs_exactly_what_was_read(pieces: list[str]) -> None:
    """Only lines that are taken for one command whose words are all known: bash must agree."""
    text = f"show {' '.join(pieces)}"
    line = read_line(text)
    if not line.complete or len(line.parts) != 1 or not line.parts[0].exact:
        return
    if line.parts[0].redirections:
        return
    assert BASH is not None
    script = f"show() {{ printf '%s\\0' show \"$@\"; }}\n{text}"
    run = subprocess.run([BASH, "-c", script], capture_output=True, cwd="/", check=False)
    assert tuple(run.stdout.decode().split("\0")[:-1]) == line.parts[0].argv


DESTROYS = (
    "rm x", "git reset --hard", "git clean -fd", "git push --force", "git checkout -- x", "git branch -D x",
    "git stash drop", "dd if=a of=b", "mkfs.ext4 /dev/x", "chmod -R 0 .", "chown a b", "truncate -s 0 x", "mv a b",
    "kill 1", "shutdown now", "sudo ls", "find . -delete", "find . -exec rm {} +", "xargs rm", "env rm x", "ls > x",
    "A=1 ls", "sh -c x", "nice -n 5 rm x", "timeout 5 rm x", "sed -i s/a/b/ x", "tee x",
)  # fmt: skip
REACHES = (
    "curl x", "git push", "git fetch", "npm install", "npm publish", "pip install x", "python3 -m pip install x",
    "python -m http.server", "gh pr create", "docker push x", "ssh h", "scp a h:", "env curl x", "cargo publish",
    "go get x", "uv sync", "cat < /dev/tcp/1/2", "git -C x push",
)  # fmt: skip
NEITHER = (
    "pytest -q",
    "npm run build",
    "make all",
    "git status",
    "git commit -m x",
    "ls -l",
    "cargo build",
    "go test ./...",
)


def test_what_destroys_and_what_reaches_out() -> None:
    def first(text: str) -> tuple[str, str]:
        part = read_line(text).parts[0]
        return destructive(part), network(part)

    assert [text for text in DESTROYS if not first(text)[0]] == []
    assert [text for text in REACHES if not first(text)[1]] == []
    assert [text for text in NEITHER if any(first(text))] == []


def test_reading_starts_nothing(tmp_path: Path) -> None:
    read_line(f"touch {tmp_path}/x; $(touch {tmp_path}/x)")
    assert list(tmp_path.iterdir()) == []
