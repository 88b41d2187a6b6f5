"""What calls find is masked before it is told, kept or sent; a mark is never written back."""

from pathlib import Path

import pytest
from support.fakes import FakeTool, call, harness, look, says, shell

from aoci_agent.agent.approval import Answer, Decision
from aoci_agent.agent.events import (
    TextDelta,
    ToolFinished,
    TurnFinished,
    TurnStarted,
)
from aoci_agent.agent.masking import KeepsSecrets, Streamed
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.record import SessionRecord
from aoci_agent.agent.resume import read
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.base.errors import TryAgain
from aoci_agent.base.secrets import Mask
from aoci_agent.policies.conversation import AssistantMessage, ToolCall
from aoci_agent.tools.tool import Effect, ToolResult

KEY = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
LIVE = "my-own-company-token-1"
MARK = "<secret: GitHub token, 40 characters>"


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


@pytest.mark.gate("T12", "S16")
async def test_a_reply_is_masked_for_all_who_hear_of_it_and_its_call_runs_as_it_was_meant(
    tmp_path: Path,
) -> None:
    reply = AssistantMessage(
        f"I run {KEY} now", (call("shell", f"login {KEY}", "a"),), f"Use {KEY}"
    )
    told = [Decision(Answer.DENY, f"not {KEY}")]
    denied = says(f"again {KEY}", call("shell", f"login {KEY} again", "b"))
    script = [reply, denied, says(f"done with {KEY}."), says("more")]
    h = harness(script, shell(), mode=Mode.ASK, answers=[Decision(Answer.ONCE), *told])
    record = SessionRecord(tmp_path / "one.jsonl", Mask())
    h.agent.recorder = record
    events = await h.turn(f"use {KEY}")
    await h.turn("go on")
    record.close()
    assert h.tools["shell"].calls == [f"login {KEY}"]
    assert KEY in repr(h.approver.asked)  # a person is asked about the exact bytes
    for said in (repr(events), repr(h.model.requests), record.path.read_text()):
        assert KEY not in said
    assert [e.text for e in events if isinstance(e, TurnFinished)] == [f"done with {MARK}."]
    resumed = read(record.path).messages
    assert resumed == h.agent.conversation.messages  # so the request is the same after it
    first, second = h.model.requests[0].messages, h.model.requests[-1].messages
    assert second[: len(first)] == first


@pytest.mark.gate("T12", "S16")
async def test_a_reply_that_is_interrupted_is_kept_without_keys() -> None:
    h = harness([says(f"a long reply {KEY} " * 50), says("more")], look())
    turn = h.agent.run("go")
    async for event in turn:
        if isinstance(event, TextDelta):
            break
    await turn.aclose()
    await h.turn("go on")
    assert MARK in repr(h.model.requests[-1])
    assert KEY not in repr(h.model.requests[-1])


@pytest.mark.gate("T12", "S16")
@pytest.mark.parametrize("size", [1, 3, 17, 10_000])
@pytest.mark.parametrize("before", ["the token ", "令牌", "-H 'Authorization: Bearer "])
def test_a_key_that_comes_in_pieces_is_never_shown(size: int, before: str) -> None:
    text = f"It is {before}{KEY} and so on.\nNo more: {KEY}"
    streamed = Streamed(Mask())
    pieces = [p for at in range(0, len(text), size) for p in streamed.more(text[at : at + size])]
    assert "".join([*pieces, *streamed.rest()]) == Mask().mask(text)


def test_what_streams_is_held_back_no_longer_than_a_word() -> None:
    streamed = Streamed(Mask())
    shown = ["".join(streamed.more(piece)) for piece in ("Hel", "lo wor", "ld, 你", "好吗", "\nx")]
    assert shown == ["", "Hello ", "world, 你", "好吗", "\n"]


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
