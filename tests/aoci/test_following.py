from pathlib import Path

from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.files import Workspace


def test_following_leaves_the_workspace_alone_and_still_reuses(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.py").write_text('"""First."""\n')
    with Workspace(root) as workspace:
        first = IndexStore(workspace, None, tmp_path / "cache")
        assert first.follow().derived == 1
        second = IndexStore(workspace, None, tmp_path / "cache")
        assert second.follow().derived == 0
        assert second.current == first.current
    assert [path.name for path in root.iterdir()] == ["a.py"]


def test_following_sees_changes_made_after_a_build(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.py").write_text('"""First."""\n')
    with Workspace(root) as workspace:
        IndexStore(workspace, None, tmp_path / "cache").build()
        on_disk = (root / ".aoci-agent/index.aoci").read_text()
        (root / "a.py").write_text('"""Second."""\n')
        for _ in range(2):
            store = IndexStore(workspace, None, tmp_path / "cache")
            store.follow()
            assert store.current.by_path["a.py"].function == "Second."
    assert (root / ".aoci-agent/index.aoci").read_text() == on_disk


def test_building_after_following_writes_into_the_workspace(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.py").write_text('"""First."""\n')
    with Workspace(root) as workspace:
        IndexStore(workspace, None, tmp_path / "cache").follow()
        report = IndexStore(workspace, None, tmp_path / "cache").build()
    assert report.findings == ()
    assert sorted(path.name for path in (root / ".aoci-agent").iterdir()) == [
        "index.aoci",
        "lock.jsonl",
    ]
