import fcntl
import os
import shutil

import pytest
from base.sandbox.conftest import layout_for, partial_box, strong_box
from support.world import World

from aoci_agent.base.box import Access, Box, Strength
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.process import run_blocking
from aoci_agent.base.sandbox.bubblewrap import Bubblewrap
from aoci_agent.base.sandbox.ladder import open_box, strongest
from aoci_agent.base.sandbox.landlock import ALWAYS, Landlock, version
from aoci_agent.base.sandbox.temporary import Temporary

FAILING = "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
# What it is told to run, run as it is.
LYING = '#!/bin/bash\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'

needs_landlock = pytest.mark.skipif(not version(), reason="the kernel has no Landlock")


def box_with(program: str, made: World) -> Box:
    """The box where this script is the bubblewrap."""
    path = made.home / "bwrap"
    path.write_text(program)
    path.chmod(0o755)
    return strongest(layout_for(made), made.cache / "project/box", str(path))


def test_the_strong_layer_is_taken_where_it_holds(here: World) -> None:
    box = strong_box(here)
    assert (box.strength, box.kind, box.gaps, box.why) == (Strength.STRONG, "bubblewrap", (), "")


@pytest.mark.gate("S02")
@needs_landlock
def test_without_bubblewrap_the_partial_layer_says_why(here: World) -> None:
    box = strongest(layout_for(here), here.cache / "project/box", None)
    assert box.strength is Strength.PARTIAL
    assert box.why == "bubblewrap is not installed"
    assert set(ALWAYS) <= set(box.gaps)


@needs_landlock
def test_refused_namespaces_are_the_reason(here: World) -> None:
    box = box_with(FAILING, here)
    assert (box.strength, box.kind) == (Strength.PARTIAL, "landlock")
    assert "No permissions to create new namespace" in box.why


@pytest.mark.gate("T27")
@needs_landlock
def test_a_program_that_confines_nothing_is_found_out(here: World) -> None:
    box = box_with(LYING, here)
    assert box.kind == "landlock"
    assert "could write outside the workspace" in box.why


@pytest.mark.gate("T27")
def test_a_program_of_the_workspace_is_not_used(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here.root / "bwrap").write_text("#!/bin/sh\ntouch planted\n")
    (here.root / "bwrap").chmod(0o755)
    outside = shutil.which("bwrap")
    monkeypatch.setenv("PATH", f"{here.root}:{os.environ['PATH']}")
    box = open_box(here.root, here.own, here.cache / "project", os.environ)
    assert not (here.root / "planted").exists()
    if outside:
        assert box.kind == "bubblewrap"


def test_the_self_test_is_remembered_and_leaves_nothing(here: World) -> None:
    box = strong_box(here)
    known = here.cache / "project/box/tested-bubblewrap"
    written = known.stat().st_mtime_ns
    assert strong_box(here).strength is box.strength
    assert known.stat().st_mtime_ns == written
    assert not list(here.cache.rglob("bait-*"))
    assert sorted(path.name for path in here.root.iterdir()) == [".git", "escapes.py"]


def test_an_unknown_machine_is_said(here: World) -> None:
    box = strong_box(here)
    unknown = type(box)(**{**vars_of(box), "machine": "riscv64"})
    assert unknown.strength is Strength.PARTIAL
    assert any("no filter" in gap for gap in unknown.gaps)


def vars_of(box: Box) -> dict[str, object]:
    return {name: getattr(box, name) for name in ("program", "layout", "points", "temporary")}


@pytest.mark.parametrize(("abi", "more"), [(7, 0), (6, 0), (5, 1), (2, 2)])
def test_older_kernels_have_more_gaps(here: World, abi: int, more: int) -> None:
    box = Landlock(layout_for(here), Temporary(here.cache / "tmp"), abi, "x86_64", "")
    assert len(box.gaps) == len(ALWAYS) + more
    entry = box.enter(["true"], here.root, Access())
    entry.leave()


@pytest.mark.gate("R11")
def test_a_cache_that_cannot_be_written_leaves_no_box_and_a_reason(here: World) -> None:
    (here.cache / "project").write_text("a file")
    box = open_box(here.root, here.own, here.cache / "project", os.environ)
    assert box.strength is Strength.NONE
    assert "cannot be made" in box.why


def test_long_outputs_stay_readable(here: World) -> None:
    output = here.cache / "project/output"
    box = open_box(here.root, here.own, here.cache / "project", os.environ, [output])
    if box.strength is Strength.NONE:
        pytest.skip(box.why)
    (output / "log").write_text("all of it")
    argv = ["cat", str(output / "log")]
    done = run_blocking(box.enter(argv, here.root, Access()), cwd=here.root)
    assert done.stdout == b"all of it"
    argv = ["rm", "-f", str(output / "log")]
    run_blocking(box.enter(argv, here.root, Access()), cwd=here.root)
    assert (output / "log").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write every folder")
def test_a_workspace_that_is_only_read_has_its_box(here: World) -> None:
    here.root.chmod(0o555)
    try:
        box = open_box(here.root, here.own, here.cache / "project", os.environ)
        assert box.strength is not Strength.NONE
        assert "cannot be written" not in box.why
    finally:
        here.root.chmod(0o755)


@pytest.mark.gate("T12")
def test_a_key_that_comes_later_is_hidden_too(here: World) -> None:
    key = here.home / ".cargo/credentials.toml"
    key.unlink()
    box = strong_box(here)
    argv = ["cat", str(key)]
    assert run_blocking(box.enter(argv, here.root, Access()), cwd=here.root).exit_code == 1
    key.write_text("token = 'later'\n")
    assert b"later" not in run_blocking(box.enter(argv, here.root, Access()), cwd=here.root).stdout


def test_a_box_that_cannot_be_entered_holds_nothing(here: World) -> None:
    box = strong_box(here)
    assert isinstance(box, Bubblewrap)
    shutil.rmtree(here.cache / "project/box/tmp")
    (here.cache / "project/box/tmp").write_text("a file")
    for one in (box, partial_box(here)):
        with pytest.raises(NotPossible, match="cannot be set up"):
            one.enter(["true"], here.root, Access())
    with box.points.lock.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
