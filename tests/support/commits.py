"""git in a temporary repository, as whoever commits there."""

import subprocess
from pathlib import Path

from aoci_agent.base.git import Repository

_SETTINGS = ("user.name=a", "user.email=a@example.org", "commit.gpgsign=false")


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git; a failure is the caller's to judge."""
    options = [part for setting in _SETTINGS for part in ("-c", setting)]
    return subprocess.run(
        ["git", *options, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def found(folder: Path) -> Repository:
    """The repository of a folder, which is one."""
    repository = Repository.find(folder)
    assert repository is not None
    return repository
