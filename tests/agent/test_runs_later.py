from pathlib import Path

import pytest
from support.desk import Desk

from aoci_agent.agent.runs_later import TellsRunsLater
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.policies.conversation import ToolCall


@pytest.mark.gate("T16")
async def test_an_edit_of_what_others_run_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "project", tmp_path / "spill")
    toolbox, guard = Toolbox(tuple(desk.tools.values())), TellsRunsLater()
    told: dict[str, str] = {}
    summary = ""
    for path in (".vscode/tasks.json", "src/app.py"):
        bound = toolbox.bind(ToolCall("1", "write", f'{{"path": "{path}", "content": "x"}}'))
        await guard.before(bound)
        result = await bound.tool.run(bound.arguments)
        result = await guard.after(bound, result)
        told[path], summary = result.text, summary + result.summary
    desk.workspace.close()
    line = "changed, and run by other programs later: .vscode/tasks.json (VS Code)"
    assert told[".vscode/tasks.json"].endswith(line)
    assert line in summary
    assert "later" not in told["src/app.py"]
