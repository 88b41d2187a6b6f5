"""One way to run git for a repository: held by it, read or written through it."""

import os
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from support.commits import found, git

from aoci_agent.base.armed import hook_files
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.excerpt import applied
from aoci_agent.base.git import Repository
from aoci_agent.base.hardened import WritingGit
from aoci_agent.base.trust import fingerprint


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text("a = 1\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def test_what_would_run_is_asked_with_one_program(root: Path, tmp_path: Path) -> None:
    git(root, "config", "core.pager", "touch paged")
    hardened = found(root).hardened
    log, program = tmp_path / "asked", tmp_path / "counting"
    program.write_text(
        f'#!/bin/sh\necho "$*" >> {shlex.quote(str(log))}\nexec {hardened.program} "$@"\n'
    )
    program.chmod(0o755)
    seen = fingerprint(root, Repository(root, replace(hardened, program=str(program))))
    assert "git setting core.pager" in {item.name for item in seen.items}
    assert len(log.read_text().splitlines()) == 1


@pytest.mark.parametrize("written", [b"../..\n", b"%s\r\n"], ids=["relative", "not UTF-8"])
def test_worktrees_share_one_folder(root: Path, tmp_path: Path, written: bytes) -> None:
    odd = root.rename(tmp_path / os.fsdecode(b"caf\xe9"))
    git(odd, "worktree", "add", "-q", "../tree", "-b", "side")
    shared = odd / ".git"
    hook = shared / "hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.touch(mode=0o755)
    if b"%" in written:
        written %= os.fsencode(shared)
    (shared / "worktrees/tree/commondir").write_bytes(written)
    inside = found(tmp_path / "tree")
    assert inside.hardened.common_dir == found(odd).hardened.common_dir == shared
    assert hook_files(inside.hardened, ()) == [hook]
    assert inside.hooks() == (hook.parent, "")
    assert len(inside.deciding(inside.root)) == len(found(odd).deciding(odd))


def test_a_name_is_a_commit_or_none(root: Path) -> None:
    repository = found(root)
    head = repository.head()
    git(root, "tag", "-a", "-m", "one", "v1")
    git(root, "branch", "caf\udce9")
    for name in ("HEAD", "main", "v1", head[:9], "@", "HEAD@{1 hour ago}", "caf\udce9"):
        assert repository.commit(name) == head, name
    wrong = ("", "no", "-q", "--all", "^HEAD", "HEAD^", "HEAD..HEAD", "HEAD:a.py", "HEAD^{tree}")
    for name in (*wrong, "a\0b", "main\n", "\ud800", head[:-1] + "g", "0" * 40):
        assert repository.commit(name) == "", name


def test_the_complaint_of_a_writing_command_is_told(root: Path) -> None:
    with pytest.raises(NotPossible, match="git apply: error: patch fragment without header"):
        applied(found(root), "@@ -1 +1 @@\n-b\n+c\n")
    (root / "big").write_bytes(b"x" * 1_200_000)
    git(root, "add", "big")
    with pytest.raises(NotPossible, match="git show: too much output"):
        WritingGit.of(found(root).hardened).do("show", ":big")
