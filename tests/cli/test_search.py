"""`aoci-agent search`, `symbols`, `definition`, `references`, `callers`, `hover`, `eval`, as a person runs them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from support.commits import git

from aoci_agent.base.errors import BadUsage
from aoci_agent.cli import main

ORDERS = '''def place_order(amount: int) -> int:
    """Order so many."""
    return amount + 1


def order_again(amount: int) -> int:
    return place_order(amount)
'''


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "orders.py").write_text(ORDERS)
    (root / "notes.md").write_text("# Notes\n\nNothing of interest.\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    return root


def run(root: Path, *words: str) -> int:
    return main([*words, "--cwd", str(root)])


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_search_prints_blocks_and_its_plan(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, "search", "how", "to", "place", "orders", "--plan", "lexical") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("orders.py:1-3 function place_order (words 1")
    assert lines[-1] == "[lexical]"
    assert sorted(path.name for path in root.iterdir()) == [".git", "notes.md", "orders.py"]


def test_search_as_json(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, "search", "place order", "--plan", "lexical", "--limit", "1", "--json") == 0
    answer = told(capsys)
    assert answer["how"] == "lexical"
    (row,) = answer["results"]
    assert (row["path"], row["start"], row["end"], row["symbol"]) == (
        "orders.py",
        1,
        3,
        "place_order",
    )
    assert row["score"] == 1
    assert not row["stale"]


def test_a_report_from_standard_input(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.StringIO("It fails\n\n`place_order` in orders.py is wrong\n")
    )
    assert run(root, "search", "-", "--plan", "lexical", "--json") == 0
    assert told(capsys)["results"][0]["symbol"] == "place_order"


def test_exact_text_and_regular_expressions(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, "search", "--exact", "amount + 1") == 0
    assert capsys.readouterr().out == "orders.py\n3\t    return amount + 1\n"
    assert run(root, "search", "--regex", r"^def \w+_again", "--json") == 0
    assert told(capsys)["results"][0]["start"] == 6
    assert run(root, "search", "--exact", "amount * 1") == 1


def test_navigation(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, "symbols", "orders.py") == 0
    assert "orders.py:1-3 function place_order" in capsys.readouterr().out
    assert run(root, "definition", "orders.py:7:place_order") == 0
    assert capsys.readouterr().out.startswith(
        "orders.py:1-3 function place_order\n  def place_order("
    )
    for command in ("references", "callers"):
        assert run(root, command, "place_order", "--json") == 0
        (row,) = told(capsys)["results"]
        assert (row["path"], row["start"], row["symbol"]) == ("orders.py", 7, "order_again")
    assert run(root, "hover", "place_order") == 0
    assert "Order so many." in capsys.readouterr().out


def test_nothing_found_is_exit_1(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ("search", "zzzqqq", "--plan", "lexical"),
        ("symbols", "nothing"),
        ("definition", "nothing"),
        ("references", "nothing"),
        ("hover", "nothing"),
    ):
        assert run(root, *words) == 1
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err


def test_bad_usage_is_exit_2(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ("search", "order", "--plan", "magic"),
        ("search", "order", "--limit", "0"),
        ("search", " "),
        ("definition", ""),
        ("hover", "orders.py:99"),
    ):
        assert run(root, *words) == BadUsage.exit_code
        assert "aoci-agent" in capsys.readouterr().err


def test_measures_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["eval", "retrieval", "--help"])
    assert done.value.code == 0
    assert "--repos" in capsys.readouterr().out
    for name in ("magic", "localization", "../x"):
        assert main(["eval", name]) == BadUsage.exit_code
        assert "retrieval" in capsys.readouterr().err
