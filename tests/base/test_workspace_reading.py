import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aoci_agent.base import beneath
from aoci_agent.base.beneath import Opener
from aoci_agent.base.errors import BadWorkspace, ForModel, NotPossible, TryAgain
from aoci_agent.base.files import Workspace


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_bytes(b"x = 1\n")
    evil = tmp_path / "ws-evil"
    evil.mkdir()
    (evil / "secret").write_bytes(b"SECRET")
    return root


@pytest.fixture
def workspace(place: Path) -> Iterator[Workspace]:
    with Workspace(place) as opened:
        yield opened


def test_reading_a_file(workspace: Workspace) -> None:
    assert workspace.read_bytes("src/a.py") == b"x = 1\n"
    assert workspace.read_text("./src//a.py").text == "x = 1\n"
    assert workspace.exists("src")
    assert workspace.is_dir("src")
    assert not workspace.is_dir("src/a.py")
    assert not workspace.exists("src/b.py")
    assert workspace.list_dir() == ["src/"]
    assert workspace.list_dir("src") == ["a.py"]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        (".\\src\\a.py", "src/a.py"),
        ("src/../src/a.py", "src/a.py"),
        ("src/", "src"),
        ("", ""),
        (".", ""),
        ("{root}/src/a.py", "src/a.py"),
        ("{root}", ""),
        ("{root}/../ws/src/a.py", "src/a.py"),
        ("new/file.py", "new/file.py"),
    ],
)
def test_the_ways_to_name_a_file(workspace: Workspace, given: str, name: str) -> None:
    assert workspace.relative(given.format(root=workspace.root)) == name


def test_a_backslash_in_a_real_name_stays(workspace: Workspace) -> None:
    (workspace.root / "odd\\name").write_bytes(b"odd")
    assert workspace.relative("odd\\name") == "odd\\name"
    assert workspace.read_bytes("odd\\name") == b"odd"


def test_an_absolute_path_through_a_link_to_the_root(place: Path) -> None:
    (place.parent / "alias").symlink_to(place)
    with Workspace(place.parent / "alias") as workspace:
        assert workspace.root == place
        assert workspace.relative(f"{place.parent}/alias/src/a.py") == "src/a.py"
        assert workspace.relative(f"{place}/src/a.py") == "src/a.py"


@pytest.mark.gate("T04")
@pytest.mark.parametrize(
    "path",
    [
        "../ws-evil/secret",
        "{root}-evil/secret",
        "{root}/../ws-evil/secret",
        "src/../../ws-evil/secret",
        "..\\ws-evil\\secret",
        "/etc/passwd",
        "..",
        "/",
        "a\0b",
    ],
)
def test_paths_outside_are_refused(workspace: Workspace, path: str) -> None:
    path = path.format(root=workspace.root)
    with pytest.raises(NotPossible):
        workspace.read_bytes(path)
    with pytest.raises(NotPossible):
        workspace.write_bytes(path, b"x")
    assert not workspace.exists(path)


OUTSIDE = {
    "absolute": "{evil}/secret",
    "upwards": "../ws-evil/secret",
    "folder/secret": "../ws-evil",
    "chain": "hop",
    "magic": "/proc/self/environ",
    "device": "/dev/zero",
    "root/etc/passwd": "/",
    "dangling": "../ws-evil/new",
}


