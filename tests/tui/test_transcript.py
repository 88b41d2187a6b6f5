import pytest
from support.fake_session import (
    Ask,
    FakeSession,
    Hold,
    call,
    edited,
    finished,
    may_run,
    ran,
    said,
)
from support.screens import running

from aoci_agent.agent.events import (
    CallDelta,
    HistoryRewritten,
    Notice,
    ReasoningDelta,
    Replied,
    StepStarted,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from aoci_agent.policies.conversation import AssistantMessage, ToolCall
from aoci_agent.tools.tool import Preview, ToolResult
from aoci_agent.tui.widgets.call import Call
from aoci_agent.tui.widgets.reply import Reply
from aoci_agent.tui.widgets.transcript import KEEP

PROSE = "# Title\n\nuse `code` and **bold**\n\n```python\nx = [1]  # **not bold**\n```\nend\n"


async def test_light_markdown_is_styled_and_code_stays_literal() -> None:
    async with running(FakeSession([*said(PROSE), finished()])) as it:
        await it.send("go")
        await it.until_shown("│ x = [1]  # **not bold**")
        for line in (" Title", " use code and bold", " python", " end"):
            assert line in it.screen.splitlines()
        assert "```" not in it.screen


async def test_text_streams_before_the_reply_is_whole() -> None:
    hold = Hold()
    async with running(FakeSession([TextDelta("one "), TextDelta("two"), hold])) as it:
        await it.send("go")
        await it.until_shown("one two")
        assert "answering" in it.screen


async def test_a_long_reply_keeps_every_line_and_open_fences() -> None:
    lines = [f"row {number}" for number in range(200)]
    text = "```\n" + "\n".join(lines) + "\n```\nafter"
    events = [TextDelta(text[at : at + 37]) for at in range(0, len(text), 37)]
    session = FakeSession([*events, Hold(), Replied(AssistantMessage(text)), finished()])
    async with running(session, (80, 240)) as it:
        await it.send("go")
        await it.until_shown("after")
        shown = [line.strip() for line in it.screen.splitlines()]
        assert [line for line in shown if line.startswith("│ row")] == [f"│ {row}" for row in lines]


async def test_the_whole_reply_replaces_the_pieces() -> None:
    session = FakeSession([TextDelta("wrong"), Replied(AssistantMessage("right")), finished()])
    async with running(session) as it:
        await it.send("go")
        await it.until_shown("right")
        await it.until(lambda: "wrong" not in it.screen)


async def test_a_reply_that_turns_out_empty_leaves_no_hole() -> None:
    session = FakeSession([TextDelta("tool text"), Replied(AssistantMessage("")), finished()])
    async with running(session) as it:
        await it.send("go")
        await it.until(lambda: not it.app.query(Reply))


async def test_the_activity_line_says_what_happens() -> None:
    holds = [Hold(), Hold(), Hold()]
    steps = [
        StepStarted(1, 61_000),
        holds[0],
        ReasoningDelta("hm"),
        holds[1],
        CallDelta("edit", 1240),
    ]
    async with running(FakeSession([*steps, holds[2]])) as it:
        await it.send("go")
        await it.until_shown("waiting for the model (61k sent)")
        holds[0].gate.set()
        await it.until_shown("thinking")
        holds[1].gate.set()
        await it.until_shown("writing a call of edit (1.2k characters)")


async def test_output_is_folded_and_opens_by_key_click_and_enter() -> None:
    async with running(FakeSession([*edited(), *ran(), finished()]), (100, 40)) as it:
        await it.send("go")
        await it.until_shown("✗ bash python -m pytest -q  1 failed, 11 passed  2.4s")
        assert "FAILED tests" not in it.screen
        assert "12 + " in it.screen
        await it.press("ctrl+o")
        assert "FAILED tests" in it.screen
        assert "2 lines changed" in it.screen
        await it.press("ctrl+o")
        assert "FAILED tests" not in it.screen
        await it.pilot.click(it.app.query(Call)[1])
        assert "FAILED tests" in it.screen
        assert "2 lines changed" not in it.screen
        await it.press("escape")
        await it.press("tab")
        await it.press("enter")
        assert "FAILED tests" not in it.screen
        await it.press("up")
        await it.press("enter")
        assert "2 lines changed" in it.screen
        await it.press("x")
        assert it.prompt.text == "x"
        assert it.app.focused is it.prompt


async def test_a_denied_call_is_shown_though_it_never_started() -> None:
    call = ToolCall("c7", "bash", '{"command": "rm -rf /"}')
    result = ToolResult("denied by the user", ok=False, summary="denied by the user")
    denied = ToolFinished(call, result, "denied", 0.0, "rm -rf /")
    async with running(FakeSession([denied, finished()])) as it:
        await it.send("go")
        await it.until_shown("done ·")
        assert "✗ rm -rf /" in it.screen


async def test_notices_and_rewrites_are_said() -> None:
    events = [Notice("retrying in 2 s", "warning"), HistoryRewritten("policy compact", ())]
    async with running(FakeSession([*events, finished()])) as it:
        await it.send("go")
        await it.until_shown("· retrying in 2 s")
        assert "· history rewritten: policy compact" in it.screen


@pytest.mark.gate("P74")
async def test_the_view_stays_where_the_reader_scrolled() -> None:
    hold = Hold()
    long = "\n".join(f"line {number}" for number in range(100))
    session = FakeSession([*said(long), hold, *said("newest"), finished()])
    async with running(session) as it:
        await it.send("go")
        await it.until_shown("line 99")
        await it.press("pageup", "pageup")
        before = [line[:20].rstrip() for line in it.screen.splitlines()[:10]]
        hold.gate.set()
        await it.until(lambda: len(it.app.query(Reply)) == 2)
        await it.pilot.pause()
        assert [line[:20].rstrip() for line in it.screen.splitlines()[:10]] == before
        for _ in range(6):
            await it.press("pagedown")
        await it.until_shown("newest")


async def test_old_blocks_go_and_the_screen_stays_quick() -> None:
    notices = [Notice(f"notice {number}") for number in range(KEEP + 50)]
    async with running(FakeSession([*notices, finished()])) as it:
        await it.send("go")
        await it.until_shown("done ·")
        assert f"notice {KEEP + 49}" in it.screen
        assert len(it.app.query("Transcript > *")) <= KEEP


async def test_a_long_prompt_is_shown_shortened() -> None:
    session = FakeSession()
    text = "\n".join(f"row {number}" for number in range(60))
    async with running(session, (80, 40)) as it:
        await it.send(text)
        assert "… 52 more lines …" in it.screen
        assert session.prompts == [text]


@pytest.mark.gate("P75", "P77")
async def test_it_reflows_at_any_width() -> None:
    text = "word " * 60 + "本地模型 " * 20
    async with running(FakeSession([*said(text), *edited(), finished()])) as it:
        await it.send("go")
        for width in (40, 200, 80):
            await it.pilot.resize_terminal(width, 40)
            await it.pilot.pause()
            assert it.screen.count("word") == 60
            assert it.screen.replace("\n", "").count("模") == 20


@pytest.mark.parametrize("answer", ["y", "n", "a"])
@pytest.mark.gate("P74")
async def test_it_follows_the_bottom_again_after_a_question(answer: str) -> None:
    wide = ToolStarted(
        call("bash", "c2"), Preview("command", "for i in 1 2 3; do echo tick; done; " * 4, "x")
    )
    filler = [piece for _ in range(6) for piece in edited()]
    after = [wide, *ran(), *said("\n".join(f"line {n}" for n in range(30))), finished()]
    session = FakeSession([*filler, Ask(may_run()), *after])
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        await it.pilot.pause(0.4)
        await it.press(answer)
        await it.until_shown("done ·")
        await it.send("/cost")
        await it.until_shown("no model call yet")
