"""The measure of units."""

from pathlib import Path

import pytest

from aoci_agent.evals import units


def test_a_table_by_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("import os\n\n\nclass A:\n    def f(self): ...\n")
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    assert units.main([str(tmp_path)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "100.00%" in line]
    assert [row[:9] for row in rows] == [
        ["python", "1", "5", "2", "2", "1", "3", "100.00%", "100.00%"],
        ["(plain)", "1", "3", "0", "1", "0", "1", "100.00%", "100.00%"],
        ["all", "2", "8", "2", "3", "1", "4", "100.00%", "100.00%"],
    ]