@pytest.mark.gate("T05")
@pytest.mark.parametrize("open_below", [beneath.open_by_kernel, beneath.open_by_walking])
@pytest.mark.parametrize("name", OUTSIDE)
def test_links_out_are_refused(place: Path, open_below: Opener, name: str) -> None:
    target = OUTSIDE[name].format(evil=place.parent / "ws-evil")
    (place / name.split("/")[0]).symlink_to(target)
    (place / "hop").symlink_to("../ws-evil/secret")
    root = os.open(place, os.O_RDONLY)
    with pytest.raises(OSError, match=r"cross-device|Invalid cross|absolute|leads out|symbolic"):
        open_below(root, name, os.O_RDONLY)
    os.close(root)
    with Workspace(place) as workspace:
        with pytest.raises(NotPossible):
            workspace.read_bytes(name)
        with pytest.raises(NotPossible):
            workspace.write_bytes(name, b"overwritten")
        assert not workspace.exists(name)
    assert [path.name for path in (place.parent / "ws-evil").iterdir()] == ["secret"]
    assert (place.parent / "ws-evil" / "secret").read_bytes() == b"SECRET"


@pytest.mark.parametrize("open_below", [beneath.open_by_kernel, beneath.open_by_walking])
@pytest.mark.parametrize(
    ("name", "target"),
    [("link.py", "src/a.py"), ("src/up.py", "../src/a.py"), ("dir/a.py", "src"), ("two", "one")],
)
def test_links_inside_are_followed(place: Path, open_below: Opener, name: str, target: str) -> None:
    (place / "one").symlink_to("./src/a.py")
    link = place / "dir" if name.startswith("dir/") else place / name
    link.symlink_to(target)
    root = os.open(place, os.O_RDONLY)
    descriptor = open_below(root, name, os.O_RDONLY)
    assert os.read(descriptor, 10) == b"x = 1\n"
    os.close(descriptor)
    os.close(root)


@pytest.mark.gate("T05", "T31")
@pytest.mark.parametrize("open_below", [beneath.open_by_kernel, beneath.open_by_walking])
def test_link_circles_end(place: Path, open_below: Opener) -> None:
    (place / "a").symlink_to("b")
    (place / "b").symlink_to("a")
    root = os.open(place, os.O_RDONLY)
    with pytest.raises(OSError, match="link"):
        open_below(root, "a", os.O_RDONLY)
    os.close(root)


@pytest.mark.gate("T05")
def test_an_absolute_link_to_the_inside_is_refused_with_the_reason(
    workspace: Workspace,
) -> None:
    (workspace.root / "link").symlink_to(workspace.root / "src" / "a.py")
    with pytest.raises(NotPossible, match="absolute target"):
        workspace.read_bytes("link")


@pytest.mark.gate("T07")
def test_only_regular_files_are_read(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "pipe")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(workspace.root / "s"))
    with pytest.raises(NotPossible, match="pipe"):
        workspace.read_bytes("pipe")
    with pytest.raises(NotPossible, match="pipe"):
        workspace.write_bytes("pipe", b"x")
    with pytest.raises(NotPossible, match="socket"):
        workspace.read_bytes("s")
    with pytest.raises(NotPossible, match="folder"):
        workspace.read_bytes("src")
    with pytest.raises(NotPossible, match="folder"):
        workspace.read_bytes("")
    server.close()


@pytest.mark.gate("T07")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes device nodes")
def test_devices_are_not_read(workspace: Workspace) -> None:
    try:
        os.mknod(workspace.root / "zero", 0o20666, os.makedev(1, 5))
    except OSError as error:
        pytest.skip(str(error))
    with pytest.raises(NotPossible):
        workspace.read_bytes("zero")


@pytest.mark.gate("T31")
def test_a_large_file_is_refused_by_its_size(workspace: Workspace) -> None:
    with (workspace.root / "large").open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(NotPossible, match=r"large has 50,000,000 bytes.*20,000,000"):
        workspace.read_bytes("large")
    assert workspace.read_bytes("src/a.py", limit=6) == b"x = 1\n"
    with pytest.raises(NotPossible, match="limit of 5"):
        workspace.read_bytes("src/a.py", limit=5)


def test_what_is_missing_can_be_mended(workspace: Workspace) -> None:
    with pytest.raises(TryAgain, match=r"src/b\.py does not exist"):
        workspace.read_bytes("src/b.py")
    with pytest.raises(TryAgain, match="part of it is a file"):
        workspace.read_bytes("src/a.py/b")
    with pytest.raises(TryAgain):
        workspace.list_dir("nowhere")
    with pytest.raises(NotPossible, match="too long"):
        workspace.read_bytes("n" * 300)


