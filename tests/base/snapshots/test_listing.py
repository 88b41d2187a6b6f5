"""When git is asked anew which files it tracks and ignores."""

import os
import time
from pathlib import Path

import pytest
from support.net import git

from aoci_agent.base import stamps
from aoci_agent.base.git import Repository
from aoci_agent.base.snapshots.snapshots import Snapshots

OLD, YOUNG = -(10**12), 10**18  # the grain of a clock for which all files are old, or young


class Asked(Repository):
    """Counts its listings."""

    times = 0

    def git(self, *args: str) -> str:
        self.times += args[0] == "ls-files"
        return super().git(*args)


def asked(folder: Path) -> Asked:
    found = Repository.find(folder)
    assert found is not None
    return Asked(found.root, found.hardened)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "part").mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "part/a.py").write_text("a = 1\n")
    git(folder, "add", "-A")
    return folder


def test_rules_above_the_folder_count(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "RACY_NS", OLD)
    (root / "part/big.bin").write_bytes(bytes(1_500_000))
    snapshots = Snapshots(root / "part", asked(root / "part"), tmp_path / "store")
    snapshots.take()
    assert snapshots.left_out == {}
    (root / ".gitignore").write_text("*.bin\n")
    (root / "part/big.bin").write_bytes(b"x" * 1_500_000)
    snapshots.take()
    assert snapshots.left_out == {"big.bin": "too large"}  # for what is ignored
    snapshots.close()


def test_git_is_asked_again_while_what_decides_is_young(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = asked(root)
    snapshots = Snapshots(root, repository, tmp_path / "store")
    monkeypatch.setattr(stamps, "RACY_NS", YOUNG)
    snapshots.take()
    snapshots.take()
    assert repository.times == 2
    monkeypatch.setattr(stamps, "RACY_NS", OLD)
    for _ in range(3):
        snapshots.take()
    assert repository.times == 3
    (root / ".gitignore").write_text("x\n")
    tomorrow = time.time() + 86_400
    os.utime(root / ".gitignore", (tomorrow, tomorrow))  # young among what is old
    for _ in range(2):
        snapshots.take()
    assert repository.times == 5
    snapshots.close()
