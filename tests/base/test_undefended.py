"""Positive controls: what a program without our defences lets happen, by the same attacks.

Without them a test of a defence could pass because the attack no longer is one.
"""

import io
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from aoci_agent.base.terminal import clean

SECRET = "nobody's business"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace, and a folder beside it whose name begins the same."""
    evil = tmp_path / "ws-evil"
    evil.mkdir()
    (evil / "secret").write_text(SECRET)
    root = tmp_path / "ws"
    root.mkdir()
    return root


@pytest.mark.gate("T04", control=True)
@pytest.mark.parametrize(
    "path", ["../ws-evil/secret", "{root}-evil/secret", "x/../../ws-evil/secret"]
)
def test_a_comparison_of_beginnings_lets_the_neighbour_in(root: Path, path: str) -> None:
    (root / "x").mkdir()
    target = (root / path.format(root=root)).resolve()
    assert str(target).startswith(str(root))
    assert target.read_text() == SECRET


@pytest.mark.gate("T05", control=True)
@pytest.mark.parametrize("target", ["../ws-evil/secret", "{root}-evil/secret", "hop"])
def test_a_plain_open_follows_a_link_out(root: Path, target: str) -> None:
    (root / "hop").symlink_to("../ws-evil/secret")
    (root / "notes.txt").symlink_to(target.format(root=root))
    assert (root / "notes.txt").read_text() == SECRET


@pytest.mark.gate("T06", control=True)
def test_a_path_that_was_checked_is_another_when_it_is_opened(root: Path) -> None:
    (root / "good").write_text("fine")
    (root / "file").symlink_to("good")
    assert (root / "file").resolve().is_relative_to(root)
    (root / "other").symlink_to("../ws-evil/secret")
    (root / "other").rename(root / "file")  # what the other side of the race does just now
    assert (root / "file").read_text() == SECRET


@pytest.mark.gate("T07", control=True)
def test_a_plain_read_of_a_pipe_waits_for_ever(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(["cat", "pipe"], cwd=root, timeout=0.3, check=False)


@pytest.mark.gate("T17", control=True)
@pytest.mark.parametrize("name", [".GIT", ".Git", ".git\u200c", "GIT~1", ".git.", ".git "])
def test_a_plain_comparison_takes_them_for_other_names(root: Path, name: str) -> None:
    assert name != ".git"
    (root / name).mkdir()
    (root / name / "config").write_text("[core]\n")


@pytest.mark.gate("T18", "T20", control=True)
@pytest.mark.parametrize(
    "text", ["\x1b]52;c;cHduZWQ=\x07", "\x1b[2J", "safe\rrm -rf ~", "\u202edlrow"]
)
def test_a_plain_print_hands_it_to_the_terminal(text: str) -> None:
    screen = io.StringIO()
    print(text, end="", file=screen)
    assert screen.getvalue() == text != clean(text)


@pytest.mark.gate("T23", control=True)
def test_a_database_of_a_stranger_changes_what_is_stored_in_it(tmp_path: Path) -> None:
    file = tmp_path / "index.db"
    with sqlite3.connect(file) as theirs:
        theirs.executescript(
            "CREATE TABLE entry(name); CREATE TRIGGER t AFTER INSERT ON entry "
            "BEGIN UPDATE entry SET name = 'evil'; END;"
        )
    theirs.close()
    with sqlite3.connect(file) as ours:
        ours.execute("INSERT INTO entry VALUES ('mine')")
        assert ours.execute("SELECT name FROM entry").fetchall() == [("evil",)]
    ours.close()


@pytest.mark.gate("T29", control=True)
def test_a_plain_write_to_a_name_that_is_known_follows_a_planted_link(root: Path) -> None:
    planted = root / "response.md"
    planted.symlink_to(root.parent / "ws-evil" / "secret")
    planted.write_text("overwritten")
    assert (root.parent / "ws-evil" / "secret").read_text() == "overwritten"


@pytest.mark.gate("T31", control=True)
def test_a_search_by_re_alone_does_not_come_back() -> None:
    code = "import re; re.search(r'(a+)+$', 'a' * 40 + '!')"
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, "-I", "-c", code], timeout=0.5, check=False)
    assert re.search(r"a+$", "a" * 40)


@pytest.mark.gate("T35", control=True)
def test_a_record_that_were_believed_would_allow_and_lead_out(root: Path) -> None:
    theirs = {"mode": "full-auto", "session_id": "../ws-evil/secret", "prompt": "\x1b[2J"}
    assert (root / theirs["session_id"]).read_text() == SECRET
    assert theirs["mode"] != "ask"
