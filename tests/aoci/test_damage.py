"""Nothing a person wrote is lost to a damaged file, a merge, or a lost one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from aoci_agent.aoci import lock as locks
from aoci_agent.aoci.check.repair import repair
from aoci_agent.aoci.check.run import check
from aoci_agent.aoci.parse import parse
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.errors import BadUsage, ForUser
from aoci_agent.base.files import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("orders", "stock", "web"):
        path = tmp_path / "project" / "shop" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'"""{name.title()}"""\n\n\ndef {name}_now():\n    return 1\n')
    root = tmp_path / "project"
    build(root)
    edit(root, "F:Orders", "F:The heart")
    build(root)
    return root


def store(root: Path, act: Callable[[IndexStore], object]) -> object:
    with Workspace(root) as workspace:
        return act(IndexStore(workspace, None, root.parent / "cache"))


def build(root: Path) -> tuple[str, ...]:
    with Workspace(root) as workspace:
        return IndexStore(workspace, None, root.parent / "cache").build().findings


def place(root: Path) -> Path:
    return root / ".aoci-agent" / "index.aoci"


def edit(root: Path, old: str, new: str) -> None:
    text = place(root).read_text()
    assert text.count(old) == 1
    place(root).write_text(text.replace(old, new))


def told(root: Path, name: str) -> str:
    return parse(place(root).read_text()).by_path[f"shop/{name}.py"].function


def line_of(root: Path, name: str) -> str:
    return next(row for row in place(root).read_text().split("\n") if row.startswith(f"{name}.py["))


def damaged(root: Path, how: str) -> str:
    text, line = place(root).read_text(), line_of(root, "stock")
    match how:
        case "no bracket":
            return text.replace(line, line.replace("]:", ":"))
        case "no tag":
            return text.replace(line, f"stock.py F:Shelves {line.partition('F:')[2]}")
        case "odd tag":
            return text.replace(line, line.replace("[", "[D-", 1))
        case "twice":
            return text.replace(line, f"{line.partition(' | ')[0]} |\n\n{line}")
        case "conflict":
            return text.replace(line, f"<<<<<<< a\n{line}\n=======\n{line}\n>>>>>>> b")
        case _:
            return text.replace("#AOCI 1", "#AOCI 9", 1)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("no bracket", "cannot be read"),
        ("no tag", "cannot be read"),
        ("odd tag", "cannot be read"),
        ("twice", "two different entries"),
        ("conflict", "conflict markers"),
        ("future", "format 9"),
    ],
)
def test_what_cannot_be_told_is_refused_and_left_alone(root: Path, how: str, says: str) -> None:
    text = damaged(root, how)
    place(root).write_text(text)
    with pytest.raises(ForUser, match=says) as raised:
        build(root)
    assert raised.value.hint
    assert place(root).read_text() == text
    store(root, lambda opened: opened.follow())  # a session goes on, and writes nothing
    assert place(root).read_text() == text


def test_fix_keeps_both_sides_and_the_words_by_hand(root: Path) -> None:
    ours, theirs = line_of(root, "stock"), line_of(root, "stock").replace("F:Stock", "F:Shelves")
    new = ours.replace("stock.py", "tools.py").replace("F:Stock", "F:Tools")
    text = place(root).read_text()
    both = f"<<<<<<< a\n{ours}\n=======\n{theirs}\n\n{new}\n>>>>>>> b"
    place(root).write_text(text.replace(ours, both))
    (root / "shop/tools.py").write_text('"""Tools"""\n')
    assert "both sides" in str(store(root, repair))
    build(root)
    assert [told(root, name) for name in ("orders", "stock", "tools")] == [
        "The heart",
        "Shelves",
        "Tools",
    ]


def test_fix_asks_where_two_people_wrote(root: Path) -> None:
    line = line_of(root, "orders")
    other = line.replace("The heart", "Sales")
    text = place(root).read_text().replace(line, f"{line}\n\n{other}")
    place(root).write_text(text)
    with pytest.raises(ForUser, match="2 entries with words written by hand"):
        store(root, repair)
    assert place(root).read_text() == text


def test_a_lost_index_with_words_by_hand_is_not_replaced(root: Path) -> None:
    text = place(root).read_text()
    for state, says in ((None, "gone"), ("", "no index any more"), ("\0\1", "no index any more")):
        place(root).unlink(missing_ok=True)
        if state is not None:
            place(root).write_text(state)
        with pytest.raises(ForUser, match=says) as raised:
            build(root)
        assert "git checkout" in raised.value.hint
    place(root).write_text(text)
    assert not build(root)
    place(root).unlink()
    store(root, lambda opened: opened.build(fresh=True))
    assert told(root, "orders") == "Orders"


def test_a_lost_entry_with_words_by_hand_is_said(root: Path) -> None:
    place(root).write_text(place(root).read_text().replace(f"{line_of(root, 'orders')}\n\n", ""))
    assert any("index rollback shop/orders.py@HEAD" in finding for finding in build(root))


def test_pin_confirms_what_was_written_by_hand_only(root: Path) -> None:
    assert store(root, lambda opened: opened.settle("shop/orders.py", [], keep=True)) == ["F"]
    lock = locks.load((root / ".aoci-agent/lock.jsonl").read_text())
    assert list(lock.records["shop/orders.py"].pins) == ["F"]
    assert store(root, lambda opened: opened.settle("shop/web.py", [], keep=True)) == list("FRAST")
    assert store(root, lambda opened: opened.settle("shop/orders.py", [], keep=False)) == ["F"]
    assert told(root, "orders") == "Orders"


def test_only_what_is_in_the_repository_is_checked(root: Path) -> None:
    place(root).unlink()
    (root / ".aoci-agent/lock.jsonl").unlink()
    store(root, lambda opened: opened.follow())
    with Workspace(root) as workspace, pytest.raises(BadUsage, match="to check"):
        check(IndexStore(workspace, None, root.parent / "cache"), workspace)


def test_a_build_that_cannot_write_never_claims_it_did(root: Path) -> None:
    place(root).unlink()
    (root / ".aoci-agent/lock.jsonl").unlink()
    place(root).mkdir()
    for _ in range(3):
        with Workspace(root) as workspace:
            report = IndexStore(workspace, None, root.parent / "cache").build()
        assert not report.saved
