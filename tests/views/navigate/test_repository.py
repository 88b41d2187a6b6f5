"""Navigation over the views of a repository that is edited meanwhile."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from aoci_agent.base.files import Workspace
from aoci_agent.views.graph.view import GraphView
from aoci_agent.views.maintain import RepositoryViews
from aoci_agent.views.navigate.answer import Provenance
from aoci_agent.views.navigate.policy import Navigation, Policy
from aoci_agent.views.navigate.repository import Beside
from aoci_agent.views.navigate.static import Graph, StaticNavigator

SHOP = 'def price(name: str) -> int:\n    """What it costs."""\n    return len(name)\n'
MAIN = 'from shop import price\n\n\ndef main() -> None:\n    print(price("tea"))\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "shop.py").write_text(SHOP, encoding="utf-8")
    (folder / "main.py").write_text(MAIN, encoding="utf-8")
    return folder


@pytest.fixture
def views(root: Path, tmp_path: Path) -> Iterator[RepositoryViews]:
    with Workspace(root) as workspace:
        views = RepositoryViews(workspace, None, tmp_path / "cache", {"graph": GraphView})
        yield views
        views.close()


@pytest.fixture
def beside(root: Path, views: RepositoryViews, tmp_path: Path) -> Beside:
    return Beside(root, tmp_path / "cache", Policy.STATIC, lambda: views.tree.files)


@contextmanager
def asked(views: RepositoryViews, beside: Beside) -> Generator[Navigation]:
    with views.answering("graph") as now:
        yield beside(StaticNavigator(cast("Graph", now.view("graph")), now.tree.read))


def test_static_answers_are_of_the_files_as_they_are(
    root: Path, views: RepositoryViews, beside: Beside, tmp_path: Path
) -> None:
    with asked(views, beside) as navigation:
        found = navigation.definition("main.py", 5, 10)
    assert [(p.location.path, p.location.start, p.symbol) for p in found.places] == [
        ("shop.py", 1, "price")
    ]
    assert (found.exact, found.provenance) == (True, Provenance.STATIC)
    (root / "shop.py").write_text(f"# one more\n{SHOP}", encoding="utf-8")
    with asked(views, beside) as navigation:
        assert navigation.definition("main.py", 5, 10).places[0].location.start == 2
        assert "What it costs." in navigation.hover("main.py", 5, 10).text
        assert [p.symbol for p in navigation.callers("shop.py", 2, 4).places] == ["main"]
        used = navigation.references("shop.py", 2, 4).places
        assert [(p.location.path, p.location.start) for p in used] == [
            ("main.py", 1),
            ("main.py", 5),
        ]
        assert navigation.symbols("price").places[0].kind == "function"
    beside.live.close()
    assert not (tmp_path / "cache" / "navigate").exists()


def test_servers_are_told_what_changed(
    root: Path, views: RepositoryViews, beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(beside.live, "tell", told.extend)
    with asked(views, beside):
        assert told == []
    (root / "shop.py").unlink()
    (root / "new.py").write_text("x = 1\n", encoding="utf-8")
    with asked(views, beside):
        assert told == ["new.py", "shop.py"]
    with asked(views, beside):
        assert told == ["new.py", "shop.py"]
