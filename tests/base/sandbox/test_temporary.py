"""The temporary folder of a session: one for all its commands, nobody else's, and it ends with it."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from base.sandbox.conftest import partial_box, strong_box
from support.world import World, world

from aoci_agent.base.box import Access, Box
from aoci_agent.base.process import run_blocking
from aoci_agent.base.sandbox.temporary import EMPTIED, NOTE, Temporary

Layer = Callable[[World], Box]
both = pytest.mark.parametrize("layer", [strong_box, partial_box])


@pytest.fixture(params=["in /tmp", "elsewhere"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[World]:
    """A world below the folder that is replaced in the box, and one that is not."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as other:
        base = tmp_path if request.param == "in /tmp" else Path(other)
        with world(base) as made:
            monkeypatch.setenv("HOME", str(made.home))
            yield made


def said(made: World, box: Box, script: str, access: Access | None = None) -> str:
    entry = box.enter(["bash", "-c", script], made.root, access or Access())
    done = run_blocking(entry, cwd=made.root)
    assert done.exit_code == 0, done.stderr
    return done.stdout.decode().strip()


def folders(made: World) -> list[Path]:
    return [path for path in (made.cache / "project/box/tmp").iterdir() if path.is_dir()]


@both
def test_a_file_is_there_for_the_next_command_of_the_session_only(
    place: World, layer: Layer
) -> None:
    box = layer(place)
    said(place, box, "echo kept > $TMPDIR/one; mkdir -p $TMPDIR/deep/er")
    assert said(place, box, "cat $TMPDIR/one; ls -d $TMPDIR/deep/er").startswith("kept\n")
    (folder,) = folders(place)
    assert (folder / "tmp/one").read_text() == "kept\n"
    assert [path.stat().st_mode & 0o777 for path in (folder, folder / "tmp")] == [0o700, 0o700]
    other = layer(place)
    assert said(place, other, "ls -A $TMPDIR/one 2>&1 || true").endswith(
        "No such file or directory"
    )
    assert len(folders(place)) == 2


def test_in_the_strong_box_it_is_slash_tmp_of_what_may_write(place: World) -> None:
    box = strong_box(place)
    said(place, box, "echo kept > /tmp/one; echo gone > /var/tmp/two; touch made")
    assert said(place, box, "cat /tmp/one; ls -A /var/tmp | grep two || true") == "kept"
    with tempfile.NamedTemporaryFile(dir="/tmp") as other:
        assert Path(other.name).name not in said(place, box, "ls -A /tmp")
    assert (place.root / "made").exists()
    assert said(place, box, "ls /tmp/one || true", Access(write=False)) == ""


@both
def test_it_is_gone_with_the_box(place: World, layer: Layer) -> None:
    box = layer(place)
    script = "cd $TMPDIR; mkdir -p a/b; touch a/b/c; chmod 000 a/b a; ln -s / root; chmod 000 ."
    said(place, box, script)
    said(place, box, "touch $TMPDIR/two; test -L $TMPDIR/root")
    assert len(folders(place)) == 1
    del box
    gc.collect()
    assert folders(place) == []
    assert Path("/etc/passwd").exists()


def test_what_a_killed_session_left_is_swept_and_what_a_living_one_has_is_not(
    here: World,
) -> None:
    above = here.cache / "project/box/tmp"
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from aoci_agent.base.sandbox.temporary import Temporary\n"
        "made = Temporary(Path(sys.argv[1]))\n"
        "(made.folder() / 'deep').mkdir()\n(made.folder() / 'deep').chmod(0)\n"
        "print(flush=True)\nsys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(above)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        Temporary(above).sweep()
        assert len(folders(here)) == 1
        os.kill(child.pid, signal.SIGKILL)
    assert len(folders(here)) == 1
    living = Temporary(above)
    (living.folder() / "one").touch()
    Temporary(above).sweep()
    assert folders(here) == [living.folder().parent]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as child:
        pass
    assert folders(here) == [living.folder().parent]


@pytest.mark.gate("T32")
def test_it_is_bounded_and_says_when_it_was_emptied(tmp_path: Path) -> None:
    temporary = Temporary(tmp_path / "above", files=10)
    folder = temporary.folder()
    for number in range(10):
        (folder / str(number)).touch()
    assert len(list(temporary.folder().iterdir())) == 10
    (folder / "more").mkdir()
    assert [path.name for path in temporary.folder().iterdir()] == [NOTE]
    assert (folder / NOTE).read_text() == EMPTIED
    sparse = folder / "sparse"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)
    assert temporary.folder().joinpath("sparse").exists()  # by what it takes of the disk
    sparse.unlink()


@pytest.mark.parametrize(
    "planted", ["ln -s {} {}", "ln -s ../../../../../..{} {}", "echo file > {1}"]
)
def test_what_a_command_leaves_there_leads_no_mount_elsewhere(here: World, planted: str) -> None:
    """The workspace lies below /tmp: its mount point is in the folder that commands write."""
    if not here.root.is_relative_to("/tmp"):
        pytest.skip("temporary folders do not lie in /tmp here")
    box = strong_box(here)
    aim = here.home / "aim"
    aim.mkdir()
    top = Path("/tmp", here.root.relative_to("/tmp").parts[0])
    said(here, box, f"mv {top} /tmp/moved; {planted.format(aim, top)}; ls -la /tmp >&2; true")
    assert said(here, box, "echo x > made; pwd") == str(here.root)
    assert (here.root / "made").read_text() == "x\n"
    assert list(aim.iterdir()) == []
