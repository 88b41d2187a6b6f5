"""What calls find is masked before it is told, kept or sent; a mark is never written back."""

from pathlib import Path

import pytest
from support.fakes import FakeTool, call, harness, look, says

from aoci_agent.agent.events import ToolFinished, TurnStarted
from aoci_agent.agent.masking import KeepsSecrets
from aoci_agent.agent.record import SessionRecord
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.base.errors import TryAgain
from aoci_agent.base.secrets import Mask
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.tools.tool import Effect, ToolResult

KEY = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
LIVE = "my-own-company-token-1"


@pytest.mark.gate("T12", "S16")
async def test_a_result_is_masked_once_for_all_who_hear_of_it(tmp_path: Path) -> None:
    def act(_: str) -> ToolResult:
        text = f"KEY={KEY} OWN={LIVE}"
        return ToolResult(text, summary=text, diff=f"+{text}")

    made = harness([says("", call("show", "x")), says("so")], FakeTool("show", Effect.RUN, act))
    made.agent.conversation.mask = Mask([LIVE])
    record = SessionRecord(tmp_path / "one.jsonl", Mask([LIVE]))
    made.agent.recorder = record
    events = await made.turn(f"use {LIVE}")
    record.close()
    (finished,) = [event for event in events if isinstance(event, ToolFinished)]
    assert "<secret: GitHub token, 40 characters>" in finished.result.text
    (started,) = [event for event in events if isinstance(event, TurnStarted)]
    assert started.prompt == "use <secret: key of this agent, 22 characters>"
    for secret in (KEY, LIVE):
        assert secret not in repr(events)
        assert secret not in repr(made.model.requests)
        assert secret not in record.path.read_text()


@pytest.mark.gate("T12")
async def test_a_mark_is_not_written_in_the_place_of_what_it_stands_for(tmp_path: Path) -> None:
    guard = KeepsSecrets(Mask(), tmp_path)
    toolbox = Toolbox((look(),))
    quoting = ToolCall("c", "look", '{"text": "<secret: GitHub token, 40 characters>"}')
    escaped = ToolCall("c", "look", quoting.arguments.replace("<", "\\u003c"))  # as Go writes JSON
    for one in (quoting, escaped):
        with pytest.raises(TryAgain, match="stands for a credential"):
            await guard.before(toolbox.bind(one))
    await guard.before(toolbox.bind(call("look", "<secret: of success>")))


@pytest.mark.gate("T12", "S16")
async def test_kept_output_is_masked(tmp_path: Path) -> None:
    guard = KeepsSecrets(Mask([LIVE]), tmp_path)
    file = tmp_path / "output-a.txt"
    file.write_bytes(f"one\n{KEY}\n{LIVE}\n".encode() + b"\xff\n")
    file.chmod(0o600)
    result = ToolResult("so")
    assert await guard.after(Toolbox((look(),)).bind(call("look", "a")), result) is result
    masked = file.read_bytes()
    assert masked.startswith(b"one\n<secret: GitHub token, 40 characters>\n")
    assert masked.endswith(b"\xff\n")
    assert LIVE.encode() not in masked
    assert file.stat().st_mode & 0o077 == 0
