"""Diffs that patch(1) would take."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from aoci_agent.tools.diffs import unified

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "dd\n", "\n"]), max_size=30)


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
@given(before=LINES, after=LINES, cut=st.booleans())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_diff_makes_one_text_of_the_other(
    tmp_path: Path, before: list[str], after: list[str], *, cut: bool
) -> None:
    common = [f"line {number}\n" for number in range(20)]
    old = "".join(common + before + common)
    new = "".join(common + after + common)
    new = new.removesuffix("\n") if cut else new
    file = tmp_path / "f"
    file.write_text(old)
    diff = unified("f", old, new)
    assert bool(diff) == (old != new)
    if diff:
        command = ["patch", "-s", "-p1", "--no-backup-if-mismatch", "-F0"]
        done = subprocess.run(command, cwd=tmp_path, input=f"{diff}\n", text=True, check=False)
        assert done.returncode == 0
    assert file.read_text() == new


def test_a_new_file_and_an_emptied_one() -> None:
    assert unified("a", None, "x\n") == "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x"
    assert unified("a", "x\n", "") == "--- a/a\n+++ b/a\n@@ -1 +0,0 @@\n-x"


def test_a_missing_last_line_end_is_marked() -> None:
    assert unified("a", "x\n", "y").splitlines()[-2:] == ["+y", "\\ No newline at end of file"]


def test_a_whole_big_file_is_replaced_without_comparing_each_line() -> None:
    old = "".join(f"old {number % 7}\n" for number in range(6_000))
    new = "".join(f"new {number % 5}\n" for number in range(6_000))
    diff = unified("a", old, new)
    assert diff.startswith("--- a/a\n+++ b/a\n@@ -1,6000 +1,6000 @@\n-old 0\n")
