"""One session at a time writes in a folder; the kernel ends a lock with its holder."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aoci_agent.base.errors import ForUser
from aoci_agent.base.occupied import Occupation, Occupied
from aoci_agent.base.places import Places

HOLDER = """
import sys
from pathlib import Path
from aoci_agent.base.occupied import Occupation
from aoci_agent.base.places import Places
top = Path(sys.argv[3]) if sys.argv[3] else None
held = Occupation(Places({"AOCI_AGENT_HOME": sys.argv[1]}), Path(sys.argv[2]), top)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places({"AOCI_AGENT_HOME": str(tmp_path / "home")})


@contextmanager
def holding(tmp_path: Path, root: Path, top: Path | None = None) -> Generator[int]:
    """Another process that works in a folder."""
    argv = [sys.executable, "-c", HOLDER, str(tmp_path / "home"), str(root), str(top or "")]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"held\n"
            yield child.pid
        finally:
            child.kill()


@pytest.mark.gate("R23")
def test_the_second_is_told_who_works_there(tmp_path: Path, places: Places) -> None:
    with holding(tmp_path, tmp_path) as pid:
        with pytest.raises(Occupied, match=f"process {pid}") as caught:
            Occupation(places, tmp_path)
        assert (caught.value.pid, caught.value.folder) == (pid, tmp_path)
        assert caught.value.since > 0


@pytest.mark.gate("R23")
def test_a_killed_holder_is_no_obstacle(tmp_path: Path, places: Places) -> None:
    with holding(tmp_path, tmp_path) as pid:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with Occupation(places, tmp_path):
            pass


@pytest.mark.gate("R23")
def test_a_part_and_the_whole_meet_and_two_parts_do_not(tmp_path: Path, places: Places) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    with holding(tmp_path, tmp_path / "a", tmp_path):
        with pytest.raises(Occupied, match="in a folder inside") as caught:
            Occupation(places, tmp_path, tmp_path)
        assert caught.value.pid == 0
        with Occupation(places, tmp_path / "b", tmp_path):
            pass
    with Occupation(places, tmp_path, tmp_path), pytest.raises(Occupied):
        Occupation(places, tmp_path / "a", tmp_path)


def test_a_link_is_the_folder_it_leads_to(tmp_path: Path, places: Places) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    with Occupation(places, tmp_path / "a"), pytest.raises(Occupied):
        Occupation(places, tmp_path / "link")


@pytest.mark.gate("R23")
def test_of_ten_at_once_one_works(tmp_path: Path, places: Places) -> None:
    held: list[Occupation] = []
    refused = 0
    for _ in range(10):
        try:
            held.append(Occupation(places, tmp_path))
        except Occupied:
            refused += 1
    assert (len(held), refused) == (1, 9)
    held[0].close()
    Occupation(places, tmp_path).close()


def test_a_started_program_does_not_hold_it(tmp_path: Path, places: Places) -> None:
    held = Occupation(places, tmp_path)
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            held.close()
            Occupation(places, tmp_path).close()
        finally:
            child.kill()


@pytest.mark.gate("T29")
def test_a_planted_link_is_not_followed(tmp_path: Path, places: Places) -> None:
    folder = places.data / "workspaces"
    folder.mkdir(parents=True)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (folder / f"{places.project(tmp_path)}.lock").symlink_to(victim)
    with pytest.raises(ForUser, match="cannot lock"):
        Occupation(places, tmp_path)
    assert victim.read_text() == "mine"
