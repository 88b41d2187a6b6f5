"""Git's own folder comes back whole, and what a crash left of it goes."""

import os
import shutil
from pathlib import Path

import pytest
from support.net import git, users

from aoci_agent.base import strays
from aoci_agent.base.git import Repository
from aoci_agent.base.replace import PREFIX
from aoci_agent.base.snapshots.restoring import bring_back_git
from aoci_agent.base.snapshots.snapshots import Snapshots

LOCAL = ("-c", "protocol.file.allow=always")


def repository(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text(f"{folder.name} = 1\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


def kept(store: Path) -> set[str]:
    found = (store / "git/modules").rglob("*")
    return {path.name for path in found if path.is_file()}


@pytest.mark.gate("R27")
def test_the_objects_of_submodules_come_back_and_go_with_gits_own(tmp_path: Path) -> None:
    inner, middle, root = (repository(tmp_path / name) for name in ("inner", "middle", "ws"))
    for folder, other, name in ((middle, inner, "inner"), (root, middle, "deep/objects")):
        git(folder, *LOCAL, "submodule", "add", "-q", str(other), name)
        git(folder, "commit", "-qm", "with another")
    git(root, *LOCAL, "submodule", "update", "-q", "--init", "--recursive")
    places = (root / "deep/objects", root / "deep/objects/inner")
    for place in places:
        (place / "new.py").write_text("new\n")
        git(place, "add", "-A")
    then = users(root)
    snapshots = Snapshots(root, Repository.find(root), tmp_path / "store")
    before = snapshots.take()
    shutil.rmtree(root / ".git")
    bring_back_git(snapshots, before.git)
    assert users(root) == then
    for place in places:
        git(place, "fsck", "--strict")
        assert git(place, "cat-file", "blob", ":new.py") == b"new\n"
        git(place, "rm", "-qf", "new.py")
        git(place, "gc", "-q", "--prune=now")
    snapshots.close()
    was = kept(tmp_path / "store")
    Snapshots(root, None, tmp_path / "store").close()
    assert len(was) > len(kept(tmp_path / "store")) == 0  # as packs they are others


def test_a_link_to_gits_folder_comes_back_as_one(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    (root / ".git").rename(tmp_path / "elsewhere")
    (root / ".git").symlink_to("../elsewhere")
    snapshots = Snapshots(root, None, tmp_path / "store")
    before = snapshots.take()
    (root / ".git").unlink()
    bring_back_git(snapshots, before.git)
    assert (root / ".git").readlink() == Path("../elsewhere")
    snapshots.close()


def test_what_a_crash_left_of_a_folder_goes_at_the_next_start(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    names = [f"{PREFIX}{pid}-0123456789abcdef" for pid in (child, os.getpid())]
    for name in (*names, f"{PREFIX}notes"):
        (tmp_path / name / "objects").mkdir(parents=True)
        (tmp_path / name / "HEAD").write_text("ref: refs/heads/main\n")
    assert strays.sweep(tmp_path) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [names[1], f"{PREFIX}notes"]
