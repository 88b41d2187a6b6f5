"""`aoci-agent replay tasks` and `replay clean`, as a person types them."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.commits import git
from support.replays import calculator, needs_bwrap

from aoci_agent.cli import main
from aoci_agent.evals.replay.task import tasks_of

CHECK = "for file in {tests}; do python3 $file || exit 1; done"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    root = tmp_path / "calculator"
    calculator(root)
    return root


def tasks(root: Path, *words: str) -> int:
    return main(["replay", "tasks", *words, "--cwd", str(root)])


def kept(root: Path) -> list[str]:
    return [task.id for task in tasks_of(root / ".aoci-agent/tasks.toml")]


def a_file(tmp_path: Path, *rows: dict[str, Any]) -> str:
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


@needs_bwrap
def test_mining_keeps_what_is_proved_and_goes_on_where_it_ended(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "add.py").write_text("def add(a, b):\n    return b + a\n")
    (root / "tests/test_add.py").write_text("assert True\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Turn it round")
    status = git(root, "status", "--porcelain").stdout
    mining = ("mine", "--yes", "--setup", "true", "--check", CHECK, "--jobs", "2")
    assert tasks(root, *mining) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("kept 2 of 3 candidates, ")
    assert "its tests pass without the fix" in shown.err
    first = kept(root)
    assert tasks(root, *mining) == 0
    shown = capsys.readouterr()
    assert "2 are tasks already, 1 were refused before (--again tries them); none" in shown.err
    assert kept(root) == first
    changed = git(root, "status", "--porcelain").stdout.replace("?? .aoci-agent/\n", "")
    assert changed == status
    assert git(root, "worktree", "list").stdout.count("\n") == 1
    assert main(["replay", "clean", "--yes", "--cwd", str(root)]) == 0
    assert capsys.readouterr().out.endswith("MB freed\n")
    assert main(["replay", "clean", "--yes", "--cwd", str(root)]) == 0
    assert "nothing is prepared" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("mine", "--limit", "0"), "--limit 0: at least 1"),
        (("mine", "--jobs", "0"), "--jobs 0: at least 1"),
        (("mine", "--since", "gibberish"), "no past day that git knows"),
        pytest.param(("mine",), "nobody is there to answer", marks=needs_bwrap),
        (("add", "a b", "--prompt", "x", "--check", "true"), "id: letters, digits"),
        (("add", "a", "--prompt", " ", "--check", "true"), "prompt: "),
        (("add", "a", "--prompt", "x"), "needs --check"),
        (("add", "a", "--prompt", "x", "--check", "true", "--base", "no"), "no such commit"),
        (("import", "no-such-file"), "cannot read no-such-file"),
        (("list",), "cannot read the tasks"),
    ],
)
def test_bad_input_is_said(
    root: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str
) -> None:
    assert tasks(root, *words) == 2
    assert why in capsys.readouterr().err
    assert not (root / ".aoci-agent").exists()


@pytest.mark.parametrize(
    ("commands", "why", "way_out"),
    [
        ("init -q", "has no commit yet", "commit something"),
        ("init -q; commit --allow-empty -qm x", "of 1 commit none changes", "replay tasks add"),
        ("clone -q --depth=1 file://{}/calculator .", "a shallow clone", "git fetch --unshallow"),
        ("clone -q -o origin {0}/calculator .; config remote.origin.promisor true; reset -q --hard HEAD~2", "a partial clone", "--refetch"),
        ("init -q --bare", "cannot be worked with", "a bare one"),
        ("--version", "in no git repository", "git init"),
    ],
)  # fmt: skip
def test_a_history_without_candidates_says_what_it_lacks(
    root: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    commands: str,
    why: str,
    way_out: str,
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for words in commands.format(root.parent).split("; "):
        done = git(other, *words.split())
        assert done.returncode == 0, done.stderr
    assert tasks(other, "mine", "--yes") in (1, 2)
    said = capsys.readouterr().err
    assert why in said
    assert way_out in said


def test_a_task_by_hand_needs_a_commit_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init", "-q")
    assert tasks(tmp_path, "add", "one", "--prompt", "x", "--check", "true") == 2
    said = capsys.readouterr().err
    assert "has no commit yet" in said
    assert "commit something" in said


def test_an_interrupted_mining_says_what_is_kept_and_how_to_go_on(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mining = ("mine", "--yes", "--setup", "true", "--check")
    assert (
        tasks(root, *mining, f"kill -INT {os.getpid()}; sleep 60", "--dangerously-no-sandbox")
        == 130
    )
    said = capsys.readouterr().err
    assert "interrupted: 0 of 2 candidates tried, 0 kept; the same command goes on" in said


@needs_bwrap
def test_mining_that_finds_nothing_fails_and_says_what_helps(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tasks(root, "mine", "--yes", "--setup", "exit 3") == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("kept 0 of 2 candidates, ")
    assert "exit 3: it said nothing" in shown.err
    (told,) = {line for line in shown.err.splitlines() if line.startswith("why in full")}
    assert len(list(Path(told.rpartition(": ")[2]).glob("*.txt"))) == 2
    assert "--setup prepares what the tests need" in shown.err
    assert not (root / ".aoci-agent").exists()


def test_without_a_box_that_is_said_once(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only git is on PATH: no program that makes a strong box."""
    (tmp_path / "bin").mkdir()
    found = shutil.which("git")
    assert found is not None
    (tmp_path / "bin/git").symlink_to(found)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert tasks(root, "mine", "--yes", "--setup", "true", "--check", CHECK) == 1
    assert capsys.readouterr().err.count("there is no strong sandbox") == 1


