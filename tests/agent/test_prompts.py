"""The fixed words: small, strict, and nothing volatile in them."""

import json
from pathlib import Path

import pytest

from aoci_agent.agent.prompts import render
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.base import tokens
from aoci_agent.base.files import Workspace
from aoci_agent.tools.registry import builtin_tools


def test_tools_and_rules_stay_small(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        toolbox = Toolbox(builtin_tools(workspace, None, tmp_path / "output"))
        sent = [
            {
                "type": "function",
                "function": {
                    "name": s.name,
                    "description": s.description,
                    "parameters": s.parameters,
                },
            }
            for s in toolbox.schemas
        ]
    assert tokens.exact()
    assert tokens.count(json.dumps(sent)) + tokens.count(render("rules")) <= 1_750


def test_a_missing_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        render("check")


def test_names_are_filled_in() -> None:
    assert "src/a.py" in render("check", paths="src/a.py")
    assert render("context", date="2026-01-01", mode="ask", policy="aoci") == (
        "[2026-01-01; mode ask; policy aoci]"
    )