@pytest.mark.gate("P43")
def test_binary_files_are_named(workspace: Workspace) -> None:
    (workspace.root / "b").write_bytes(b"\0\1")
    with pytest.raises(NotPossible, match="b cannot be read as text: binary"):
        workspace.read_text("b")


@pytest.mark.gate("R30")
@pytest.mark.parametrize(
    "name", [b"caf\xe9", b"new\nline", b"-rf", b"x" * 255, "😀".encode(), "e\u0301".encode(), b" "]
)
def test_odd_names_are_files_like_any_other(workspace: Workspace, name: bytes) -> None:
    text = os.fsdecode(name)
    workspace.write_bytes(text, b"1")
    workspace.write_bytes(text, b"2")
    assert workspace.read_bytes(text) == b"2"
    assert os.fsencode(workspace.list_dir()[-1 if name > b"src" else 0]) == name


@pytest.mark.parametrize("missing", ["nowhere", "file", "loop"])
def test_a_workspace_must_be_a_folder(tmp_path: Path, missing: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(BadWorkspace, match="cannot work in"):
        Workspace(tmp_path / missing)


@pytest.mark.gate("R32")
def test_a_removed_workspace_gives_plain_errors(place: Path) -> None:
    with Workspace(place) as workspace:
        place.rename(place.parent / "moved")
        assert workspace.read_bytes("src/a.py") == b"x = 1\n"  # the descriptor follows the folder
        (place.parent / "moved" / "src" / "a.py").unlink()
        (place.parent / "moved" / "src").rmdir()
        (place.parent / "moved").rmdir()
        with pytest.raises(TryAgain):
            workspace.read_bytes("src/a.py")
        with pytest.raises(ForModel):
            workspace.write_bytes("new", b"x")


@pytest.mark.gate("T06")
@pytest.mark.parametrize("open_below", [beneath.open_by_kernel, beneath.open_by_walking])
def test_a_race_of_exchanged_links_never_leaks(place: Path, open_below: Opener) -> None:
    (place / "good").write_bytes(b"fine")
    (place / "out").symlink_to("../ws-evil/secret")
    (place / "in").symlink_to("good")
    (place / "file").symlink_to("good")
    done = threading.Event()

    def exchange() -> None:
        while not done.is_set():
            for source in ("out", "in"):
                (place / f"{source}2").symlink_to((place / source).readlink())
                (place / f"{source}2").rename(place / "file")

    thread = threading.Thread(target=exchange)
    thread.start()
    root = os.open(place, os.O_RDONLY)
    seen: set[bytes] = set()
    # On a busy machine the other thread may hold the wrong link for a long time.
    deadline = time.monotonic() + 20
    tries = 0
    try:
        while tries < 2000 or (not seen and time.monotonic() < deadline):
            tries += 1
            try:
                descriptor = open_below(root, "file", os.O_RDONLY)
            except OSError:
                continue
            seen.add(os.read(descriptor, 10))
            os.close(descriptor)
    finally:
        done.set()
        thread.join()
        os.close(root)
    assert seen == {b"fine"}


@pytest.mark.gate("T06", control=True)
def test_a_check_by_path_leaks_when_the_link_is_exchanged_behind_it(place: Path) -> None:
    (place / "file").symlink_to("src/a.py")
    checked = os.path.realpath(place / "file")
    assert Path(checked).is_relative_to(place)
    (place / "file2").symlink_to("../ws-evil/secret")
    (place / "file2").rename(place / "file")
    assert (place / "file").read_bytes() == b"SECRET"
    with Workspace(place) as workspace, pytest.raises(NotPossible):
        workspace.read_bytes("file")