def test_added_by_hand_and_listed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tasks(root, "add", "one", "--prompt", "Make it so", "--check", "make test") == 0
    assert tasks(root, "add", "one", "--prompt", "Again", "--check", "make test") == 2
    capsys.readouterr()
    assert tasks(root, "list") == 0
    assert "Make it so" in capsys.readouterr().out
    assert tasks(root, "list", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["base"] == git(root, "rev-parse", "HEAD").stdout.strip()


def test_only_tasks_of_this_repository_come_in(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, fix = git(root, "rev-list", "--reverse", "HEAD").stdout.split()[:2]
    mined: dict[str, Any] = {"query": "fix add", "base": base, "commit": fix, "test_files": []}
    mined |= {"gold_files": ["add.py"], "test_files": ["tests/test_add.py"]}
    here, there = mined | {"repo": "me/calculator"}, mined | {"repo": "me/other"}
    gone = here | {"commit": "f" * 40}
    assert tasks(root, "import", a_file(tmp_path, here, there, gone, here)) == 0
    shown = capsys.readouterr()
    assert kept(root) == [f"calculator-{fix[:10]}"]
    assert "1 of other repositories are left out" in shown.err
    assert "calculator-ffffffffff is left out: the repository has no commit" in shown.err
    assert "1 were there already" in shown.err
    (task,) = tasks_of(root / ".aoci-agent/tasks.toml")
    assert task.check.endswith("tests/test_add.py")
    assert task.hidden == ("tests/test_add.py",)


def test_tasks_of_another_repository_are_refused(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"instance_id": "x-1", "problem_statement": "x", "base_commit": "HEAD", "repo": "a/b"}
    assert tasks(root, "import", a_file(tmp_path, row)) == 2
    assert "none of the tasks (1) is of calculator: they are of a/b" in capsys.readouterr().err
    git(root, "remote", "add", "origin", "https://example.org/a/b.git")
    assert tasks(root, "import", a_file(tmp_path, row)) == 0
    assert "1 have nothing that judges them" in capsys.readouterr().err


def test_issues_name_what_judges_them(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "todo.md"
    path.write_text("# Later\n\n- [ ] Divide too\n- Name the parts\n")
    assert tasks(root, "import", str(path), "--check", "make test") == 0
    assert kept(root) == ["issue-1", "issue-2"]
