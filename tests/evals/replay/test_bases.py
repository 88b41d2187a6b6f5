"""Where cells start: what looking for the trees of dead processes costs."""

from pathlib import Path

import pytest
from support.commits import git
from support.programs import counted
from support.replays import bases_in, calculator


def test_without_trees_no_repository_of_a_base_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bases = bases_in(calculator(tmp_path / "shop"), tmp_path / "home")
    for number in range(3):
        made = bases.home / "repositories" / str(number)
        made.mkdir(parents=True)
        git(made, "init", "-q")
    path, calls = counted("git", tmp_path / "programs")
    monkeypatch.setenv("PATH", path)
    bases.sweep()
    assert calls() == []
    (bases.home / "trees").mkdir()
    (bases.home / "trees" / "one.json").write_text("{}")
    bases.sweep()
    assert calls()
