import random
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aoci_agent.base.files import Workspace

OLD = b"old content\n" * 100
WRITE = """
import sys
from pathlib import Path
from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import Workspace, content_id
root, name, expect = sys.argv[1:]
new = b"new content, and longer than the old\\n" * 100
try:
    Workspace(Path(root)).write_bytes(name, new, expect=None if expect == "none" else expect)
except ForModel as error:
    sys.exit(str(error))
"""
KEEP_WRITING = """
import sys
from pathlib import Path
from aoci_agent.base.files import Workspace
workspace = Workspace(Path(sys.argv[1]))
while True:
    for data in (b"a" * 200_000, b"b" * 300_000):
        workspace.write_bytes("file", data)
"""
CREATE = """
import os, sys
from aoci_agent.base.replace import create
folder = os.open(sys.argv[1], os.O_RDONLY)
try:
    create(folder, sys.argv[2], b"new", 0o640)
except FileExistsError:
    print("is there")
"""


def can_trace() -> bool:
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.gate("R01")
@pytest.mark.slow
def test_the_order_of_system_calls_survives_power_loss(tmp_path: Path) -> None:
    if not can_trace():
        pytest.skip("strace is not usable here")
    (tmp_path / "file").write_bytes(OLD)
    log = tmp_path / "log"
    calls = "write,fsync,fchmod,renameat,renameat2"
    argv = ["strace", "-f", "-o", str(log), "-e", f"trace={calls}"]
    argv += [sys.executable, "-c", WRITE, str(tmp_path), "file", "none"]
    subprocess.run(argv, capture_output=True, check=True, timeout=20)
    made = re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.MULTILINE)
    assert made == ["write", "fsync", "fchmod", "renameat", "fsync"]


@pytest.mark.parametrize("refused", ["linkat:error=EPERM", "nothing"])
def test_what_is_there_is_never_taken_for_new(tmp_path: Path, refused: str) -> None:
    """Also where the file system has no hard links."""
    if not can_trace():
        pytest.skip("strace is not usable here")
    (tmp_path / "old").write_bytes(OLD)
    argv = ["strace", "-f", "-o", "/dev/null", "-e", "trace=linkat"]
    argv += ["-e", f"inject={refused}"] * (refused != "nothing")
    said = [
        subprocess.run(
            [*argv, sys.executable, "-c", CREATE, str(tmp_path), name],
            capture_output=True,
            check=True,
            timeout=20,
        ).stdout
        for name in ("old", "new")
    ]
    assert said == [b"is there\n", b""]
    assert (tmp_path / "old").read_bytes() == OLD
    assert (tmp_path / "new").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]


@pytest.mark.gate("R11")
@pytest.mark.slow
def test_a_full_disk_keeps_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(OLD)
    (tmp_path / "twin").hardlink_to(tmp_path / "file")
    (tmp_path / "single").write_bytes(OLD)
    limit = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (2000, 2000))\n"
    for name in ("file", "single", "new"):
        argv = [sys.executable, "-B", "-c", limit + WRITE, str(tmp_path), name, "none"]
        done = subprocess.run(argv, capture_output=True, check=False, timeout=20)
        assert done.returncode == 1
        assert f"{name}: File too large" in done.stderr.decode()
    assert (tmp_path / "file").read_bytes() == OLD
    assert (tmp_path / "single").read_bytes() == OLD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "single", "twin"]


@pytest.mark.gate("R01")
@pytest.mark.slow
def test_a_killed_writer_leaves_old_or_new(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"b" * 300_000)
    chooser = random.Random(3)
    for _ in range(5):
        child = subprocess.Popen([sys.executable, "-c", KEEP_WRITING, str(tmp_path)])
        time.sleep(0.15 + chooser.random() / 10)
        child.kill()
        child.wait()
        assert (tmp_path / "file").read_bytes() in (b"a" * 200_000, b"b" * 300_000)
    with Workspace(tmp_path) as workspace:
        workspace.sweep()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
