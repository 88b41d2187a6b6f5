"""`aoci-agent rewind`, as a script uses it after a headless session."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.net import Net, git

from aoci_agent.agent.events import SessionStarted
from aoci_agent.agent.past import Past
from aoci_agent.agent.record import NoRecord, SessionRecord
from aoci_agent.agent.resume import read
from aoci_agent.base.errors import BadUsage, Exit, ForUser
from aoci_agent.base.git import Repository
from aoci_agent.base.occupied import Occupation, Occupied
from aoci_agent.base.places import Places
from aoci_agent.base.snapshots.snapshots import store_folder
from aoci_agent.base.worktrees import Worktree, worktrees_of
from aoci_agent.cli.arguments import parse
from aoci_agent.tui.rewind_lines import point_line

STARTED = SessionStarted("s1", "/x", "m", "grep-read", "ask", "", "p", "", "no index", "0")


@pytest.fixture
async def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a session changed two files in two questions."""
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    root = tmp_path / "shop"
    root.mkdir()
    (root / "a.py").write_text("start\n")
    places = Places({"AOCI_AGENT_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)})
    path = places.data / "sessions" / places.project(root) / "s1.jsonl"
    net = Net(root, store_folder(places, root), recorder=SessionRecord(path))
    net.past.write(STARTED)
    await net.asks("fix \x1b[2J it")
    await net.edits("a.py", b"one\n")
    await net.asks("and b")
    await net.edits("b.py", b"two\n")
    net.past.close()
    await net.close()
    return root


def rewind(root: Path, *words: str) -> int:
    arguments = parse(["rewind", *words, "--cwd", str(root)])
    return arguments.command(arguments)


def record(root: Path) -> Path:
    return next((root.parent / "home").rglob("s1.jsonl"))


def test_the_points_are_listed_newest_first(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rewind(shop, "--list") == Exit.DONE
    first, second = capsys.readouterr().out.splitlines()
    assert first.split()[0] == "2"
    assert "1 file   +1 -0" in first
    assert "and b" in first
    assert "2 files  +2 -1" in second
    assert "\x1b" not in second


@pytest.mark.gate("P91")
def test_code_and_conversation_go_back_and_a_second_time_undoes_it(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rewind(shop, "1", "--dry-run") == Exit.DONE
    assert "a.py  +1 -1" in capsys.readouterr().out
    assert (shop / "b.py").exists()
    assert rewind(shop, "1") == Exit.DONE
    assert (shop / "a.py").read_text() == "start\n"
    assert not (shop / "b.py").exists()
    assert read(record(shop)).messages == ()
    assert rewind(shop) == Exit.DONE
    assert (shop / "b.py").read_text() == "two\n"
    assert len(read(record(shop)).messages) == 4


def test_the_code_alone_and_the_conversation_alone(shop: Path) -> None:
    assert rewind(shop, "2", "--code") == Exit.DONE
    assert not (shop / "b.py").exists()
    assert len(read(record(shop)).messages) == 4
    assert rewind(shop, "1", "--conversation") == Exit.DONE
    assert (shop / "a.py").read_text() == "one\n"
    assert read(record(shop)).messages == ()


@pytest.mark.gate("P91")
def test_files_of_somebody_else_are_refused_with_a_diff(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "a.py").write_text("one\nmine\n")
    with pytest.raises(ForUser, match="changed by somebody else"):
        rewind(shop, "1")
    assert "+mine" in capsys.readouterr().err
    assert rewind(shop, "1", "--only-safe") == Exit.DONE
    assert "not a.py: it was changed since" in capsys.readouterr().err
    assert (shop / "a.py").read_text() == "one\nmine\n"
    assert not (shop / "b.py").exists()


@pytest.mark.gate("P91")
def test_the_result_names_what_did_not_come_back(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the preview alone: a script sees it in the exit code, too."""
    places = Places({"AOCI_AGENT_HOME": str(shop.parent / "home"), "HOME": str(shop.parent)})
    (shop / "big.bin").write_bytes(bytes(10_000_001))

    async def lose() -> None:
        past = Past(SessionRecord(record(shop)))
        past.read(record(shop))
        net = Net(shop, store_folder(places, shop), past=past)
        await net.asks("clean up")
        await net.runs("rm big.bin a.py")
        past.close()
        await net.close()

    asyncio.run(lose())
    assert rewind(shop, "3", "--dry-run") == Exit.DONE
    assert "  gives back 1 line\n" in capsys.readouterr().out
    assert rewind(shop, "3", "--code") == Exit.FAILED
    told = capsys.readouterr()
    assert "1 path; not all came back (1 below); " in told.out
    assert "not big.bin: it was too large to be saved" in told.err
    assert (shop / "a.py").read_text() == "one\n"
    assert rewind(shop, "3", "--code") == Exit.FAILED
    assert "0 paths; not all came back (1 below)\n" in capsys.readouterr().out  # nothing to undo
    (shop / "b.py").write_text("mine\n")
    assert rewind(shop, "2", "--code", "--only-safe") == Exit.FAILED
    assert "not b.py: it was changed since" in capsys.readouterr().err


def test_what_is_not_there_is_said(shop: Path) -> None:
    with pytest.raises(BadUsage, match="no point '7'"):
        rewind(shop, "7")
    with pytest.raises(BadUsage, match="no earlier session"):
        rewind(shop.parent)


def test_a_session_that_is_open_is_left_alone(shop: Path) -> None:
    held = SessionRecord(record(shop))
    try:
        with pytest.raises(ForUser, match="open in another terminal"):
            rewind(shop, "1")
        assert rewind(shop, "--list") == Exit.DONE
    finally:
        held.close()
    assert (shop / "a.py").read_text() == "one\n"


@pytest.mark.gate("R23")
def test_no_file_is_put_back_where_another_session_works(shop: Path) -> None:
    places = Places({"AOCI_AGENT_HOME": str(shop.parent / "home"), "HOME": str(shop.parent)})
    with Occupation(places, shop):
        with pytest.raises(Occupied):
            rewind(shop, "1")
        assert (shop / "a.py").read_text() == "one\n"
        assert rewind(shop, "1", "--dry-run") == Exit.DONE
        assert rewind(shop, "1", "--conversation") == Exit.DONE
    assert rewind(shop, "--code") == Exit.DONE
    Occupation(places, shop).close()


@pytest.mark.gate("P91")
async def test_the_screen_and_the_terminal_name_the_same_points(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await asyncio.to_thread(rewind, shop, "2") == Exit.DONE
    assert await asyncio.to_thread(rewind, shop, "1", "--code") == Exit.DONE
    capsys.readouterr()
    assert await asyncio.to_thread(rewind, shop, "--list") == Exit.DONE
    listed = [(line.split()[0], line[45:]) for line in capsys.readouterr().out.splitlines()]
    places = Places({"AOCI_AGENT_HOME": str(shop.parent / "home"), "HOME": str(shop.parent)})
    past = Past(NoRecord())
    past.read(record(shop))
    net = Net(shop, store_folder(places, shop), past=past)
    points = await net.rewind.points()
    await net.close()
    shown = [str(point_line(point, 100, chosen=False)).split() for point in points]
    assert [line[0] for line in shown] == [name for name, _ in listed]
    assert all(one.split()[-1] in line for (_, one), line in zip(listed, shown, strict=True))
    assert [name[0] for name, _ in listed] == ["r", "r", "1"]
    for name, _ in listed:
        assert await asyncio.to_thread(rewind, shop, name, "--dry-run") == Exit.DONE


@pytest.fixture
async def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A folder, and a worktree of it in which a session worked."""
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.py").write_text("start\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    places = Places({"AOCI_AGENT_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)})
    repository = Repository.find(root)
    assert repository is not None
    tree = Worktree(repository, worktrees_of(places.data, places.project(root)), "s1")
    path = places.data / "sessions" / places.project(root) / "s1.jsonl"
    net = Net(tree.path, store_folder(places, tree.path), recorder=SessionRecord(path))
    net.past.write(replace(STARTED, root=str(tree.path)))
    await net.asks("fix it")
    await net.edits("a.py", b"one\n")
    await net.edits("deep/b.py", b"two\n")
    await net.asks("more")
    await net.edits("a.py", b"three\n")
    net.past.close()
    await net.close()
    tree.finish()
    return root, tree.path


@pytest.mark.gate("P91")
def test_a_session_in_a_worktree_goes_back_there(
    beside: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    root, tree = beside
    assert rewind(root, "--list") == Exit.DONE
    told = capsys.readouterr()
    assert f"worked in the worktree {tree}\n" in told.err
    assert "1 file   +1 -1" in told.out
    assert rewind(root, "2") == Exit.DONE
    assert (tree / "a.py").read_text() == "one\n"
    assert (root / "a.py").read_text() == "start\n"
    assert rewind(root, "1") == Exit.DONE
    assert not (tree / "deep").exists()


@pytest.mark.gate("P91")
def test_a_worktree_that_is_gone_gives_its_files_all_the_same(
    beside: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    root, tree = beside
    shutil.rmtree(tree)
    with pytest.raises(ForUser, match="is gone") as refused:
        rewind(root, "1")
    assert "--into FOLDER" in refused.value.hint
    assert rewind(root, "--list") == Exit.DONE
    assert "which is gone" in capsys.readouterr().err
    assert rewind(root, "--into", str(tmp_path / "out")) == Exit.DONE
    assert "2 files in " in capsys.readouterr().out
    assert (tmp_path / "out/a.py").read_text() == "three\n"
    assert (tmp_path / "out/deep/b.py").read_text() == "two\n"
    assert rewind(root, "2", "--into", str(tmp_path / "new/before")) == Exit.DONE
    assert (tmp_path / "new/before/a.py").read_text() == "one\n"
    with pytest.raises(BadUsage, match="cannot be made"):
        rewind(root, "--into", str(tmp_path / "out"))
    assert rewind(root, "2", "--conversation") == Exit.DONE
    assert not tree.exists()
    assert (root / "a.py").read_text() == "start\n"
