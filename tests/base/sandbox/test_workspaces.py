import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from base.sandbox.conftest import partial_box, strong_box
from support.world import World, digest, git, world

from aoci_agent.base.box import Access, Box
from aoci_agent.base.process import BlockingOutcome, run, run_blocking
from aoci_agent.base.sandbox.gitfolders import git_folders
from aoci_agent.base.sandbox.mountpoints import MountPoints


def bash(made: World, box: Box, script: str, access: Access | None = None) -> BlockingOutcome:
    entry = box.enter(["bash", "-c", script], made.root, access or Access())
    return run_blocking(entry, cwd=made.root)


def commit(folder: Path) -> None:
    (folder / "a.txt").write_text("a\n")
    git("add", "-A", cwd=folder)
    git("commit", "-qm", "first", cwd=folder)


NAMES = (
    "plain",
    "with space",
    "new\nline",
    os.fsdecode(b"not-utf8-\xff"),
    "-dash",
    "quo'te\"s",
    "ü",
)


@pytest.mark.gate("R30")
@pytest.mark.gate_only
@pytest.mark.parametrize("layer", [strong_box, partial_box])
def test_a_workspace_may_have_any_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    layer: Callable[[World], Box],
    record_property: Callable[[str, object], None],
) -> None:
    for number, name in enumerate(NAMES):
        base = tmp_path / str(number)
        monkeypatch.setenv("HOME", str(base / "home"))
        with world(base, base / "home" / name) as made:
            done = bash(made, layer(made), "echo here > made && cat made && pwd && ls ~")
            assert done.stdout.split(b"\n")[0] == b"here", done.stderr
            assert (made.root / "made").read_text() == "here\n"
    record_property("cases", len(NAMES))


@pytest.mark.parametrize("layer", [strong_box, partial_box])
def test_a_workspace_may_lie_in_a_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layer: Callable[[World], Box]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with world(tmp_path, tmp_path / "elsewhere") as made:
        (tmp_path / "beside").write_text("other's")
        done = bash(
            made, layer(made), "echo x > made; cat ../beside; echo y > $TMPDIR/t && echo ok"
        )
        assert done.stdout == b"ok\n"
        assert (made.root / "made").exists()


def test_a_home_may_be_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to("real")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with world(tmp_path) as made:
        box = strong_box(made)
        before = made.digest()
        done = bash(made, box, "cat ~/.ssh/id_ed25519; echo x >> ~/.bashrc; cargo; echo x > made")
        assert b"PRIVATE" not in done.stdout
        assert made.digest() == before
        assert (made.root / "made").exists()


@pytest.mark.gate("T10", "R28")
def test_a_linked_work_tree_keeps_the_main_repository_safe(here: World) -> None:
    main = here.root
    commit(main)
    tree = main.parent / "tree"
    git("worktree", "add", "-q", str(tree), cwd=main)
    here.root = tree
    box = strong_box(here)
    before, home = digest(main), here.digest()
    script = f"""
        git status --short; git log --oneline
        echo x > {main}/.git/hooks/pre-commit; echo x >> {main}/.git/config
        echo x > {main}/.git/refs/heads/planted; echo x > {main}/.git/worktrees/tree/HEAD
        git commit --allow-empty -m planted; git branch planted; git config core.fsmonitor x
        mv .git moved; echo gitdir: /tmp > .git; rm -rf {main}; echo x > made
    """
    done = bash(here, box, script)
    assert b"first" in done.stdout
    assert digest(main) == before
    assert here.digest() == home
    assert (tree / "made").exists()


@pytest.mark.gate("T10", control=True)
def test_outside_of_a_box_a_work_tree_writes_the_main_repository(here: World) -> None:
    main = here.root
    commit(main)
    tree = main.parent / "tree"
    git("worktree", "add", "-q", str(tree), cwd=main)
    before = digest(main)
    git("config", "core.fsmonitor", "planted", cwd=tree)
    assert digest(main) != before


def test_a_folder_of_a_repository_sees_the_whole_of_it(here: World) -> None:
    commit(here.root)
    top, inner = here.root, here.root / "inner"
    inner.mkdir()
    (inner / "b.txt").write_text("b\n")
    here.root = inner
    box = strong_box(here)
    before = digest(top, inner)
    done = bash(here, box, "git status --short; cat ../a.txt; echo x > ../a.txt; git add b.txt")
    assert done.stdout == b"?? ./\na\n"
    assert digest(top, inner) == before
    assert sorted(path.name for path in inner.iterdir()) == ["b.txt"]


@pytest.mark.gate("T12")
@pytest.mark.parametrize("layer", [strong_box, partial_box])
def test_a_home_that_is_a_repository_stays_hidden(
    here: World, layer: Callable[[World], Box]
) -> None:
    commit(here.root)
    (here.root / ".git").rename(here.home / ".git")
    box = layer(here)
    done = bash(here, box, "cat ~/.git/HEAD ~/.bashrc; echo x > made; git log")
    assert done.stdout == b""
    assert (here.root / "made").exists()


def test_a_project_s_tests_may_make_repositories(here: World) -> None:
    script = "cd $(mktemp -d) && git init -q && git commit -q --allow-empty -m made && git log"
    done = bash(here, strong_box(here), script)
    assert b"made" in done.stdout, done.stderr


