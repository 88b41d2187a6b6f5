"""The store stays small, also when the agent is killed while it writes."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.net import Net, git, state

from aoci_agent.base.snapshots import prune
from aoci_agent.base.snapshots.snapshots import Snapshots

CHILD = """
import asyncio, random, sys
from pathlib import Path
sys.path[:0] = sys.argv[5:]
from support.net import Net
from aoci_agent.base.snapshots.snapshots import Snapshots
root, store, seed, cap = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
async def main():
    net = Net(root, store, session=f"s{seed}", largest=cap)
    dice = random.Random(seed)
    files = sorted(root.glob("*.bin"))
    print("begun", flush=True)
    for number in range(1000):
        await net.asks(f"q{number}")
        for file in dice.sample(files, 3):
            file.write_bytes(dice.randbytes(file.stat().st_size))
        await net.runs("true")
asyncio.run(main())
"""


def on_disk(store: Path) -> int:
    """Bytes of the store's own files; git's objects have a second name there and cost nothing."""
    found = (path.stat() for path in store.rglob("*") if path.is_file())
    return sum(status.st_size for status in found if status.st_nlink == 1)


def hammered(
    tmp_path: Path, kills: int, files: int, size: int, cap: int, longest: float = 0.5
) -> int:
    root, store = tmp_path / "ws", tmp_path / "store"
    root.mkdir()
    git(root, "init", "-q")
    for number in range(files):
        (root / f"{number}.bin").write_bytes(os.urandom(size))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    dice = random.Random(8)
    for seed in range(kills):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, *map(str, (root, store, seed, cap)), *sys.path],
            stdout=subprocess.PIPE,
        )
        assert child.stdout is not None
        assert child.stdout.readline() == b"begun\n"
        time.sleep(dice.random() * longest)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        snapshots = Snapshots(root, None, store, cap)
        assert on_disk(store) <= cap
        assert not list(store.rglob("*.part"))
        moments = snapshots.store.moments()
        for moment in moments[-1:]:
            list(snapshots.difference(moment.before, snapshots.take()))
        snapshots.close()
    return kills


@pytest.mark.gate("R08", "R09")
def test_after_kills_the_store_is_whole_and_within_its_bound(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    record_property("cases", hammered(tmp_path, 2, 40, 50_000, 3_000_000))


@pytest.mark.gate_only
@pytest.mark.gate("R08", "R09")
@pytest.mark.timeout(900)
def test_two_hundred_kills_on_a_large_tree(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    record_property("cases", hammered(tmp_path, 200, 120, 150_000, 27_000_000, 0.4))


async def test_old_points_make_room_and_that_is_said(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    net = Net(root, tmp_path / "store", git=False, largest=2_000_000)
    for number in range(30):
        await net.asks(f"q{number}")
        await net.edits("a.bin", os.urandom(200_000))
    assert on_disk(tmp_path / "store") < 4_500_000  # what is not merged yet among it
    points = await net.rewind.points()
    old, new = points[-1], points[0]
    assert "not all comes back" in (await net.rewind.preview(old)).notes[0]
    assert (await net.rewind.preview(new)).notes == ()
    before = state(root)
    await net.edits("b", b"1")
    await net.back(new.name)
    assert state(root) != before
    await net.close()
    assert on_disk(tmp_path / "store") <= 2_000_000


def test_what_does_not_fit_is_left_out_and_named(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    for number in range(20):
        (root / f"{number}.bin").write_bytes(os.urandom(200_000))
    (root / "small.txt").write_text("small\n")
    snapshots = Snapshots(root, None, tmp_path / "store", 2_000_000)
    snapshots.take()
    assert 8 < list(snapshots.left_out.values()).count("no room left for it") < 20
    assert snapshots.store.size <= 2_000_000
    snapshots.close()


def test_what_is_old_goes(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    snapshots = Snapshots(root, None, tmp_path / "store")
    (root / "a").write_text("old")
    first = snapshots.take()
    number = snapshots.store.begin("s", "turn", 1, "", first)
    (root / "a").write_text("new")
    snapshots.store.begin("s", "turn", 2, "", snapshots.take())
    db = snapshots.store._db  # pyright: ignore[reportPrivateUsage] - time passes
    db.execute("UPDATE moment SET at = at - ? WHERE number = ?", (prune.DAYS * 90_000, number))
    snapshots.make_room()
    assert [moment.turn for moment in snapshots.store.moments()] == [2]
    assert not snapshots.store.has(first.tree)
    assert snapshots.take() == snapshots.store.moments()[0].before
    snapshots.close()


def test_nothing_is_removed_while_another_session_has_the_store(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    one = Snapshots(root, None, tmp_path / "store", 1_000_000)
    two = Snapshots(root, None, tmp_path / "store", 1_000_000)
    for number in range(5):
        (root / "a").write_bytes(os.urandom(190_000))
        one.store.begin("s", "turn", number, "", one.take())
    two.make_room()
    assert len(one.store.moments()) == 5
    one.close()
    two.make_room()
    assert len(two.store.moments()) < 5
    two.close()


def test_git_itself_dropping_objects_drops_their_second_names(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a").write_text("1")
    git(root, "add", "a")
    snapshots = Snapshots(root, None, tmp_path / "store")
    snapshots.take()
    snapshots.close()
    kept = tmp_path / "store/git/objects"
    assert len([path for path in kept.rglob("*") if path.is_file()]) == 1
    git(root, "rm", "-qf", "a")
    git(root, "gc", "-q", "--prune=now")
    Snapshots(root, None, tmp_path / "store").close()
    assert [path for path in kept.rglob("*") if path.is_file()] == []
    shutil.rmtree(root / ".git")
    Snapshots(root, None, tmp_path / "store").close()
