"""A program for pty tests: the real screen and loop at a real command, recorded.

`work_program.py FOLDER`: each prompt runs a command that says "partial", leaves its process number in
FOLDER/pid and then sleeps. FOLDER/record.jsonl is the session's record.
"""

import json
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

from support.fake_session import STARTED, FakeSession
from support.fakes import says
from support.permitted import permitted

from aoci_agent.agent.approval import Mode
from aoci_agent.agent.budget import Budget
from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import Event
from aoci_agent.agent.freshness import unchanged
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.agent.record import SessionRecord
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.base.box import Unboxed
from aoci_agent.base.files import Workspace
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.policies.layers import Layer, Prefix
from aoci_agent.policies.plain import GrepRead
from aoci_agent.tools.builtin.bash import Bash
from aoci_agent.tui.app import run_app
from aoci_agent.tui.approver import ScreenApprover

FOLDER = Path(sys.argv[1])
SCRIPT = "echo partial; (sleep 300 & echo $! >> pid); echo $$ >> pid; sleep 300"


class Working(FakeSession):
    """The real loop behind the screen."""

    def __init__(self) -> None:
        super().__init__()
        tool = Bash(Workspace(FOLDER), FOLDER / "spill", Unboxed())
        command = json.dumps({"command": SCRIPT})
        replies = [says("", ToolCall(f"c{number}", "bash", command)) for number in range(9)]
        self._recorder = SessionRecord(FOLDER / "record.jsonl")
        self._recorder.write(STARTED)
        toolbox = Toolbox((tool,))
        self._agent = Agent(
            ScriptedModel(replies, cost=0.0),
            Conversation(Prefix(toolbox.schemas, (Layer("rules", "be good"),)), GrepRead()),
            Dispatcher(toolbox, permitted(Mode.FULL_AUTO), self.approver, unchanged),
            self._recorder,
            Budget(Limits()),
        )

    async def run(self, prompt: str) -> AsyncGenerator[Event]:
        self.prompts.append(prompt)
        async for event in self._agent.run(prompt):
            yield event

    async def close(self) -> None:
        await super().close()
        self._recorder.close()


if __name__ == "__main__":
    session = Working()
    assert isinstance(session.approver, ScreenApprover)
    sys.exit(run_app(session, session.approver))
