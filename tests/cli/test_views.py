"""`aoci-agent views build`, `status` and `verify`, as a person runs them."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.commits import git

from aoci_agent.cli import main

CODE = "def place_order(amount):\n    return amount + 1\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for number in range(3):
        (root / f"orders_{number}.py").write_text(CODE * (number + 1))
        (root / "orders_0.py").write_text(CODE.replace("1", str(number)))
        git(root, "add", "-A")
        assert git(root, "commit", "-qm", f"number {number}").returncode == 0
    return root


def views(root: Path, *words: str) -> int:
    return main(["views", *words, "--cwd", str(root)])


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_build_then_status(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert views(root, "status", "--json") == 0
    status = told(capsys)
    assert status["generation"] == ""
    assert status["views"]["lexical"]["state"] == "absent"
    before = sorted(path for path in root.rglob("*") if ".git" not in path.parts)
    assert views(root, "build", "--view", "lexical", "--json") == 0
    status = told(capsys)
    assert status["views"]["lexical"]["state"] == "fresh"
    assert status["views"]["lexical"]["counts"]["files"] == 3
    assert status["capabilities"]["lexical_search"]
    assert len(status["commit"]) == 40
    assert not status["dirty"]
    (root / "new.py").write_text(CODE)
    assert views(root, "status", "--json") == 0
    status = told(capsys)
    assert (status["changed"], status["views"]["lexical"]["state"]) == (1, "stale")
    assert views(root, "build", "--view", "lexical") == 0
    assert "lexical  fresh" in capsys.readouterr().out
    assert views(root, "build", "--view", "lexical", "--fresh") == 0
    (root / "new.py").unlink()
    assert before == sorted(path for path in root.rglob("*") if ".git" not in path.parts)


def test_status_finds_damage_and_build_repairs_it(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert views(root, "build", "--view", "lexical", "--json") == 0
    folder = Path(told(capsys)["folder"])
    file = next(p for p in folder.glob("generations/*/lexical/*") if p.stat().st_size > 40)
    data = bytearray(file.read_bytes())
    data[20] ^= 1
    file.write_bytes(data)
    assert views(root, "status") == 0
    assert views(root, "status", "--verify") == 1
    assert "damaged" in capsys.readouterr().out
    assert views(root, "build", "--view", "lexical") == 0
    assert "damaged" in capsys.readouterr().err
    assert views(root, "status", "--verify") == 0


def test_what_views_cost_says_what_it_means(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert views(root, "build", "--view", "lexical") == 0
    lines = capsys.readouterr().out.splitlines()
    heads = ["build", "load", "update", "query"]
    steps = next(at for at, line in enumerate(lines) if line.split() == heads)
    assert "median" in lines[steps - 2]
    assert all(f"{head} " in lines[steps - 1] for head in heads)
    row = lines[steps + 1].split()
    assert (row[0], row[2], row[-1]) == ("lexical", "ms", "-")
    sessions = next(at for at, line in enumerate(lines) if line.split()[:1] == ["sessions"])
    assert lines[sessions].split() == ["sessions", "1", "5", "20", "100"]
    assert "20 queries and 10 updates" in lines[sessions - 2]
    for kind in ("isolated", "resident"):
        assert f"({kind})" in lines[sessions - 1]
        assert any(kind in line and " ms" in line for line in lines[sessions + 1 :])


def test_verify(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert views(root, "verify", "--last", "2", "--view", "lexical", "--json") == 0
    (account,) = told(capsys)
    assert (account["equal"], account["of"], account["in_a_row"]) == (2, 2, "")
    assert views(root, "verify", "HEAD~2", "HEAD", "--view", "lexical") == 0
    assert "1/1 equal" in capsys.readouterr().out
    assert views(root, "build", "--view", "lexical") == 0
    assert "proved on 3 transitions" in capsys.readouterr().out
    assert git(root, "status", "--porcelain").stdout == ""


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "HEAD"),
        ("verify", "HEAD~1", "HEAD", "--last", "3"),
        ("verify", "--last", "0"),
        ("build", "--view", "nothing"),
    ],
)
def test_wrong_usage(root: Path, words: tuple[str, ...]) -> None:
    assert views(root, *words) == 2


def test_no_such_commit_and_no_git(root: Path, tmp_path: Path) -> None:
    assert views(root, "verify", "HEAD~9", "HEAD") == 1
    (tmp_path / "plain").mkdir()
    assert views(tmp_path / "plain", "verify") == 1
    assert views(tmp_path / "plain", "status") == 0
