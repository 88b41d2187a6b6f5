"""A small repository under git, and views of it that are closed in the end."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.commits import git
from support.wordcount import WordCount

from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.views.maintain import RepositoryViews

Open = Callable[..., RepositoryViews]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "src").mkdir(parents=True)
    (root / "a.py").write_text("alpha = 1\n")
    (root / "src/b.py").write_text("beta = alpha\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def opened(small: Path, cache: Path) -> Iterator[Open]:
    """Opens views of the small repository: word counts, those given or one."""
    all_opened: list[RepositoryViews] = []

    def open_views(*views: WordCount, folder: Path = cache) -> RepositoryViews:
        makers = {view.name: (lambda view=view: view) for view in views or (WordCount(),)}
        found = RepositoryViews(Workspace(small), Repository.find(small), folder, makers)
        all_opened.append(found)
        return found

    yield open_views
    for found in all_opened:
        found.close()
