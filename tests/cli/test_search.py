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


def test_a_limit_of_nothing_is_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, "search", "order", "--limit", "0") == BadUsage.exit_code
    assert capsys.readouterr().err == (
        "aoci-agent: --limit 0 asks for nothing\n  try: --limit N, N from 1\n"
    )


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("none.py", "there is no file none.py (paths count from "),
        ("./src/none", "there is no file src/none (paths count from "),
        ("src/", "src is a folder"),
        ("left.min.js", "left.min.js is no source that is read here"),
    ],
)
def test_symbols_of_a_file_there_is_not(
    root: Path, capsys: pytest.CaptureFixture[str], query: str, told: str
) -> None:
    (root / "src").mkdir()
    (root / "left.min.js").write_text("function left(){}\n")
    assert run(root, "symbols", query) == BadUsage.exit_code
    assert told in capsys.readouterr().err
    if "/" not in query:
        assert run(root, "definition", f"{query}:1") == BadUsage.exit_code
        assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("search", "order", "--plan", "magic"), 2, "magic"),
        (("search", "order", "--limit", "many"), 2, "invalid int value"),
        (("symbols", "none.py"), 2, "there is no file none.py"),
        (("hover", "nothing"), 1, "no symbol is called nothing"),
        (("search", "--regex", "("), 1, "regular expression"),
    ],
)
def test_errors_as_json(
    root: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    try:
        assert run(root, *words, "--json") == code
    except SystemExit as done:
        assert done.code == code  # noqa: PT017 - a refused command line ends the program
    error = told(capsys)["error"]
    assert message in error["message"]
    assert error["exit_code"] == code
    assert isinstance(error["hint"], str)


def test_a_bug_as_json(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("nobody thought of it")

    monkeypatch.setattr("aoci_agent.tools.lookups.Lookups.symbols", fail)
    assert run(root, "symbols", "order", "--json") == 1
    assert "nobody thought of it" in told(capsys)["error"]["message"]


def test_a_part_of_a_repository_is_said_to_be_one(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "part").mkdir()
    (root / "part" / "pay.py").write_text("def pay() -> None:\n    pass\n")
    monkeypatch.chdir(root / "part")
    for words in (("symbols", "pay"), ("search", "--exact", "def pay"), ("views", "status")):
        assert main(list(words)) == 0
        captured = capsys.readouterr()
        assert f"only part/ is looked at; all of the repository: --cwd {root}" in captured.err
    assert main(["symbols", "place_order"]) == 1
    capsys.readouterr()
    assert main(["symbols", "place_order", "--cwd", str(root)]) == 0
    assert run(root / "part", "symbols", "pay") == 0
    monkeypatch.chdir(root)
    assert main(["symbols", "pay"]) == 0
    assert capsys.readouterr().err == ""


def test_entries_of_the_index_by_words_of_standard_input(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("place order\n"))
    assert run(root, "search", "--entries", "-") == 0
    assert capsys.readouterr().out.startswith("orders.py[")


def test_measures_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["eval", "retrieval", "--help"])
    assert done.value.code == 0
    assert "--repos" in capsys.readouterr().out
    for name in ("magic", "localization", "../x"):
        assert main(["eval", name]) == BadUsage.exit_code
        assert "retrieval" in capsys.readouterr().err
