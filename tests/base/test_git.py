import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.commits import found

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.git import Repository

WHO = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(folder: Path, *args: str) -> str:
    argv = ["git", "-c", "protocol.file.allow=always", *args]
    done = subprocess.run(
        argv, cwd=folder, env={**os.environ, **WHO}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    folder = tmp_path / "repo"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text("a = 1\n")
    (folder / "src" / "b.py").write_text("b = 1\n")
    (folder / ".gitignore").write_text("*.log\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def test_a_plain_repository(root: Path) -> None:
    repository = found(root / "src")
    assert repository.root == root
    assert repository.head() == git(root, "rev-parse", "HEAD")
    assert repository.branch() == "main"
    assert repository.files() == [".gitignore", "a.py", "src/b.py"]
    assert repository.files(root / "src") == ["b.py"]
    assert repository.files(Path("src")) == ["b.py"]
    assert repository.files(root) == repository.files()
    assert repository.files(root.parent) == []
    assert repository.submodules() == []
    assert not repository.is_dirty()


def test_new_files_count_and_ignored_ones_do_not(root: Path) -> None:
    repository = found(root)
    (root / "debug.log").write_text("")
    (root / ".git" / "info" / "exclude").write_text("private\n")
    (root / "private").write_text("")
    assert not repository.is_dirty()
    (root / "src" / "new.py").write_text("")
    (root / "a.py").unlink()
    (root / "link.py").symlink_to("src/b.py")
    os.mkfifo(root / "pipe")
    assert repository.is_dirty()
    assert repository.files() == [".gitignore", "src/b.py", "src/new.py"]


def test_the_persons_own_ignores_are_respected(root: Path) -> None:
    (root.parent / "ignore").write_text("*.mine\n")
    (root.parent / ".gitconfig").write_text("[core]\n\texcludesFile = ~/ignore\n")
    (root / "x.mine").write_text("")
    assert not found(root).is_dirty()
    (root.parent / ".gitconfig").unlink()
    assert found(root).is_dirty()
    (root.parent / ".config" / "git").mkdir(parents=True)
    (root.parent / ".config" / "git" / "ignore").write_text("*.mine\n")
    assert not found(root).is_dirty()


def test_files_behind_a_folder_that_became_a_link_are_left_out(root: Path) -> None:
    (root / "src").rename(root.parent / "moved")
    (root / "src").symlink_to(root.parent / "moved")
    assert found(root).files() == [".gitignore", "a.py"]


@pytest.mark.parametrize("edit", ["unstaged", "staged", "removed"])
def test_every_change_is_dirty(root: Path, edit: str) -> None:
    if edit == "removed":
        (root / "a.py").unlink()
    else:
        (root / "a.py").write_text("a = 2\n")
    if edit == "staged":
        git(root, "add", "a.py")
    assert found(root).is_dirty()


@pytest.mark.gate("R26")
def test_before_the_first_commit(root: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    git(new, "init", "-q", "-b", "start")
    (new / "x").write_text("")
    repository = found(new)
    assert (repository.head(), repository.branch(), repository.files()) == ("", "start", ["x"])


@pytest.mark.gate("R26")
def test_a_detached_head(root: Path) -> None:
    git(root, "checkout", "-q", "--detach")
    repository = found(root)
    assert (repository.branch(), len(repository.head())) == ("", 40)


@pytest.mark.gate("R26")
def test_in_the_middle_of_a_merge(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    (root / "a.py").write_text("a = 2\n")
    git(root, "commit", "-qam", "two")
    git(root, "checkout", "-q", "main")
    (root / "a.py").write_text("a = 3\n")
    git(root, "commit", "-qam", "three")
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "merge", "other")
    repository = found(root)
    assert repository.files() == [".gitignore", "a.py", "src/b.py"]
    assert repository.is_dirty()
    assert repository.branch() == "main"


@pytest.mark.gate("R28")
def test_a_worktree_and_its_moved_home(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", "../tree", "-b", "side")
    tree = tmp_path / "tree"
    repository = found(tree / "src")
    assert (repository.root, repository.branch()) == (tree, "side")
    assert repository.files() == [".gitignore", "a.py", "src/b.py"]
    assert "tree" in repository.git("worktree", "list", "--porcelain")
    root.rename(tmp_path / "gone")
    assert Repository.find(tree) is None


@pytest.mark.gate("R27")
def test_submodules_and_nested_repositories_are_left_out(root: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    git(library, "init", "-q")
    (library / "l.py").write_text("")
    git(library, "add", ".")
    git(library, "commit", "-q", "-m", "l")
    git(root, "submodule", "--quiet", "add", str(library), "vendor/lib")
    git(root, "commit", "-q", "-m", "with submodule")
    git(tmp_path, "clone", "-q", str(library), str(root / "nested"))
    repository = found(root)
    assert repository.submodules() == ["vendor/lib"]
    assert repository.files() == [".gitignore", ".gitmodules", "a.py", "src/b.py"]
    (root / "vendor" / "lib" / "l.py").write_text("dirty")
    inside = found(root / "vendor" / "lib")
    assert inside.root == root / "vendor" / "lib"
    assert inside.files() == ["l.py"]
    assert inside.is_dirty()


@pytest.mark.gate("R30")
def test_odd_names(root: Path) -> None:
    shown = ["-rf", ":(top)x", "a b", "e\u0301", "x" * 255, "😀.py", "*.py", '"q"']
    for name in shown:
        (root / name).write_text("")
    for name in (b"caf\xe9", b"new\nline", b"\x1b[2J", "two\u2028lines".encode()):
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("")
    repository = found(root)
    assert repository.files() == sorted([".gitignore", "a.py", "src/b.py", *shown])
    (root / "*dir").mkdir()
    (root / "*dir" / "in").write_text("")
    assert repository.files(root / "*dir") == ["in"]


@pytest.mark.gate("R33")
def test_no_repository(tmp_path: Path) -> None:
    assert Repository.find(tmp_path) is None
    assert Repository.find(tmp_path / "missing") is None
    (tmp_path / ".git").mkdir()
    assert Repository.find(tmp_path) is None
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / ".git").write_text("not a gitfile")
    assert Repository.find(tmp_path / "file") is None


def test_an_empty_git_folder_does_not_hide_the_real_one(root: Path) -> None:
    (root / "src" / ".git").mkdir()
    assert found(root / "src").root == root


def test_bare_repositories_are_not_worked_in(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(root), "bare")
    assert Repository.find(tmp_path / "bare") is None
    git(tmp_path, "clone", "-q", "--bare", str(root), str(root / "embedded"))
    assert found(root / "embedded").root == root
    assert Repository.find(root / ".git" / "hooks") is None
    git(root, "config", "core.bare", "true")
    assert Repository.find(root) is None


def test_a_configured_work_tree_elsewhere_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("")
    git(root, "config", "core.worktree", str(tmp_path / "secret"))
    repository = found(root)
    assert repository.root == root
    assert repository.files() == [".gitignore", "a.py", "src/b.py"]


@pytest.mark.gate("R33", "T27")
def test_no_git_and_no_git_of_the_workspace(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = root / "git"
    fake.write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{root}:{os.environ['PATH']}")
    monkeypatch.chdir(root)
    assert found(root).branch() == "main"
    monkeypatch.setenv("PATH", str(root))
    assert Repository.find(root) is None
    monkeypatch.setenv("PATH", "")
    assert Repository.find(root) is None
    assert not (tmp_path / "fired").exists()


def test_git_variables_of_ours_do_not_decide(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "wrong")
    for name, value in {
        "GIT_DIR": f"{other}/.git",
        "GIT_WORK_TREE": str(other),
        "GIT_COMMON_DIR": f"{other}/.git",
        "GIT_INDEX_FILE": f"{other}/index",
        "GIT_CONFIG_PARAMETERS": "'core.fsmonitor=false'",
        "GIT_EXTERNAL_DIFF": "false",
    }.items():
        monkeypatch.setenv(name, value)
    repository = found(root)
    assert (repository.root, repository.branch()) == (root, "main")
    assert os.environ["GIT_DIR"] == f"{other}/.git"
    assert "GIT_PYTHON_REFRESH" not in os.environ


def test_many_threads_find_one_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2026-01-01")
    before = dict(os.environ)
    with ThreadPoolExecutor(8) as pool:
        roots = {one.root for one in pool.map(found, [root] * 64)}
    assert roots == {root}
    assert dict(os.environ) == before


@pytest.mark.gate("R33")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")
def test_a_repository_of_someone_else(root: Path) -> None:
    for path in (root, root / ".git"):
        os.chown(path, 1234, 1234)
    assert Repository.find(root) is None
    (root.parent / ".gitconfig").write_text(f"[safe]\n\tdirectory = {root}\n")
    assert found(root).branch() == "main"
    (root.parent / ".gitconfig").write_text(f"[safe]\n\tdirectory = {root}x\n")
    assert Repository.find(root) is None
    (root.parent / ".gitconfig").write_text(f"[safe]\n\tdirectory = {root.parent}/*\n")
    assert found(root).branch() == "main"
    git(root.parent, "config", "-f", str(root / ".git" / "config"), "safe.directory", "*")
    (root.parent / ".gitconfig").unlink()
    assert Repository.find(root) is None


def test_damaged_repositories_are_said(root: Path) -> None:
    repository = found(root)
    (root / ".git" / "index").write_bytes(b"garbage")
    with pytest.raises(NotPossible, match="git ls-files"):
        repository.files()
    (root / ".git" / "config").write_text("[core\n")
    assert Repository.find(root) is None
    with pytest.raises(NotPossible, match="git config"):
        repository.git("log")


@pytest.mark.gate("T09")
def test_reading_commands_and_refused_ones(root: Path) -> None:
    repository = found(root)
    assert repository.git("log", "--format=%s") == "first\n"
    assert repository.git("show", "HEAD:a.py") == "a = 1\n"
    assert repository.git("symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert repository.git("blame", "--porcelain", "a.py").startswith(repository.head())
    for args in (
        (),
        ("commit", "-m", "x"),
        ("worktree", "add", "x"),
        ("config", "a.b", "c"),
        ("symbolic-ref", "HEAD", "refs/heads/x"),
        ("symbolic-ref", "-d", "HEAD"),
        ("symbolic-ref", "--delete", "HEAD"),
        ("-c", "alias.x=!sh", "x"),
        ("log", "--output=/tmp/x"),
        ("log", "--outp=/tmp/x"),
        ("diff", "--ext-diff"),
        ("diff", "--ext"),
        ("show", "--textconv"),
        ("cat-file", "--filters", "HEAD:a.py"),
        ("grep", "--open-files-in-pager=sh", "a"),
        ("grep", "-Osh", "a"),
        ("ls-files", "--recurse-submodules"),
        ("log", "--help"),
    ):
        with pytest.raises(NotPossible, match="read"):
            repository.git(*args)
    with pytest.raises(NotPossible, match="fatal"):
        repository.git("log", "--", "/outside")


@pytest.mark.gate("R25")
def test_reading_takes_no_lock_and_changes_nothing(root: Path) -> None:
    repository = found(root)
    time.sleep(0.01)
    os.utime(root / "a.py")
    (root / ".git" / "index.lock").write_text("")
    before = (root / ".git" / "index").read_bytes()
    assert not repository.is_dirty()
    repository.files()
    assert (root / ".git" / "index").read_bytes() == before
    assert (root / ".git" / "index.lock").exists()


@pytest.mark.gate("R29")
def test_a_sparse_checkout_shows_what_is_there(root: Path) -> None:
    git(root, "sparse-checkout", "set", "--no-cone", "/a.py")
    assert found(root).files() == ["a.py"]


def test_names_that_look_like_marks_are_names(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    for name in ("? asked.py", "H held.py", "160000 link.py"):
        (tmp_path / name).write_text("x")
        (tmp_path / f"new {name}").write_text("x")
    git(tmp_path, "add", "--", "? asked.py", "H held.py", "160000 link.py")
    repository = Repository.find(tmp_path)
    assert repository is not None
    files, submodules = repository.listed()
    assert submodules == []
    assert files == sorted(path.name for path in tmp_path.iterdir() if path.is_file())