def test_a_submodule_has_its_history(here: World) -> None:
    top, inner = here.root, here.root / "inner"
    inner.mkdir()
    git("init", "-q", cwd=inner)
    commit(inner)
    (top / ".git/modules").mkdir()
    (inner / ".git").rename(top / ".git/modules/inner")
    (inner / ".git").write_text("gitdir: ../.git/modules/inner\n")
    here.root = inner
    done = bash(
        here, strong_box(here), "git log --format=%s; echo x > ../.git/modules/inner/config"
    )
    assert done.stdout == b"first\n"
    assert "x" not in (top / ".git/modules/inner/config").read_text().split()


def test_git_reads_in_the_box(here: World) -> None:
    commit(here.root)
    (here.root / "a.txt").write_text("b\n")
    for box in (strong_box(here), partial_box(here)):
        done = bash(
            here, box, "git status --short; git diff --stat; git log -1 --format=%s; git show"
        )
        assert done.exit_code == 0, done.stderr
        assert b" M a.txt" in done.stdout
        assert b"first" in done.stdout


@pytest.mark.gate("T16", "T17")
def test_missing_names_cannot_be_taken_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "bare").mkdir()
    with world(tmp_path, tmp_path / "bare") as made:
        made.root.joinpath(".git").rename(tmp_path / "away")
        box = strong_box(made)
        names = sorted(path.name for path in made.root.iterdir())
        script = """
            git init .; mkdir .git; mkdir -p .git/hooks; echo x > .git/config; mv .git a; rmdir .git
            ln -s a .git; mkdir .aoci-agent/x; rm -rf .git .aoci-agent; echo done
        """
        assert bash(made, box, script).stdout.endswith(b"done\n")
        assert sorted(path.name for path in made.root.iterdir()) == names


async def test_two_commands_at_once_share_what_stands_in_the_workspace(here: World) -> None:
    box = strong_box(here)
    script = "for i in 1 2 3 4 5; do mkdir .aoci-agent/x && echo planted; sleep {}; done; true"
    done = await asyncio.gather(
        *(
            run(box.enter(["bash", "-c", script.format(pause)], here.root, Access()), cwd=here.root)
            for pause in ("0.02", "0.1")
        )
    )
    assert ["planted" in outcome.output for outcome in done] == [False, False]
    assert not (here.root / ".aoci-agent").exists()


def test_what_a_killed_session_left_is_swept(here: World) -> None:
    name, lock = here.root / ".aoci-agent", here.cache / "project/box/mountpoints"
    code = (
        "import sys; from pathlib import Path\n"
        "from aoci_agent.base.sandbox.mountpoints import MountPoints\n"
        "MountPoints(Path(sys.argv[1])).hold([Path(sys.argv[2])])"
    )
    subprocess.run([sys.executable, "-c", code, str(lock), str(name)], check=True)
    assert name.is_dir()
    strong_box(here)
    assert not name.exists()


def test_workspaces_that_share_a_state_keep_apart(tmp_path: Path) -> None:
    points = MountPoints(tmp_path / "lock")
    one, other = tmp_path / "one/.git", tmp_path / "other/.git"
    one.parent.mkdir()
    other.parent.mkdir()
    first, leave_first = points.hold([one])
    second, leave_second = points.hold([other])
    assert (first, second) == ((one,), (other,))
    leave_first()
    leave_second()
    assert not one.exists()
    assert not other.exists()


def test_what_a_person_put_there_meanwhile_stays(tmp_path: Path) -> None:
    name = tmp_path / ".git"
    points = MountPoints(tmp_path / "lock")
    _, leave = points.hold([name])
    (name / "HEAD").write_text("ref: refs/heads/main\n")
    leave()
    assert (name / "HEAD").exists()
    held, leave = points.hold([name])
    assert held == ()
    leave()
    assert (name / "HEAD").exists()


@pytest.mark.gate("T05")
def test_a_git_folder_that_is_a_link_is_a_gap(here: World) -> None:
    (here.root / ".git").rename(here.root / "real")
    (here.root / ".git").symlink_to("real")
    with suppress(pytest.skip.Exception):
        strong_box(here)
        pytest.fail("a link can be replaced by a command")


@pytest.mark.gate("T08")
def test_a_pointer_to_a_strangers_folder_is_not_believed(here: World) -> None:
    private = here.home / "private"
    private.mkdir()
    git("init", "-q", cwd=private)
    (here.root / ".git").rename(here.root / "old")
    (here.root / ".git").write_text(f"gitdir: {private}/.git\n")
    assert git_folders(here.root) is None
    box = strong_box(here)
    assert bash(here, box, f"cat {private}/.git/config").stdout == b""


@pytest.mark.gate("T24")
@pytest.mark.parametrize("layer", [strong_box, partial_box])
def test_what_only_reads_cannot_write_the_workspace(
    here: World, layer: Callable[[World], Box]
) -> None:
    done = bash(here, layer(here), "echo x > made; cat escapes.py", Access(write=False))
    assert not (here.root / "made").exists()
    assert done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_folder_that_cannot_be_noted_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        MountPoints(Path("/dev/full")).hold([tmp_path / ".git"])
    assert not (tmp_path / ".git").exists()
