"""What a session clears away when it starts, and what it does not look through."""

from pathlib import Path

import pytest

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base import locks
from aoci_agent.base.places import Places
from aoci_agent.base.regular import closing
from aoci_agent.base.replace import PREFIX
from aoci_agent.bench import Launch
from aoci_agent.config import Settings

STRAY = f"{PREFIX}9999999999-0123456789abcdef"  # of a process that cannot be there


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "shop.py").write_text("price = 1\n")
    return folder


def opened(root: Path) -> Session:
    env = {"AOCI_AGENT_HOME": str(root.parent / "home")}
    return open_session(Launch(root, Settings(), Places(env), env), DenyAll())


def own(root: Path) -> tuple[Path, Path]:
    """The program's data, and its cache of this folder."""
    places = Places({"AOCI_AGENT_HOME": str(root.parent / "home")})
    return places.data, places.cache / places.project(root)


def left_by_a_crash(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / STRAY).write_bytes(b"half")
    return folder / STRAY


@pytest.mark.gate("R01")
async def test_what_a_crash_left_of_its_own_files_goes(root: Path) -> None:
    data, cache = own(root)
    parts = ("views", "box", "output", "navigate/clangd")
    folders = (root, data, cache, *(cache / part for part in parts))
    strays = [left_by_a_crash(folder) for folder in folders]
    session = opened(root)
    assert [stray for stray in strays if stray.exists()] == []
    await session.close()


async def test_a_start_does_not_walk_through_trees_and_what_a_box_may_write(root: Path) -> None:
    """They may hold a hundred thousand files; and a note that a boxed command left must not be read."""
    data, cache = own(root)
    trees = ("worktrees", "replay", "snapshots", "sessions")
    boxed = ("box/caches/npm", "box/tmp/one/tmp")
    folders = (*(data / tree / "project/one" for tree in trees), *(cache / one for one in boxed))
    strays = [left_by_a_crash(folder) for folder in folders]
    with closing(locks.opened(cache / "box/tmp/one/lock")) as another:  # another session's folder
        locks.take(another)
        session = opened(root)
        assert [stray for stray in strays if not stray.exists()] == []
        await session.close()
