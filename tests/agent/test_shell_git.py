"""Git commands that read: unasked only where git takes the repository whose settings were looked at."""

import subprocess
from pathlib import Path

import pytest
from support.permitted import permitted

from aoci_agent.agent.mode import Mode
from aoci_agent.agent.ruling import Verdict
from aoci_agent.tools.tool import Effect, Preview


def allowed(root: Path, line: str) -> bool:
    ruling = permitted(Mode.ASK, root=root).judge(
        "bash", Effect.RUN, Preview("command", "", line, line)
    )
    return ruling.verdict is Verdict.ALLOW


def _bare(at: Path, canary: Path) -> None:
    settings = {
        "core.bare": "false",
        "core.worktree": str(at.parent),
        "core.fsmonitor": f"touch {canary}",
    }
    subprocess.run(["git", "init", "-q", "--bare", at], check=True)
    for name, value in settings.items():
        subprocess.run(["git", "--git-dir", at, "config", name, value], check=True)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    root = tmp_path / "own"
    (root / "vendor").mkdir(parents=True)
    (root / "a.txt").write_text("one\n")
    for words in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm one"):
        subprocess.run(["git", *words.split()], cwd=root, check=True)
    assert allowed(root, "cd vendor && git status")
    return root


@pytest.mark.gate("T08")
def test_git_in_a_bare_repository_that_lies_in_a_folder_asks(own: Path, tmp_path: Path) -> None:
    _bare(own / "vendor/lib", tmp_path / "canary")
    assert not allowed(own, "cd vendor/lib && git status")
    assert not allowed(own, "cd vendor/lib/refs && git log")
    assert allowed(own, "git status")


@pytest.mark.gate("T08", control=True)
def test_git_runs_what_a_bare_repository_says(own: Path, tmp_path: Path) -> None:
    _bare(own / "vendor/lib", tmp_path / "canary")
    subprocess.run(
        ["bash", "-c", "cd vendor/lib && git status"], cwd=own, check=False, capture_output=True
    )
    assert (tmp_path / "canary").exists()


@pytest.mark.gate("T08")
def test_git_does_not_look_at_another_folder_unasked(own: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    subprocess.run(["git", "init", "-q", elsewhere], check=True)
    (own / "vendor/.git").write_text(f"gitdir: {elsewhere}/.git\n")
    assert not allowed(own, "cd vendor && git log -p")
    assert allowed(own, "git diff")
    subprocess.run(["git", "config", "core.worktree", str(elsewhere)], cwd=own, check=True)
    assert not allowed(own, "git diff")
