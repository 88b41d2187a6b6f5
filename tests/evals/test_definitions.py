from pathlib import Path

import pytest

from aoci_agent.evals import definitions

PROJECT = Path(definitions.__file__).parent / "demo" / "project"


def test_the_graph_agrees_with_jedi_on_the_demo_project(capsys: pytest.CaptureFixture[str]) -> None:
    tally = definitions.judge(PROJECT, 40, 0)
    assert tally.wrong == []
    assert tally.missed == []
    assert tally.agree == tally.oracle > 10
    assert "built in" in capsys.readouterr().out


def test_sites_are_called_names_in_characters(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("é = 'ü'.upper().strip(f(1))\n", encoding="utf-8")
    (tmp_path / "broken.py").write_text("def (")
    sites = definitions.sites_of(definitions.Folder.of(tmp_path))
    found = sorted((site.line, site.column) for site in sites)
    assert found == [(1, 8), (1, 16), (1, 22)]
