import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import TextFile, Workspace, atomic_write, content_id
from aoci_agent.base.protected import protected_part
from aoci_agent.base.replace import PREFIX


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "a.py").write_bytes(b"old\n")
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / ".git" / "config").write_bytes(b"[core]\n")
    with Workspace(tmp_path) as opened:
        yield opened


def strays(root: Path) -> list[Path]:
    return list(root.rglob(f"{PREFIX}*"))


def test_writing_and_creating(workspace: Workspace) -> None:
    workspace.write_bytes("a.py", b"new\n", expect=content_id(b"old\n"))
    workspace.write_bytes("deep/er/b.py", b"b\n", expect="")
    workspace.write_text("c.txt", TextFile("é", "cp1252"))
    assert workspace.read_bytes("a.py") == b"new\n"
    assert workspace.read_bytes("deep/er/b.py") == b"b\n"
    assert workspace.read_bytes("c.txt") == b"\xe9"
    assert strays(workspace.root) == []


def test_a_new_file_follows_the_umask(workspace: Workspace) -> None:
    before = os.umask(0o027)
    try:
        workspace.write_bytes("new", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((workspace.root / "new").stat().st_mode) == 0o640


@pytest.mark.gate("R02")
@pytest.mark.parametrize("mode", [0o755, 0o600, 0o4755, 0o664])
def test_the_mode_is_kept(workspace: Workspace, mode: int) -> None:
    (workspace.root / "a.py").chmod(mode)
    workspace.write_bytes("a.py", b"new")
    assert stat.S_IMODE((workspace.root / "a.py").stat().st_mode) == mode


@pytest.mark.gate("R02")
def test_extended_attributes_are_kept(workspace: Workspace) -> None:
    try:
        os.setxattr(workspace.root / "a.py", "user.note", b"kept")
    except (OSError, AttributeError) as error:
        pytest.skip(f"no extended attributes here: {error}")
    workspace.write_bytes("a.py", b"new")
    assert os.getxattr(workspace.root / "a.py", "user.note") == b"kept"


@pytest.mark.gate("R02")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_is_kept(workspace: Workspace) -> None:
    os.chown(workspace.root / "a.py", 1234, 4321)
    workspace.write_bytes("a.py", b"new", expect=content_id(b"old\n"))
    status = (workspace.root / "a.py").stat()
    assert (status.st_uid, status.st_gid) == (1234, 4321)


@pytest.mark.gate("R02")
def test_a_link_is_written_through(workspace: Workspace) -> None:
    (workspace.root / "dir").mkdir()
    (workspace.root / "dir" / "link").symlink_to("../a.py")
    (workspace.root / "dangling").symlink_to("dir/made")
    workspace.write_bytes("dir/link", b"new", expect=content_id(b"old\n"))
    workspace.write_bytes("dangling", b"made", expect="")
    assert (workspace.root / "dir" / "link").is_symlink()
    assert (workspace.root / "a.py").read_bytes() == b"new"
    assert (workspace.root / "dir" / "made").read_bytes() == b"made"


@pytest.mark.gate("R02", "T07")
@pytest.mark.parametrize("data", [b"", b"short", b"longer than before\n" * 1000])
def test_hard_links_stay_together(workspace: Workspace, data: bytes) -> None:
    os.link(workspace.root / "a.py", workspace.root / "b.py")
    workspace.write_bytes("b.py", data, expect=content_id(b"old\n"))
    assert (workspace.root / "a.py").read_bytes() == data
    assert (workspace.root / "a.py").samefile(workspace.root / "b.py")
    with pytest.raises(TryAgain, match="changed"):
        workspace.write_bytes("a.py", b"x", expect=content_id(b"old\n"))


@pytest.mark.gate("T07")
@pytest.mark.parametrize("twin", [".git/config", ".git/hooks/pre-commit", ".aoci-agent/lock.jsonl"])
def test_a_second_name_of_a_protected_file_is_refused(workspace: Workspace, twin: str) -> None:
    (workspace.root / ".aoci-agent").mkdir()
    (workspace.root / twin).write_bytes(b"precious")
    os.link(workspace.root / twin, workspace.root / "innocent")
    with pytest.raises(NotPossible, match="second name"):
        workspace.write_bytes("innocent", b"evil")
    assert (workspace.root / twin).read_bytes() == b"precious"


@pytest.mark.gate("R06")
def test_a_stale_write_is_refused(workspace: Workspace) -> None:
    with pytest.raises(TryAgain, match=r"a\.py changed since"):
        workspace.write_bytes("a.py", b"new", expect=content_id(b"older\n"))
    with pytest.raises(TryAgain, match="already exists"):
        workspace.write_bytes("a.py", b"new", expect="")
    with pytest.raises(TryAgain, match="no longer exists"):
        workspace.write_bytes("gone.py", b"new", expect=content_id(b"old\n"))
    with pytest.raises(TryAgain):
        workspace.write_bytes("new/folder/gone.py", b"new", expect=content_id(b"old\n"))
    assert workspace.read_bytes("a.py") == b"old\n"
    assert workspace.list_dir() == [".git/", "a.py"]


@pytest.mark.gate("R12")
def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    (tmp_path / "fixed").write_bytes(b"x")
    (tmp_path / "fixed").chmod(0o444)
    with Workspace(tmp_path) as workspace, pytest.raises(NotPossible, match="read-only"):
        workspace.write_bytes("fixed", b"y")


PROTECTED = [
    ".git/config",
    ".git",
    ".GIT/config",
    ".Git/hooks/pre-commit",
    "sub/.git/config",
    ".git./config",
    ".git /config",
    "GIT~1/config",
    ".g\u200cit/config",
    ".git\u200c/config",
    "\ufeff.git/config",
    ".git::$INDEX_ALLOCATION/config",
    ".\uff27IT/config",
    ".g\u0131t".replace("\u0131", "i") + "/x",
    "src/../.git/config",
    ".git\\config",
    ".aoci-agent/lock.jsonl",
    ".AOCI-Agent/config.toml",
    "AOCI-A~1/lock.jsonl",
    "link/config",
    "link/new/file",
    "filelink",
]


@pytest.mark.gate("T17")
@pytest.mark.parametrize("path", PROTECTED)
def test_protected_names_are_refused(workspace: Workspace, path: str) -> None:
    (workspace.root / "link").symlink_to(".git")
    (workspace.root / "filelink").symlink_to(".git/config")
    before = sorted(workspace.root.rglob("*"))
    with pytest.raises(NotPossible, match="belongs to"):
        workspace.write_bytes(path, b"evil")
    assert (workspace.root / ".git" / "config").read_bytes() == b"[core]\n"
    assert sorted(workspace.root.rglob("*")) == before


@pytest.mark.parametrize(
    "path", [".gitignore", ".github/workflows/ci.yml", "git/x", ".gitattributes", "a.git", "git~x"]
)
def test_similar_names_are_not_protected(workspace: Workspace, path: str) -> None:
    assert protected_part(tuple(path.split("/"))) == ""
    workspace.write_bytes(path, b"fine")


def test_only_the_state_door_writes_state(workspace: Workspace) -> None:
    workspace.write_state("index.aoci", b"1")
    workspace.write_state("index.aoci", b"2")
    workspace.write_state("cache/x", b"3")
    assert workspace.read_bytes(".aoci-agent/index.aoci") == b"2"
    with pytest.raises(NotPossible):
        workspace.write_state("../a.py", b"x")
    with pytest.raises(NotPossible):
        workspace.write_state("/etc/x", b"x")


@pytest.mark.gate("T05")
def test_state_is_not_written_through_links(workspace: Workspace) -> None:
    (workspace.root / ".aoci-agent").symlink_to(".git")
    with pytest.raises(NotPossible, match="is a link"):
        workspace.write_state("config", b"evil")
    (workspace.root / ".aoci-agent").unlink()
    (workspace.root / ".aoci-agent").mkdir()
    (workspace.root / ".aoci-agent" / "lock.jsonl").symlink_to("../a.py")
    with pytest.raises(NotPossible, match="is a link"):
        workspace.write_state("lock.jsonl", b"evil")
    os.link(workspace.root / "a.py", workspace.root / ".aoci-agent" / "index.aoci")
    workspace.write_state("index.aoci", b"index")
    assert (workspace.root / "a.py").read_bytes() == b"old\n"


@pytest.mark.gate("R01")
def test_strays_of_dead_processes_are_swept(workspace: Workspace) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    (workspace.root / "d").mkdir()
    dead = workspace.root / "d" / f"{PREFIX}{child}-0123456789abcdef"
    own = workspace.root / f"{PREFIX}{os.getpid()}-0123456789abcdef"
    old = workspace.root / f"{PREFIX}{os.getppid()}-0123456789abcdef"
    other = workspace.root / f"{PREFIX}notes.txt"
    link = workspace.root / f"{PREFIX}{child}-fedcba9876543210"
    for path in (dead, own, old, other):
        path.write_bytes(b"")
    link.symlink_to("a.py")
    os.utime(old, (0, 0))
    absurd = workspace.root / f"{PREFIX}9999999999-0123456789abcdef"
    absurd.write_bytes(b"")  # a number no process can have
    assert workspace.sweep() == 3
    assert strays(workspace.root) == [path for path in strays(workspace.root) if path != dead]
    assert own.exists()
    assert other.exists()
    assert link.is_symlink()
    assert not old.exists()


def test_state_files_are_private_and_replace_links(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"theirs")
    state = tmp_path / "state" / "agent" / "session.json"
    atomic_write(state, b"1")
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.parent.stat().st_mode) == 0o700
    state.unlink()
    state.symlink_to(target)
    atomic_write(state, b"2", mode=0o644)
    assert stat.S_IMODE(state.lstat().st_mode) == 0o644
    assert not state.is_symlink()
    assert target.read_bytes() == b"theirs"
    assert strays(tmp_path) == []


