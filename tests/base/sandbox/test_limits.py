import os
import shutil
import subprocess
from collections.abc import Callable

import pytest
from base.sandbox.conftest import partial_box, strong_box
from support.world import World

from aoci_agent.base.box import Access, Box
from aoci_agent.base.process import Limits, run_blocking
from aoci_agent.base.sandbox.limits import TASKS, file_bytes, temporary_bytes

both = pytest.mark.parametrize("layer", [strong_box, partial_box])
Layer = Callable[[World], Box]
# Starts children that wait, until it cannot; prints how many there were.
FORKS = """
import os, time
count = 0
try:
    for count in range(6000):
        if os.fork() == 0:
            time.sleep(60)
except OSError:
    pass
print(count)
"""


def output(made: World, box: Box, *argv: str, seconds: float = 20) -> str:
    entry = box.enter(argv, made.root, Access())
    done = run_blocking(entry, cwd=made.root, limits=Limits(seconds=seconds))
    return (done.stdout + done.stderr).decode(errors="replace").strip()


@pytest.mark.gate("T32")
@both
def test_no_file_grows_without_end(here: World, layer: Layer) -> None:
    size = file_bytes(here.root) + (1 << 20)
    said = output(here, layer(here), "bash", "-c", f"truncate -s {size} big || echo refused")
    assert "refused" in said
    assert (here.root / "big").stat().st_size < size


@pytest.mark.gate("T32", control=True)
def test_outside_of_a_box_a_file_may_grow(here: World) -> None:
    if shutil.disk_usage(here.root).free < 1 << 30:
        pytest.skip("hardly any room here")
    size = (4 << 30) + (1 << 20)
    subprocess.run(["truncate", "-s", str(size), "big"], cwd=here.root, check=True)
    assert (here.root / "big").stat().st_size == size
    (here.root / "big").unlink()


@pytest.mark.gate("T32")
@both
def test_the_kernel_ends_a_command_before_the_agent(here: World, layer: Layer) -> None:
    assert output(here, layer(here), "cat", "/proc/self/oom_score_adj") == "1000"
    assert output(here, layer(here), "bash", "-c", "ulimit -c") == "0"


@pytest.mark.gate("T32")
def test_temporary_folders_have_an_end(here: World) -> None:
    said = output(here, strong_box(here), "df", "-B1", "--output=size", "/var/tmp")
    assert int(said.split()[-1]) == temporary_bytes() // 4096 * 4096


@pytest.mark.gate("T32")
@pytest.mark.skipif(os.geteuid() == 0, reason="the kernel does not count the processes of root")
@both
def test_processes_have_an_end(here: World, layer: Layer) -> None:
    box = layer(here)
    count = int(output(here, box, "python3", "-c", FORKS))
    assert count < TASKS * 2


@pytest.mark.gate("T32")
@both
def test_limits_break_no_runtime_that_reserves_much(here: World, layer: Layer) -> None:
    code = "import mmap; mmap.mmap(-1, 1 << 40, prot=0, flags=0x4022); print('reserved')"
    assert output(here, layer(here), "python3", "-c", code) == "reserved"
