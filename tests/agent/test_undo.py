"""The guard: what is saved around calls, what happens when nothing can be saved."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.net import Net, state, users, workspace

from aoci_agent.agent.guard import Guards
from aoci_agent.agent.rewind import Point
from aoci_agent.agent.undo import Undo, open_undo
from aoci_agent.base.errors import ForUser, NotPossible
from aoci_agent.base.places import Places
from aoci_agent.base.snapshots.snapshots import Snapshots


async def test_an_edit_saves_the_path_it_names_and_nothing_else(tmp_path: Path) -> None:
    net = Net(workspace(tmp_path, "git"), tmp_path / "store")
    await net.asks()
    (net.root / "src/b.py").write_bytes(b"the person's, meanwhile\n")
    await net.edits("a.py", b"agent\n")
    await net.edits("fresh/new.py", b"agent\n")
    await net.edits("link", b"through the link\n")
    (net.root / "new.txt").write_bytes(b"the person's, too\n")
    done = await net.back()
    assert set(done.files) == {"a.py", "fresh", "fresh/new.py"}
    assert (net.root / "a.py").read_bytes() == b"print('a, changed and not committed')\n"
    assert not (net.root / "fresh").exists()
    assert (net.root / "src/b.py").read_bytes() == b"the person's, meanwhile\n"
    assert (net.root / "new.txt").read_bytes() == b"the person's, too\n"
    await net.close()


async def test_each_question_can_be_gone_back_to(tmp_path: Path) -> None:
    root = workspace(tmp_path, "none")
    net = Net(root, tmp_path / "store")
    states = [state(root)]
    for number in range(4):
        await net.asks(f"question {number}")
        await net.edits("a.py", b"%d\n" % number)
        await net.runs(f"mkdir d{number}; mv a.py d{number}/a.py; cp d{number}/a.py a.py")
        states.append(state(root))
    points = await net.rewind.points()
    assert [(p.name, p.prompt, p.files) for p in points] == [
        ("turn 4", "question 3", 2), ("turn 3", "question 2", 3),
        ("turn 2", "question 1", 4), ("turn 1", "question 0", 5),
    ]  # fmt: skip
    for number in (2, 4, 1, 3, 1):
        await net.back(number)
        # Going back to a later point undoes the rewindings since, not what lies before them.
        if number == 1:
            assert state(root) == states[0]
    await net.close()


@pytest.mark.gate("R07")
async def test_what_a_person_saves_while_a_command_runs_is_kept_by_redo(tmp_path: Path) -> None:
    """Nobody can tell who wrote it: it goes back with the rest, and comes again with redo."""
    root = workspace(tmp_path, "git")
    net = Net(root, tmp_path / "store")
    await net.asks()
    await net.runs("echo agent > a.py; echo person > src/b.py")
    await net.back()
    assert (root / "src/b.py").read_bytes() == b"import a\r\nprint('b')\r\n"
    await net.redo()
    assert (root / "src/b.py").read_text() == "person\n"
    await net.close()


class Full(Snapshots):
    """A disk without room."""

    full = True

    def take(self):
        if self.full:
            raise OSError(28, "No space left on device", str(self.store.folder))
        return super().take()


@pytest.mark.gate("R11", "R07")
async def test_without_a_net_full_auto_runs_no_command_and_the_person_is_told_once(
    tmp_path: Path,
) -> None:
    root = workspace(tmp_path, "none")
    for unattended in (True, False):
        net = Net(root, tmp_path / "store", unattended=unattended)
        net.undo.snapshots = full = Full(root, None, tmp_path / "store")
        await net.asks()
        if unattended:
            with pytest.raises(NotPossible, match="no snapshot could be taken"):
                await net.runs("rm -rf src")
        else:
            await net.runs("true")
        await net.edits("a.py", b"edits run: the record has them\n")
        (news,) = net.undo.news()
        assert "No space left" in news
        assert "cannot bring files back" in news
        assert net.undo.news() == ()
        with pytest.raises(ForUser, match="cannot be saved first"):
            await net.back()
        full.full = False
        await net.runs("echo now > later")
        net.snapshots.close()
        await net.close()
    assert (root / "src").exists()


async def test_a_store_that_cannot_be_opened_is_said_and_nothing_else_breaks(
    tmp_path: Path,
) -> None:
    root = workspace(tmp_path, "none")
    (tmp_path / "data").write_text("a file where a folder should be")
    places = Places({"HOME": str(tmp_path), "AOCI_AGENT_HOME": str(tmp_path)})
    undo = open_undo(root, None, places, "s1", lambda: False)
    assert "no snapshots" in undo.news()[0]
    await undo.turn_begins(1, "hello")
    await undo.close()


async def test_what_is_left_out_is_said_once(tmp_path: Path) -> None:
    root = workspace(tmp_path, "none")
    (root / "video.mp4").write_bytes(bytes(10_000_001))
    (root / "node_modules").mkdir()
    net = Net(root, tmp_path / "store")
    await net.asks()
    await net.asks()
    assert net.undo.news() == ("not in the snapshots of /rewind: video.mp4 (too large)",)
    await net.close()


async def test_what_was_never_saved_is_neither_brought_back_nor_removed(tmp_path: Path) -> None:
    root = workspace(tmp_path, "none")
    (root / "big").write_bytes(bytes(10_000_001))
    net = Net(root, tmp_path / "store")
    await net.asks()
    await net.runs(
        "rm big; truncate -s 11M made.bin; mkdir node_modules; echo 1 > node_modules/x; rm a.py"
    )
    preview = await net.rewind.preview((await net.rewind.points())[0])
    assert {file.path: file.why[:12] for file in preview.lost} == {
        "big": "it was too l", "made.bin": "it stays: it", "node_modules": "it stays: it",
    }  # fmt: skip
    await net.back()
    assert (root / "made.bin").exists()
    assert (root / "node_modules/x").exists()
    assert (root / "a.py").exists()
    await net.close()


CHILD = """
import asyncio, os, sys
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from support.net import Net
async def main():
    net = Net(Path(sys.argv[1]), Path(sys.argv[2]), git=False)
    await net.asks("one")
    await net.edits("a.py", b"agent\\n")
    await net.runs("rm -rf src; echo started; sleep 30")
