"""What a person wrote stays: through builds, updates, moves, merges and rollbacks of the machine's mind."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from support.commits import git

from aoci_agent.aoci import lock as locks
from aoci_agent.aoci.lock import Lock
from aoci_agent.aoci.parse import parse
from aoci_agent.aoci.store import IndexStore
from aoci_agent.aoci.write import write
from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import Workspace

FILES: Mapping[str, str] = {
    "shop/orders.py": '"""Orders"""\n\n\nclass Order:\n    """One order"""\n\n    def pay(self):\n        return 1\n',
    "shop/stock.py": '"""Stock"""\nfrom shop.orders import Order\n\nLIMIT = 5\n\n\ndef count(order: Order):\n    return LIMIT\n',
    "shop/web.py": '"""Pages"""\nfrom shop.stock import count\n\n\ndef page():\n    return count(None)\n',
}
Build = Callable[[], IndexStore]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "project"


def build(root: Path) -> tuple[str, ...]:
    with Workspace(root) as workspace:
        return IndexStore(workspace, None, root.parent / "cache").build().findings


def index_of(root: Path) -> Path:
    return root / ".aoci-agent" / "index.aoci"


def edit(root: Path, old: str, new: str) -> None:
    text = index_of(root).read_text()
    assert text.count(old) == 1
    index_of(root).write_text(text.replace(old, new))


def entry(root: Path, path: str) -> tuple[str, str, tuple[str, ...]]:
    found = parse(index_of(root).read_text()).by_path[path]
    return found.function, found.synopsis, found.api


def lock_of(root: Path) -> Lock:
    return locks.load((root / ".aoci-agent" / "lock.jsonl").read_text())


def test_elements_are_kept_one_by_one(root: Path) -> None:
    build(root)
    edit(root, "F:Orders", "F:Orders of customers, the heart of it")
    source = root / "shop/orders.py"
    source.write_text(
        source.read_text().replace("class Order:", "class Basket: ...\n\n\nclass Order:")
    )
    findings = build(root)
    function, _, api = entry(root, "shop/orders.py")
    assert function == "Orders of customers, the heart of it"
    assert "Basket" in api, "what nobody edited follows the source"
    assert any("source changed under F" in finding for finding in findings)
    assert list(lock_of(root).records["shop/orders.py"].pins) == ["F"]


def test_comments_and_formatting_do_not_age_a_persons_words(root: Path) -> None:
    build(root)
    edit(root, "F:Stock", "F:What lies in the shelves")
    build(root)
    source = root / "shop/stock.py"
    source.write_text(
        source.read_text().replace(
            "def count(order: Order):", "# counted\ndef count(\n    order: Order,\n):"
        )
    )
    assert not build(root)
    source.write_text(source.read_text().replace("return LIMIT", "return LIMIT + 1"))
    assert any("source changed" in finding for finding in build(root))


@pytest.mark.parametrize("also_edited", [False, True])
def test_a_move_takes_words_and_importance_along(root: Path, *, also_edited: bool) -> None:
    build(root)
    edit(root, "F:Orders", "F:The heart")
    build(root)
    before = lock_of(root).records["shop/orders.py"]
    text = (root / "shop/orders.py").read_text()
    (root / "shop/orders.py").unlink()
    (root / "core").mkdir()
    (root / "core/sales.py").write_text(text + ("\nMORE = 2\n" if also_edited else ""))
    findings = build(root)
    assert entry(root, "core/sales.py")[0] == "The heart"
    after = lock_of(root).records["core/sales.py"]
    assert after.importance == before.importance
    assert after.pins["F"].anchor == before.pins["F"].anchor
    assert "shop/orders.py" not in lock_of(root).records
    assert any("source changed" in finding for finding in findings) is also_edited


def test_an_update_says_what_moved_came_went_and_changed(root: Path) -> None:
    build(root)
    (root / "shop/web.py").rename(root / "shop/pages.py")
    (root / "shop/stock.py").write_text('"""Shelves"""\n')
    (root / "new.py").write_text('"""New"""\n')
    with Workspace(root) as workspace:
        made = IndexStore(workspace, None, root.parent / "cache").build().changes
    assert made.moved == (("shop/web.py", "shop/pages.py"),)
    assert (made.added, made.removed) == (("new.py",), ())
    assert "shop/stock.py" in made.changed


def test_pin_confirms_and_unpin_gives_back(root: Path) -> None:
    build(root)
    edit(root, "F:Orders", "F:The heart")
    source = root / "shop/orders.py"
    source.write_text(source.read_text().replace("return 1", "return 2"))
    assert any("source changed" in finding for finding in build(root))
    with Workspace(root) as workspace:
        store = IndexStore(workspace, None, root.parent / "cache")
        assert store.settle("shop/orders.py", ["F"], keep=True) == ["F"]
    assert not build(root)
    with Workspace(root) as workspace:
        store = IndexStore(workspace, None, root.parent / "cache")
        assert store.settle("shop/orders.py", ["F"], keep=False) == ["F"]
        with pytest.raises(ForUser, match=r"no entry for 'nowhere\.py'"):
            store.settle("nowhere.py", ["F"], keep=True)
    assert entry(root, "shop/orders.py")[0] == "Orders"
    assert not lock_of(root).records["shop/orders.py"].pins


def test_a_pinned_tag_keeps_everything_but_the_size(root: Path) -> None:
    build(root)
    tag = parse(index_of(root).read_text()).by_path["shop/web.py"].tag
    text = index_of(root).read_text()
    index = parse(text)
    entries = tuple(
        replace(e, tag=replace(e.tag, layer="X", importance=9)) if e.path == "shop/web.py" else e
        for e in index.entries
    )
    index_of(root).write_text(write(replace(index, entries=entries)))
    (root / "shop/web.py").write_text((root / "shop/web.py").read_text() + "# line\n" * 150)
    build(root)
    now = parse(index_of(root).read_text()).by_path["shop/web.py"].tag
    assert (now.layer, now.importance, now.size) == ("X", 9, "S")
    assert tag.size == "T"


def test_a_session_keeps_a_persons_words_when_it_refreshes(root: Path) -> None:
    build(root)
    edit(root, "F:Orders", "F:The heart")
    build(root)
    (root / "shop/orders.py").write_text('"""Other"""\n\n\ndef other(): ...\n')
    with Workspace(root) as workspace:
        store = IndexStore(workspace, None, root.parent / "cache")
        (made,) = store.refresh(["shop/orders.py"])
    assert (made.function, made.api) == ("The heart", ("other",))


def branch(root: Path, name: str, start: str, change: Callable[[], None]) -> None:
    assert git(root, "checkout", "-q", "-b", name, start).returncode == 0
    change()
    build(root)
    git(root, "add", "-A")
    assert git(root, "commit", "-qm", name).returncode == 0


def test_neighbouring_edits_of_two_branches_merge(root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    build(root)
    edit(root, "F:Pages", "F:What visitors see")
    build(root)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start")
    branch(root, "one", "main", lambda: edit(root, "F:Orders", "F:The heart"))
    branch(root, "two", "main", lambda: edit(root, "F:Stock", "F:Shelves"))
    merged = git(root, "merge", "-q", "one", "-m", "both")
    assert merged.returncode == 0, merged.stdout
    before = index_of(root).read_text()
    assert not build(root)
    assert index_of(root).read_text() == before
    told = [entry(root, path)[0] for path in sorted(FILES)]
    assert told == ["The heart", "Shelves", "What visitors see"]


def test_merge_conflict_markers_are_refused_not_guessed(root: Path) -> None:
    build(root)
    text = index_of(root).read_text()
    line = next(line for line in text.split("\n") if line.startswith("orders.py["))
    other = line.replace("F:Orders", "F:Sales")
    broken = text.replace(line, f"<<<<<<< one\n{line}\n=======\n{other}\n>>>>>>> two")
    index_of(root).write_text(broken)
    with pytest.raises(ForUser, match="merge conflict markers"):
        build(root)
    assert index_of(root).read_text() == broken
    with Workspace(root) as workspace:  # a session goes on without writing
        store = IndexStore(workspace, None, root.parent / "cache")
        store.follow()
        assert store.current.by_path["shop/orders.py"].directory == "shop"
    assert index_of(root).read_text() == broken


def test_a_conflict_in_the_lock_pins_nothing(root: Path) -> None:
    build(root)
    lock_file = root / ".aoci-agent/lock.jsonl"
    earlier = next(r for r in lock_file.read_text().split("\n") if '"shop/orders.py"' in r)
    (root / "shop/orders.py").write_text('"""Sales"""\n')
    build(root)
    later = next(r for r in lock_file.read_text().split("\n") if '"shop/orders.py"' in r)
    text = lock_file.read_text()
    lock_file.write_text(text.replace(later, f"<<<<<<< a\n{later}\n=======\n{earlier}\n>>>>>>> b"))
    (root / "shop/orders.py").write_text('"""Baskets"""\n')
    assert not build(root)
    assert entry(root, "shop/orders.py")[0] == "Baskets"
