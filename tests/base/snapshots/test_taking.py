"""What a snapshot takes, what it leaves out, and that it changes nothing."""

import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.net import git, run, state, users, workspace

from aoci_agent.base import stamps
from aoci_agent.base.errors import BadWorkspace
from aoci_agent.base.git import Repository
from aoci_agent.base.snapshots.restoring import Restoring, Step
from aoci_agent.base.snapshots.snapshots import Snapshots
from aoci_agent.base.snapshots.store import Snapshot, Store
from aoci_agent.base.snapshots.trees import Entry

Open = Callable[[Path], Snapshots]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    made: list[Snapshots] = []

    def opener(root: Path) -> Snapshots:
        made.append(Snapshots(root, Repository.find(root), tmp_path / "store"))
        return made[-1]

    yield opener
    for snapshots in made:
        snapshots.close()


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text("a = 1\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


def changed(snapshots: Snapshots, before: Snapshot, after: Snapshot) -> dict[str, str]:
    """Kinds before and after, by path: "f-" for a file that went."""
    return {
        path: f"{old.kind if old else '-'}{new.kind if new else '-'}"
        for path, old, new in snapshots.difference(before, after)
    }


def test_an_unchanged_folder_gives_the_same_snapshot(tmp_path: Path, opened: Open) -> None:
    snapshots = opened(workspace(tmp_path, "git"))
    first = snapshots.take()
    assert snapshots.take() == first
    snapshots.close()
    assert opened(tmp_path / "ws").take() == first


@pytest.mark.parametrize("command", ["echo x > new", "echo y >> a.py", "git add notes/todo.md new.txt",
    "rm -r src", "echo '*.md' >> .gitignore", "mkdir -p fresh/folder", "chmod +x a.py"])  # fmt: skip
def test_what_changed_is_seen_also_without_asking_git_again(
    command: str, tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "RACY_NS", -(10**12))  # as if nothing were young
    root = workspace(tmp_path, "git")
    snapshots = opened(root)
    snapshots.take()
    run(root, command)
    late = snapshots.take()
    anew = Snapshots(root, Repository.find(root), tmp_path / "another")
    assert anew.take().tree == late.tree
    anew.close()


def test_a_change_within_one_tick_of_the_clock_is_seen(tmp_path: Path, opened: Open) -> None:
    root = repository(tmp_path / "ws")
    snapshots = opened(root)
    for number in range(200):
        (root / "a.py").write_bytes(b"a = %3d\n" % number)
        name = snapshots.present(["a.py"])["a.py"]
        assert name is not None
        assert snapshots.content(name) == b"a = %3d\n" % number
    with (root / "a.py").open("r+b") as file:
        before = snapshots.take()
        file.write(b"b")
        file.flush()
        after = snapshots.take()
    assert changed(snapshots, before, after) == {"a.py": "ff"}


@pytest.mark.gate("R07")
def test_ignored_files_are_taken_up_to_a_size_and_the_rest_is_named(
    tmp_path: Path, opened: Open
) -> None:
    root = repository(tmp_path / "ws")
    (root / ".gitignore").write_text(".env\nout/\nnode_modules/\nenv/\n")
    for name, size in {
        ".env": 9,
        "out/small.o": 100,
        "out/large.o": 1_500_000,
        "node_modules/x/index.js": 5,
        "env/pyvenv.cfg": 5,
        "video.mp4": 10_500_000,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(os.urandom(size))
    snapshots = opened(root)
    before = snapshots.take()
    assert snapshots.left_out == {
        "out/large.o": "too large",
        "video.mp4": "too large",
        "node_modules/": "filled by a tool",
        "env/": "filled by a tool",
    }
    run(root, "rm -rf .env out node_modules video.mp4")
    assert changed(snapshots, before, snapshots.take()) == {
        ".env": "f-",
        "node_modules": "o-",
        "out": "d-",
        "out/large.o": "x-",
        "out/small.o": "f-",
        "video.mp4": "x-",
    }


def test_a_tracked_file_is_taken_whatever_is_ignored(tmp_path: Path, opened: Open) -> None:
    root = repository(tmp_path / "ws")
    (root / "node_modules").mkdir()
    (root / "node_modules/kept.js").write_bytes(b"1")
    (root / "big.bin").write_bytes(bytes(12_000_000))
    git(root, "add", "-f", ".")
    snapshots = opened(root)
    snapshots.take()
    assert snapshots.left_out == {}


def test_pipes_and_sockets_are_passed_over(tmp_path: Path, opened: Open) -> None:
    root = repository(tmp_path / "ws")
    os.mkfifo(root / "pipe")
    (root / "zero").symlink_to("/dev/zero")
    snapshots = opened(root)
    before = snapshots.take()
    (root / "pipe").unlink()
    assert changed(snapshots, before, snapshots.take()) == {}


@pytest.mark.gate("R08")
def test_the_home_folder_and_the_root_are_refused(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for place in (Path("/"), tmp_path):
        with pytest.raises(BadWorkspace, match="too broad"):
            opened(place)


STATES = {
    "detached": "git checkout -q --detach",
    "unborn": "git checkout -q --orphan fresh && git rm -rqf --cached .",
    "empty": "rm -rf .git && git init -q",
    "rebase": "git checkout -qb side HEAD~1 && echo s > a.py && git commit -qam s && git rebase main",
    "merge": "git checkout -qb side HEAD~1 && echo s > a.py && git commit -qam s && git merge main",
    "cherry": "git checkout -qb side HEAD~1 && echo s > a.py && git commit -qam s && git cherry-pick main",
    "bisect": "git bisect start && git bisect bad && git bisect good HEAD~1",
    "sparse": "git sparse-checkout init --cone && git sparse-checkout set docs",
    "shallow": "git clone -q --depth 1 file://$PWD shallow.git && rm -rf .git && mv shallow.git/.git .git && rm -rf shallow.git",
    "staged": "echo s >> a.py && git add a.py && echo t >> a.py",
    "index.lock": "touch .git/index.lock",
    "bare set": "git config core.bare true",
    "damaged": "echo nonsense > .git/HEAD",
}  # fmt: skip


@pytest.mark.gate("R26", "R29", "R07", "S13")
def test_in_any_state_of_git_files_come_back_and_git_is_not_touched(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    model = repository(tmp_path / "model")
    (model / "docs").mkdir()
    (model / "docs/guide.md").write_text("guide\n")
    (model / "a.py").write_text("a = 2\n")
    git(model, "add", "-A")
    git(model, "commit", "-qm", "two")
    for name, command in STATES.items():
        root = shutil.copytree(model, tmp_path / name)
        run(root, command)
        (root / "mine.txt").write_text("not added\n")
        snapshots = Snapshots(root, Repository.find(root), tmp_path / f"store-{name}")
        mine, then = users(root), state(root)
        before = snapshots.take()
        run(root, "echo gone > a.py; rm -rf docs mine.txt; mkdir -p x/y; echo z > x/y/z")
        bring_back(snapshots, before)
        assert state(root) == then, name
        assert users(root) == mine, name
        snapshots.close()
    record_property("cases", len(STATES))


def bring_back(snapshots: Snapshots, before: Snapshot) -> None:
    steps = [Step(p, old, new) for p, old, new in snapshots.difference(before, snapshots.take())]
    outcome = Restoring(snapshots).run(
        Step(step.path, step.target, snapshots.present([step.path])[step.path]) for step in steps
    )
    assert outcome.failed == {}


@pytest.mark.gate("R27")
def test_submodules_and_repositories_inside_are_taken_without_their_git(
    tmp_path: Path, opened: Open
) -> None:
    other = repository(tmp_path / "other")
    root = repository(tmp_path / "ws")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    git(root, "commit", "-qm", "sub")
    repository(root / "nested")
    (root / "sub/a.py").write_text("dirty\n")
    (root / "nested/new.py").write_text("new\n")
    (root / "gone").mkdir()
    (root / "gone/.git").write_text("gitdir: /nowhere\n")
    (root / "gone/kept.txt").write_text("kept\n")
    snapshots = opened(root)
    then, own = state(root), users(root, root / "nested/.git")
    before = snapshots.take()
    run(root, "rm -f sub/a.py nested/*.py gone/kept.txt; echo x > sub/x")
    bring_back(snapshots, before)
    assert state(root) == then
    assert users(root, root / "nested/.git") == own


@pytest.mark.gate("R28")
def test_a_worktree_whose_main_folder_moved_is_saved_as_a_folder_without_git(
    tmp_path: Path, opened: Open
) -> None:
    root = workspace(tmp_path, "worktree")
    (tmp_path / "main").rename(tmp_path / "moved")
    then = state(root)
    snapshots = opened(root)
    before = snapshots.take()
    run(root, "rm -rf src a.py new.txt")
    bring_back(snapshots, before)
    assert state(root) == then


@pytest.mark.gate("R29")
def test_nothing_is_fetched_and_pointers_of_large_files_stay_pointers(
    tmp_path: Path, opened: Open
) -> None:
    root = repository(tmp_path / "ws")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    (root / "model.bin").write_text(pointer)
    (root / ".gitattributes").write_text("*.bin filter=lfs\n")
    git(root, "config", "filter.lfs.smudge", "touch smudged; cat")
    git(root, "config", "filter.lfs.clean", "touch cleaned; cat")
    git(root, "config", "core.fsmonitor", "touch watched")
    snapshots = opened(root)
    before = snapshots.take()
    (root / "model.bin").unlink()
    bring_back(snapshots, before)
    assert (root / "model.bin").read_text() == pointer
    assert {path.name for path in root.iterdir()} == {".git", ".gitattributes", "a.py", "model.bin"}


ODD = (
    b"\xff\xfe", b"caf\xe9", b"a\nb", b"a\tb", b"a\rb", b" lead", b"trail ", b"-x", b"--", b"'", b'"',
    b"$(id)", b"`id`", b"a;b", b"*", b"?", b"[a]", b"\\", b"a\\b", b"\x01", b"\x1b[2J", b"\x7f",
    "e\u0301".encode(), "\u00e9".encode(), "\U0001f600".encode(), "\u202ea".encode(), b"x" * 255,
    "\u00fc".encode() * 127, b"..a", b"CON", b"\xe2\x80\xa8", b"#!",
)  # fmt: skip


@pytest.mark.gate("R30")
@pytest.mark.parametrize("kind", ["git", "none"])
def test_names_of_any_bytes_come_back(
    kind: str, tmp_path: Path, opened: Open, record_property: Callable[[str, object], None]
) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    if kind == "git":
        git(root, "init", "-q")
    for folder in (b"", b"f\xe9/"):
        for number, name in enumerate(ODD):
            place = os.fsencode(root) + b"/" + folder + name
            os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
            with open(place, "wb") as file:  # noqa: PTH123
                file.write(b"%d" % number)
    if kind == "git":
        git(root, "add", "-A")
    then = state(root)
    assert len(then) == 2 * len(ODD) + 1
    snapshots = opened(root)
    before = snapshots.take()
    run(root, "find . -mindepth 1 -not -path './.git*' -delete")
    bring_back(snapshots, before)
    assert state(root) == then
    record_property("cases", 2 * len(ODD))


def test_a_file_with_several_names_keeps_them(tmp_path: Path, opened: Open) -> None:
    root = repository(tmp_path / "ws")
    os.link(root / "a.py", tmp_path / "second")
    snapshots = opened(root)
    before = snapshots.take()
    (root / "a.py").write_text("changed in place\n")
    bring_back(snapshots, before)
    assert (tmp_path / "second").read_text() == "a = 1\n"
    assert (root / "a.py").stat().st_nlink == 2


def test_a_file_that_changed_a_moment_ago_is_left_alone(tmp_path: Path, opened: Open) -> None:
    root = repository(tmp_path / "ws")
    snapshots = opened(root)
    before = snapshots.take()
    old = snapshots.present(["a.py", "b.py"])
    (root / "a.py").write_text("agent\n")
    (root / "b.py").write_text("agent\n")
    now = snapshots.present(["a.py", "b.py"])
    (root / "a.py").write_text("person\n")
    (root / "b.py").write_text("person\n")
    steps = [Step(path, old[path], now[path]) for path in old]
    outcome = Restoring(snapshots).run(steps)
    assert outcome.failed == dict.fromkeys(("a.py", "b.py"), "it changed a moment ago")
    assert (root / "a.py").read_text() == (root / "b.py").read_text() == "person\n"
    assert before.tree != snapshots.take().tree


def test_the_way_to_a_file_never_leads_through_a_link(tmp_path: Path, opened: Open) -> None:
    root = repository(tmp_path / "ws")
    (root / "d").mkdir()
    (root / "d/x").write_text("inside\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x").write_text("outside\n")
    snapshots = opened(root)
    was = snapshots.present(["d/x"])["d/x"]
    run(root, "rm -r d; ln -s ../outside d")
    assert snapshots.present(["d/x"])["d/x"] is None
    outcome = Restoring(snapshots).run([Step("d/x", was, None), Step("d/y", was, None)])
    assert set(outcome.failed) == {"d/x", "d/y"}
    assert (tmp_path / "outside/x").read_text() == "outside\n"
    assert not (tmp_path / "outside/y").exists()


@pytest.mark.gate("T29")
def test_the_store_is_for_its_owner_only(tmp_path: Path, opened: Open) -> None:
    snapshots = opened(repository(tmp_path / "ws"))
    snapshots.take()
    for path in (tmp_path / "store").rglob("*"):
        if not path.is_relative_to(tmp_path / "store/git/objects"):  # git's own modes
            assert stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0, path
    assert stat.S_IMODE((tmp_path / "store").stat().st_mode) == 0o700


@pytest.mark.gate("R33")
def test_without_git_or_with_a_repository_of_somebody_else_it_is_a_plain_folder(
    tmp_path: Path, opened: Open
) -> None:
    root = repository(tmp_path / "ws")
    (root / ".gitignore").write_text("secret\n")
    (root / "secret").write_text("kept\n")
    then = state(root)
    snapshots = Snapshots(root, None, tmp_path / "plain")
    before = snapshots.take()
    run(root, "rm -f a.py secret")
    bring_back(snapshots, before)
    assert state(root) == then
    snapshots.close()


def test_a_damaged_store_is_put_aside(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    (tmp_path / "store").mkdir()
    (tmp_path / "store/snapshots.db").write_bytes(b"no database at all, but long enough" * 100)
    snapshots = Snapshots(root, None, tmp_path / "store")
    assert snapshots.store.damaged
    assert (tmp_path / "store/snapshots.bad").exists()
    snapshots.take()
    snapshots.close()


def test_a_store_that_cannot_be_opened_is_not_held(tmp_path: Path) -> None:
    (tmp_path / "snapshots.db").mkdir()
    with pytest.raises(OSError, match="directory"):
        Store(tmp_path)
    with (tmp_path / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_an_object_that_was_damaged_is_never_given(tmp_path: Path, opened: Open) -> None:
    snapshots = opened(repository(tmp_path / "ws"))
    name = snapshots.store.add(b"good")
    db = snapshots.store._db  # pyright: ignore[reportPrivateUsage] - damage is done behind its back
    db.execute("UPDATE object SET data = ? WHERE id = ?", (b"bad", name))
    with pytest.raises(Exception, match="damaged"):
        snapshots.content(Entry("f", 0o644, name))
