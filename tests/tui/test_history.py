import json
import stat
from pathlib import Path

import pytest

from aoci_agent.base.secrets import Mask
from aoci_agent.tui.history import KEEP, TRIM_OVER, PromptHistory

KEYS = ("a-key-of-this-agent-1", "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5")


def test_up_and_down_walk_and_keep_the_draft() -> None:
    history = PromptHistory()
    for prompt in ("one", "two"):
        history.add(prompt)
    assert [history.older("draft"), history.older("two"), history.older("one")] == [
        "two",
        "one",
        None,
    ]
    assert [history.newer(), history.newer(), history.newer()] == ["two", "draft", None]


def test_prompts_survive_and_the_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history"
    PromptHistory(path).add("fix\nboth ☃ \x1b[2J")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    later = PromptHistory(path)
    later.load()
    assert later.older("") == "fix\nboth ☃ \x1b[2J"


def test_damaged_lines_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text('"good"\n{"no": 1}\n"half\n')
    history = PromptHistory(path)
    history.load()
    assert [history.older(""), history.older("")] == ["good", None]


def test_an_unwritable_place_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history = PromptHistory(tmp_path / "file" / "history")
    history.load()
    history.add("kept in memory")
    assert history.older("") == "kept in memory"


def test_prompts_sent_before_the_file_was_read_stay_newest(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text('"old"\n')
    history = PromptHistory(path)
    history.add("early")
    history.load()
    assert [history.older(""), history.older("")] == ["early", "old"]


def test_repeats_are_kept_once() -> None:
    history = PromptHistory()
    history.add("same")
    history.add("same")
    assert [history.older(""), history.older("")] == ["same", None]


def test_a_large_file_is_trimmed(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("".join(json.dumps(f"{number} {'x' * 2000}") + "\n" for number in range(600)))
    history = PromptHistory(path)
    history.load()
    assert len(path.read_text().splitlines()) == KEEP
    assert (history.older("") or "").startswith("599 ")


def test_search_finds_the_newest_first() -> None:
    history = PromptHistory()
    for prompt in ("fix the parser", "run tests", "fix the writer"):
        history.add(prompt)
    assert history.search("FIX", 0) == "fix the writer"
    assert history.search("fix", 1) == "fix the parser"
    assert history.search("fix", 2) is None


@pytest.mark.gate("S16")
def test_no_key_is_written_down_shown_again_or_sent(tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = PromptHistory(file, Mask([KEYS[0]]))
    history.add(f"use {KEYS[0]} and {KEYS[1]}")  # before the file was read
    old = json.dumps("x" * TRIM_OVER), json.dumps(f"an earlier version kept {KEYS[1]}")
    file.write_text(file.read_text() + "\n".join(old) + "\n")
    history.load()  # writes the file anew
    sent = history.add(f"again {KEYS[0]} and {KEYS[1]}")
    shown = [history.older("") or "", history.older("") or ""]
    for key in KEYS:
        assert key not in sent
        assert key not in file.read_text()
        assert key not in "".join(shown)
    assert sent in shown
