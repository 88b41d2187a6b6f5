"""File systems that refuse to be written, and one that does not tell capitals from small letters."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from aoci_agent.base.errors import ForModel, TryAgain
from aoci_agent.base.files import Workspace, content_id
from aoci_agent.base.replace import PREFIX

pytestmark = pytest.mark.gate("R12")
NOBODY = 65_534
CHANGES = """
import sys
from pathlib import Path
from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import Workspace

with Workspace(Path(sys.argv[1])) as workspace:
    for name in ("a.py", "new.py", "folder/new.py"):
        try:
            workspace.write_bytes(name, b"new")
        except ForModel as error:
            print(error)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may enter, unlike those pytest makes."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        (Path(name) / "a.py").write_bytes(b"old")
        yield Path(name)


def refusals(root: Path) -> list[str]:
    """What an ordinary user is told who writes a file there, and makes one."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said: list[str] = []
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        with Workspace(root) as workspace:
            for name in ("a.py", "new.py"):
                try:
                    workspace.write_bytes(name, b"new")
                except ForModel as error:
                    said.append(str(error))
        os.write(write, "\n".join(said).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read) as answer:
        return answer.read().splitlines()


def test_a_folder_without_the_right_to_write(folder: Path) -> None:
    (folder / "a.py").chmod(0o666)
    folder.chmod(0o555)
    said = refusals(folder)
    folder.chmod(0o755)
    assert said == ["a.py: Permission denied", "new.py: Permission denied"]
    assert (folder / "a.py").read_bytes() == b"old"


def test_a_file_without_the_right_to_write(folder: Path) -> None:
    folder.chmod(0o777)
    (folder / "a.py").chmod(0o444)
    assert refusals(folder) == ["a.py is read-only"]
    assert (folder / "a.py").read_bytes() == b"old"
    assert list(folder.glob(f"{PREFIX}*")) == []


def test_an_immutable_file(folder: Path) -> None:
    file = folder / "a.py"
    if not _changed("+i", file):
        pytest.skip("files cannot be made immutable here")
    try:
        with Workspace(folder) as workspace, pytest.raises(ForModel, match=r"a\.py"):
            workspace.write_bytes("a.py", b"new", expect=content_id(b"old"))
        assert file.read_bytes() == b"old"
        assert list(folder.glob(f"{PREFIX}*")) == []
    finally:
        _changed("-i", file)


def test_a_read_only_mount(folder: Path) -> None:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        pytest.skip("no bubblewrap here")
    argv = [bwrap, "--ro-bind", "/", "/", sys.executable, "-c", CHANGES, str(folder)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    if "bwrap:" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.stdout.splitlines() == [
        "a.py is read-only",
        "new.py: Read-only file system",
        "folder/new.py: Read-only file system",
    ]


@pytest.mark.gate("R31")
def test_a_folder_that_folds_capitals(tmp_path: Path) -> None:
    image, root = tmp_path / "image", tmp_path / "mounted"
    root.mkdir()
    with image.open("wb") as file:
        file.truncate(20_000_000)
    make = ["mkfs.ext4", "-q", "-O", "casefold", "-E", "encoding=utf8", str(image)]
    mount = ["mount", "-o", "loop", str(image), str(root)]
    for argv in (make, mount):
        if shutil.which(argv[0]) is None or subprocess.run(argv, capture_output=True).returncode:
            pytest.skip(f"no file system that folds capitals can be mounted here ({argv[0]})")
    try:
        (root / "project" / ".git").mkdir(parents=True)
        if not _changed("+F", root / "project"):
            pytest.skip("the folder cannot be made to fold capitals")
        (root / "project" / "a.py").write_bytes(b"old")
        with Workspace(root / "project") as workspace:
            with pytest.raises(TryAgain, match="already exists"):
                workspace.write_bytes("A.PY", b"twin", expect="")
            with pytest.raises(ForModel, match="belongs to"):
                workspace.write_bytes(".GIT/config", b"evil")
    finally:
        subprocess.run(["umount", str(root)], check=False)


def _changed(flag: str, path: Path) -> bool:
    chattr = shutil.which("chattr")
    return (
        chattr is not None
        and not subprocess.run(
            [chattr, flag, str(path)], capture_output=True, check=False
        ).returncode
    )
