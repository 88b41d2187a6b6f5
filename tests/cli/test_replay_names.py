"""Runs and cells by their names: what is printed is what is taken."""

from pathlib import Path

import pytest
from support.replays import begun

from aoci_agent.base.errors import BadUsage
from aoci_agent.cli.replay_places import run_named
from aoci_agent.cli.replay_show import cell_named


def test_every_printed_form_of_a_name_is_that_cell(tmp_path: Path) -> None:
    how = {"solvers": ("aoci", "aoci,no-index"), "models": ("gold", "openai/m"), "seeds": 11}
    folder = begun(tmp_path / "run", **how)
    for cell in folder.run().cells():
        words = (cell.task, cell.solver, cell.model)
        for name in (
            *(cell.id, cell.name, " · ".join((*words, str(cell.seed)))),
            " · ".join((*words, f"seed {cell.seed}")),
        ):
            assert cell_named(folder, name) == cell
    with pytest.raises(BadUsage, match="no cell has") as raised:
        cell_named(folder, "nothing")
    assert str(raised.value.hint).endswith("…")


def test_runs_that_are_not_named_are_not_kept_back(tmp_path: Path) -> None:
    for n in range(9):
        begun(tmp_path / f"r{n}")
    with pytest.raises(BadUsage, match="no run nope") as raised:
        run_named(tmp_path, "nope")
    assert "…: aoci-agent replay list" in str(raised.value.hint)
    begun(tmp_path / "nope")
    assert run_named(tmp_path, "nope").path.name == "nope"
