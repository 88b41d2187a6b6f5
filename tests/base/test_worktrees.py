"""Worktrees of the agent's own: nothing of the repository runs, nothing of the person's changes."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
from base.test_git_canaries import armed, fired
from support.commits import found as repository
from support.programs import counted

from aoci_agent.base import locks
from aoci_agent.base.box import Access, Strength
from aoci_agent.base.errors import BadUsage, ForUser
from aoci_agent.base.process import run
from aoci_agent.base.replace import PREFIX
from aoci_agent.base.sandbox.ladder import open_box
from aoci_agent.base.worktrees import Note, Worktree, leftovers


def git(root: Path, *words: str) -> str:
    argv = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(argv, cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "src" / "a.py").write_text("a = 1\n")
    (folder / ".gitignore").write_text("*.log\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    (folder / "src" / "a.py").write_text("a = 2  # not committed\n")
    (folder / "new.py").write_text("staged\n")
    git(folder, "add", "new.py")
    (folder / "untracked.py").write_text("untracked\n")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "data" / "worktrees" / "my shop-1"


def digest(root: Path) -> dict[str, str]:
    """Every file of the checkout, and of .git but what a worktree adds."""
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not (name := path.relative_to(root).as_posix()).startswith((
            ".git/worktrees/", ".git/refs/heads/aoci-agent/", ".git/logs/refs/heads/aoci-agent/",
            ".git/objects/",
        ))
    }  # fmt: skip


def listed(root: Path) -> list[str]:
    return git(root, "worktree", "list").splitlines()


@pytest.mark.gate("R28")
def test_an_untouched_one_leaves_nothing(root: Path, home: Path) -> None:
    before = digest(root)
    with Worktree(repository(root), home, "one") as made:
        assert (made.path / "src" / "a.py").read_text() == "a = 1\n"
        assert not (made.path / "new.py").exists()
        (made.path / "out.log").write_text("ignored")
        assert git(made.path, "branch", "--show-current").strip() == "aoci-agent/one"
        assert len(listed(root)) == 2
        during = digest(root)
    assert before == during == digest(root)
    assert len(listed(root)) == 1
    assert git(root, "branch", "--list", "aoci-agent/*") == ""
    assert list(home.iterdir()) == []


@pytest.mark.gate("R28", "S13")
@pytest.mark.parametrize(
    "how",
    [
        "dirty",
        "committed",
        "untracked",
        pytest.param("elsewhere", marks=pytest.mark.gate_only),
    ],
)
def test_work_stays_and_it_is_said_how_to_take_it(root: Path, home: Path, how: str) -> None:
    before = digest(root)
    made = Worktree(repository(root), home, "one")
    if how == "elsewhere":
        git(made.path, "checkout", "-q", "--detach")
    name = "b.py" if how == "untracked" else "src/a.py"
    (made.path / name).write_text("a = 3\n")
    if how in ("committed", "elsewhere"):
        git(made.path, "commit", "-qam", "two")
    left = made.finish()
    assert left is not None
    assert left.dirty is (how in ("dirty", "untracked"))
    assert left.ahead == (how == "committed")
    assert f"git merge {left.branch}" in left.told
    assert (made.path / name).read_text() == "a = 3\n"
    look = left.told.partition("  look: ")[2].partition("\n")[0]
    shown = subprocess.run(["bash", "-c", look], check=True, capture_output=True, text=True)
    assert "\n+a = 3\n" in shown.stdout
    assert digest(root) == before
    git(root, "worktree", "remove", "--force", str(left.path))  # as it is told
    git(root, "branch", "-D", left.branch)
    assert leftovers(repository(root), home) == ()
    assert list(home.iterdir()) == []


@pytest.mark.gate("R28")
def test_what_is_told_to_take_it_over_is_one_command(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Worktree(repository(root), home, "one")
    (made.path / "b.py").write_text("b = 3\n")
    left = made.finish()
    assert left is not None
    take = left.told.partition("  take over: ")[2].partition("\n")[0]
    git(root, "config", "user.name", "a")  # the person's own, which a fresh machine has not
    git(root, "config", "user.email", "a@example.org")
    monkeypatch.setenv("GIT_EDITOR", "echo taken >")
    subprocess.run(["bash", "-c", take], check=True, capture_output=True, cwd=root)
    assert (root / "b.py").read_text() == "b = 3\n"


def test_what_was_left_is_gone_on_with_under_its_name(root: Path, home: Path) -> None:
    first = Worktree(repository(root), home, "one")
    (first.path / "src" / "a.py").write_text("a = 3\n")
    base = first.note.base
    with pytest.raises(ForUser, match="in use by another session"):
        Worktree(repository(root), home, "one")
    assert first.finish() is not None
    git(root, "commit", "-qm", "two")
    again = Worktree(repository(root), home, "one")
    assert (again.path / "src" / "a.py").read_text() == "a = 3\n"
    assert again.note.base == base
    (again.path / "src" / "a.py").write_text("a = 1\n")
    assert again.finish() is None
    assert len(listed(root)) == 1


@pytest.mark.gate("T10")
async def test_a_boxed_command_works_in_it_and_not_on_the_repository(
    root: Path, home: Path, tmp_path: Path
) -> None:
    before = digest(root)
    with Worktree(repository(root), home, "task", branch=False) as made:
        data = home.parents[1]
        box = open_box(made.path, (data,), data / "cache", {"HOME": str(tmp_path)})
        if box.strength is not Strength.STRONG:
            pytest.skip("there is no strong sandbox here")
        hooks = root / ".git" / "hooks"
        line = f"echo a > new; : > {hooks}/x; git branch evil; git config a.b c; git status -s"
        outcome = await run(box.enter(["bash", "-c", line], made.path, Access()), cwd=made.path)
        assert outcome.output.count("Read-only file system") >= 2
        assert "?? new" in outcome.output
        assert (made.path / "new").read_text() == "a\n"
    assert digest(root) == before


def test_a_detached_one_is_never_kept(root: Path, home: Path) -> None:
    base = git(root, "rev-parse", "HEAD").strip()
    git(root, "commit", "-qm", "two")
    with Worktree(repository(root), home, "task", base=base, branch=False) as made:
        assert made.note.base == base
        (made.path / "src" / "a.py").write_text("changed")
    assert not made.path.exists()
    assert len(listed(root)) == 1


@pytest.mark.gate("T08", "T10")
def test_nothing_of_the_repository_runs(tmp_path: Path, home: Path) -> None:
    root, canaries = armed(tmp_path / "armed")
    for path in canaries.iterdir():
        path.unlink()
    made = Worktree(repository(root), home, "one")
    assert (made.path / "file.txt").read_text() == "text\n"
    (made.path / "file.txt").write_text("more")
    assert made.finish() is not None
    (made.path / "file.txt").write_text("text\n")
    assert leftovers(repository(root), home) == ()
    assert not made.path.exists()
    assert fired(canaries) == set()


@pytest.mark.gate_only
@pytest.mark.gate("T08", control=True)
def test_the_traps_fire_for_plain_git_worktrees(tmp_path: Path) -> None:
    root, canaries = armed(tmp_path / "armed")
    for path in canaries.iterdir():
        path.unlink()
    argv = ["git", "worktree", "add", "-q", "-b", "x", str(tmp_path / "tree")]
    subprocess.run(argv, cwd=root, capture_output=True, timeout=30, check=False)
    assert {"hook-post-checkout", "hook-reference-transaction"} <= fired(canaries)


CHILD = """
import sys, time
from collections.abc import Callable
from pathlib import Path
from aoci_agent.base.git import Repository
from aoci_agent.base.worktrees import Worktree
branch = sys.argv[4] == "branch"
print("begun", flush=True)
made = Worktree(Repository.find(Path(sys.argv[1])), Path(sys.argv[2]), sys.argv[3], branch=branch)
print(made.path, flush=True)
time.sleep(60)
"""


def killed(root: Path, home: Path, name: str, kind: str, after: float | None) -> None:
    argv = [sys.executable, "-c", CHILD, str(root), str(home), name, kind]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        try:
            if after is None:
                made = Path(child.stdout.readline().strip())
                (made / "src" / "a.py").write_text("half done\n")
            else:
                child.wait(after)
        except subprocess.TimeoutExpired:
            pass
        os.kill(child.pid, signal.SIGKILL)


@pytest.mark.gate("R28")
def test_what_a_dead_session_left_is_kept_or_cleared(root: Path, home: Path) -> None:
    before = digest(root)
    killed(root, home, "work", "branch", None)
    killed(root, home, "replay", "detached", None)
    killed(root, home, "early", "branch", 0.01)
    with Worktree(repository(root), home, "alive") as alive:
        left = leftovers(repository(root), home)
        assert [one.path.name for one in left] == ["work"]
        assert left[0].dirty
        assert alive.path.is_dir()
    assert [line.partition("  ")[0] for line in listed(root)] == [str(root), str(left[0].path)]
    assert "locked" not in "".join(listed(root))
    assert digest(root) == before


def test_the_note_of_a_session_that_died_before_it_wrote_goes(root: Path, home: Path) -> None:
    home.mkdir(parents=True)
    (home / "early.json").touch()
    (home / "damaged.json").write_text("{")
    with Worktree(repository(root), home, "alive"):
        held = locks.opened(home / "beginning.json")
        locks.take(held)  # by one that is about to write
        assert leftovers(repository(root), home) == ()
        names = sorted(path.name for path in home.glob("*.json"))
        os.close(held)
    assert names == ["alive.json", "beginning.json", "damaged.json"]


@pytest.mark.gate_only
@pytest.mark.gate("R28")
def test_twenty_kills_leave_a_clean_list(
    root: Path, home: Path, record_property: Callable[[str, object], None]
) -> None:
    before = digest(root)
    begun = time.monotonic()
    killed(root, home, "whole", "detached", None)
    whole = time.monotonic() - begun  # the start of Python included: some kills come afterwards
    for number in range(20):
        killed(root, home, f"replay-{number}", "detached", whole * number / 20)
    assert leftovers(repository(root), home) == ()
    assert len(listed(root)) == 1
    assert list(home.iterdir()) == []
    assert digest(root) == before
    record_property("cases", 20)


@pytest.mark.gate("R28")
def test_leftovers_are_found_after_the_repository_moved(root: Path, home: Path) -> None:
    made = Worktree(repository(root), home, "one")
    (made.path / "src" / "a.py").write_text("work\n")
    assert made.finish() is not None
    moved = root.rename(root.parent / "elsewhere")
    left = leftovers(repository(moved), home.parent / "elsewhere-2")
    assert [(one.path, one.dirty) for one in left] == [(made.path, True)]
    assert (made.path / "src" / "a.py").read_text() == "work\n"


def test_notes_of_other_repositories_cost_no_git_each(
    root: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, calls = counted("git", tmp_path / "programs")
    monkeypatch.setenv("PATH", path)
    own = repository(root)
    assert calls()
    leftovers(own, home)
    assert calls() == []
    for number in range(5):
        place = home.with_name(f"other-{number}")
        place.mkdir(parents=True)
        note = Note("one", "0" * 40, "", f"/other/{number}")
        (place / "one.json").write_text(json.dumps(asdict(note)))
    leftovers(own, home)
    assert sum("worktree list" in line for line in calls()) == 1
    assert len(list(home.parent.glob("*/*.json"))) == 5


@pytest.mark.gate("R01", "R28")
def test_a_file_that_a_crash_left_is_no_work(root: Path, home: Path) -> None:
    made = Worktree(repository(root), home, "one")
    (made.path / f"{PREFIX}9999999999-0123456789abcdef").write_bytes(b"half")
    made.finish()
    assert made.path.is_dir()
    assert leftovers(repository(root), home) == ()
    assert not made.path.exists()


def test_a_persons_own_worktrees_are_left_alone(root: Path, home: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", "-b", "mine", str(tmp_path / "mine"))
    (tmp_path / "mine").rename(tmp_path / "unmounted")  # what `git worktree prune` would drop
    with Worktree(repository(root), home, "one"):
        pass
    leftovers(repository(root), home)
    assert any("mine" in line for line in listed(root))


def test_a_branch_that_moved_on_is_not_deleted(root: Path, home: Path) -> None:
    made = Worktree(repository(root), home, "one")
    (made.path / "src" / "a.py").write_text("work\n")
    git(made.path, "commit", "-qam", "two")
    subprocess.run(["rm", "-rf", str(made.path)], check=True)
    assert made.finish() is None
    assert len(listed(root)) == 1
    assert "aoci-agent/one" in git(root, "branch", "--list", "aoci-agent/*")


@pytest.mark.parametrize("name", ["../up", "", "-x", "a/b", ".hidden", "x" * 90])
def test_a_name_that_is_none_is_refused(root: Path, home: Path, name: str) -> None:
    with pytest.raises(BadUsage):
        Worktree(repository(root), home, name)


def test_what_cannot_be_made_leaves_nothing(root: Path, home: Path) -> None:
    with pytest.raises(ForUser, match="no commit nothing"):
        Worktree(repository(root), home, "one", base="nothing")
    git(root, "branch", "aoci-agent/one")
    with pytest.raises(ForUser, match="is there already"):
        Worktree(repository(root), home, "one")
    assert "aoci-agent/one" in git(root, "branch", "--list", "aoci-agent/one")
    assert [path.name for path in home.iterdir()] == []
    with Worktree(repository(root), home, "two"), pytest.raises(ForUser, match="in use"):
        Worktree(repository(root), home, "two")


def test_an_empty_repository_says_why(tmp_path: Path, home: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    with pytest.raises(ForUser, match="no commit HEAD"):
        Worktree(repository(tmp_path), home, "one")
