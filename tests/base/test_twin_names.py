"""Names that differ in their capitals only, where no file system is at hand that folds them.

A hard link stands for what such a file system does: both names lead to one file.
"""

import os
from pathlib import Path

import pytest

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import Workspace


@pytest.mark.gate("R31")
@pytest.mark.parametrize("twin", ["A.PY", "A.py", "a.PY"])
def test_a_file_that_is_there_under_another_spelling_is_not_made_anew(
    tmp_path: Path, twin: str
) -> None:
    (tmp_path / "a.py").write_bytes(b"old")
    os.link(tmp_path / "a.py", tmp_path / twin)
    with Workspace(tmp_path) as workspace, pytest.raises(TryAgain, match="already exists"):
        workspace.write_bytes(twin, b"twin", expect="")
    assert (tmp_path / "a.py").read_bytes() == b"old"


@pytest.mark.gate("R31", "T17")
@pytest.mark.parametrize("name", [".GIT/config", ".Git/hooks/x", ".AOCI-agent/index.aoci"])
def test_what_is_protected_is_so_in_any_spelling(tmp_path: Path, name: str) -> None:
    with Workspace(tmp_path) as workspace, pytest.raises(NotPossible):
        workspace.write_bytes(name, b"evil", expect="")
    assert list(tmp_path.iterdir()) == []