asyncio.run(main())
"""


def killed_in_a_command(root: Path, store: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(root), str(store), *sys.path], start_new_session=True
    )
    while (root / "src").exists():
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


@pytest.mark.gate("R09", "R07")
async def test_a_command_that_was_killed_with_the_agent_is_undone_in_the_next_session(
    tmp_path: Path,
) -> None:
    root = workspace(tmp_path, "none")
    before = state(root)
    killed_in_a_command(root, tmp_path / "store")
    net = Net(root, tmp_path / "store", git=False)
    net.past.turns = 1
    assert not (root / "src").exists()
    await net.asks("go on")
    preview = await net.rewind.preview(Point("turn 1", "", 0.0))
    assert "cut short" in preview.notes[0]
    await net.rewind.restore(Point("turn 1", "", 0.0), "code")
    assert state(root) == before
    await net.close()


@pytest.mark.gate("R23")
async def test_two_sessions_on_one_folder_keep_apart(tmp_path: Path) -> None:
    root = workspace(tmp_path, "git")
    one = Net(root, tmp_path / "store", session="one")
    two = Net(root, tmp_path / "store", session="two")
    await asyncio.gather(one.asks("a"), two.asks("b"))
    await one.edits("a.py", b"one\n")
    await two.edits("src/b.py", b"two\n")
    await one.runs("rm new.txt")
    assert {p.files for p in await two.rewind.points()} == {1}
    await one.back()
    assert (root / "src/b.py").read_bytes() == b"two\n"
    assert (root / "new.txt").read_bytes() == b"never added\n"
    await two.back()
    await one.close()
    await two.close()


@pytest.mark.gate("R25", "S13")
async def test_git_is_free_while_snapshots_are_taken(tmp_path: Path) -> None:
    root = workspace(tmp_path, "git")
    net = Net(root, tmp_path / "store")
    (root / ".git/index.lock").touch()
    mine = users(root)
    await net.asks()
    await net.runs("echo x > a.py")
    await net.back()
    assert users(root) == mine
    await net.close()


def test_an_undo_is_a_guard() -> None:
    Guards([Undo(None, "s", lambda: False)])


async def test_a_call_that_is_interrupted_before_it_starts_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    net = Net(workspace(tmp_path, "git"), tmp_path / "store")
    await net.asks()
    running = asyncio.create_task(net.runs("rm a.py"))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (net.root / "a.py").exists()
    assert [moment.kind for moment in net.snapshots.store.moments()] == ["turn"]
    await net.close()