@pytest.mark.gate("R01", "R02")
@pytest.mark.parametrize(
    ("now", "after"),
    [
        pytest.param(b"new\nand long\n", b"old and long\n", id="not cut off"),
        pytest.param(b"neand and long\n"[:13], b"neand and long\n"[:13], id="of neither"),
        pytest.param(b"ned and long\n", b"old and long\n", id="in the middle"),
        pytest.param(b"old and long\n", b"old and long\n", id="old"),
        pytest.param(b"new\n", b"new\n", id="new"),
        pytest.param(b"by a person\n", b"by a person\n", id="saved since"),
    ],
)
def test_a_note_mends_only_what_was_torn(workspace: Workspace, now: bytes, after: bytes) -> None:
    file, old, new = workspace.root / "a.py", b"old and long\n", b"new\n"
    file.write_bytes(now)
    head = {"name": b"a.py".hex(), "inode": file.stat().st_ino, "old": len(old), "new": len(new)}
    note = workspace.root / f"{PREFIX}{2**22 + 1}-0123456789abcdef.undo"  # no process has it
    whole = json.dumps(head).encode() + b"\n" + old + new
    for content in (whole[:-1], b"{}\n", b"[1]\nx", b"", b"\xff", whole.replace(b"612e", b"612f")):
        note.write_bytes(content)
        assert workspace.sweep() == 1
        assert file.read_bytes() == now
    note.write_bytes(whole)
    assert workspace.sweep() == 1
    assert not note.exists()
    assert file.read_bytes() == after


@pytest.mark.gate("R05")
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=5000), st.binary(max_size=5000))
def test_any_bytes_replace_any_bytes(workspace: Workspace, old: bytes, new: bytes) -> None:
    workspace.write_bytes("any", old)
    workspace.write_bytes("any", new, expect=content_id(old))
    assert workspace.read_bytes("any") == new


@pytest.mark.gate("T17", control=True)
def test_a_check_of_the_spelling_alone_lets_the_same_names_pass(workspace: Workspace) -> None:
    (workspace.root / "link").symlink_to(".git")
    passed = [path for path in PROTECTED if not path.startswith((".git/", ".aoci-agent/"))]
    assert len(passed) > 15
    assert "link/config" in passed
    (workspace.root / "link" / "config").write_bytes(b"evil")
    assert (workspace.root / ".git" / "config").read_bytes() == b"evil"
