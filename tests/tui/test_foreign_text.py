import asyncio
import re
from pathlib import Path

import pytest
from support.fake_session import STARTED, Ask, FakeSession, FakeStatus, Hold, Item, finished
from support.hostile import ESCAPES, MARKUP
from support.screens import Driver, running
from textual.content import Content
from textual.widgets import Static

import aoci_agent.tui
from aoci_agent.agent.approval import Effect, Question
from aoci_agent.agent.events import (
    CallDelta,
    HistoryRewritten,
    Notice,
    Replied,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from aoci_agent.agent.meter import Totals
from aoci_agent.base.terminal import clean, one_line
from aoci_agent.policies.conversation import AssistantMessage, ToolCall
from aoci_agent.tools.tool import Preview, ToolResult
from aoci_agent.tui.exactly import exact_command, exact_lines

ALL = (*MARKUP[::2], *ESCAPES[::2])
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def everything(text: str) -> list[Item]:
    """One event of each kind with the text wherever text can be."""
    call = ToolCall("c", text, text)
    diff = f"--- a/{text}\n+++ b/{text}\n@@ -1 +1 @@\n-{text}\n+{text}\n"
    return [
        TextDelta(text),
        CallDelta(text, 3),
        Replied(AssistantMessage(f"# {text}\n`{text}` **{text}**\n```{text}\n{text}\n```")),
        ToolStarted(call, Preview("text", text, text, text)),
        ToolFinished(call, ToolResult(text, summary=text, diff=diff), "done", 0.1),
        ToolFinished(ToolCall("d", text, text), ToolResult(text, ok=False), "denied", 0.1),
        Notice(text, "warning"),
        HistoryRewritten(text, ()),
    ]


def shown(it: Driver) -> list[str]:
    """The literal text of every widget; none of it may be markup or carry an action."""
    texts: list[str] = []
    for widget in it.app.query(Static):
        visual = widget.visual
        assert isinstance(visual, Content)
        assert not any("click" in str(span.style) for span in visual.spans)
        texts.append(visual.plain)
    return texts


def has_no_action(it: Driver) -> bool:
    strips = it.app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
    segments = [segment for strip in strips for segment in strip]
    return not any(segment.style and "@click" in segment.style.meta for segment in segments)


@pytest.mark.gate("T18", "T19", "P70")
async def test_every_event_with_every_text_is_shown_literally() -> None:
    items = [item for text in ALL for item in everything(text)]
    async with running(FakeSession([*items, finished()]), (100, 60)) as it:
        await it.send("go")
        await it.until(lambda: "done ·" in "\n".join(shown(it)[-12:]))
        await it.press("ctrl+o")
        texts = shown(it)
        assert not [text for text in texts if FORBIDDEN.search(text)]
        whole = "\n".join(texts)
        for text in ALL[-20:]:  # older blocks have been taken out of the transcript
            assert f"· {clean(text)}".expandtabs(4) in whole
            assert f"history rewritten: {clean(text)}".expandtabs(4) in whole
        assert has_no_action(it)
        assert it.app.is_running


async def test_titles_and_results_are_shown_literally() -> None:
    items = [item for text in MARKUP for item in everything(text)[3:5]]
    async with running(FakeSession([*items, finished()]), (100, 60)) as it:
        await it.send("go")
        await it.until(lambda: "done ·" in "\n".join(shown(it)[-12:]))
        await it.press("ctrl+o")
        whole = "\n".join(shown(it))
        for text in MARKUP:
            assert f"✓ {one_line(text, 60)}  +" in whole
            assert has_no_action(it)


@pytest.mark.gate("T19", "T20")
async def test_every_text_in_a_question_is_shown_exactly() -> None:
    session = FakeSession()
    async with running(session, (120, 50)) as it:
        for number, text in enumerate(ALL):
            preview = Preview(("command", "text", "diff")[number % 3], text, text, f"key {text}")
            question = Question("c", text, Effect.RUN, preview, text, always=(f"key {text}",))
            asked = asyncio.create_task(session.approver.ask(question))
            await it.until(lambda: it.panel is not None and it.panel.is_mounted)
            await it.until(lambda: it.panel and it.panel.query("#approval-text"))
            panel = it.panel
            assert panel is not None
            texts = "\n".join(shown(it))
            assert not FORBIDDEN.search(texts)
            body = exact_command(text).plain if number % 3 == 0 else clean(text)
            assert all(line in texts for line in body.expandtabs(4).split("\n"))
            assert exact_lines([f"key {text}"], "").plain in texts
            assert has_no_action(it)
            panel.deny(text)
            await asked
            await it.until(lambda: it.panel is None)


@pytest.mark.gate("T19")
async def test_status_offers_answers_and_errors_are_literal() -> None:
    for text in (MARKUP[4], MARKUP[7], ESCAPES[11]):
        status = FakeStatus(model="", policy=text, index_status=text, branch=text)
        session = FakeSession(
            [TurnFinished("model", "", Totals(), message=text)], status=status, found=(text, text)
        )
        async with running(session, (160, 50), banner=text) as it:
            await it.send(f"/index {text}")
            await it.send(f"/mode {text}")
            await it.send(f"/model bad{text}")
            await it.send(text)
            await it.press("x", "up")
            texts = "\n".join(shown(it))
            assert not FORBIDDEN.search(texts)
            assert one_line(text, 100) in texts
            assert not FORBIDDEN.search(it.prompt.text)
            assert has_no_action(it)
    assert STARTED.root == "/srv/shop"


@pytest.mark.gate("T19")
async def test_queue_prompt_and_paste_are_literal() -> None:
    hold = Hold()
    async with running(FakeSession([hold]), (100, 40)) as it:
        await it.send("go")
        for text in ALL:
            it.prompt.paste(text)
            assert not FORBIDDEN.search(it.prompt.text)
            it.prompt.throw_away()
        for text in MARKUP[:5]:
            await it.send(text)
            assert f"queued {text}" in "\n".join(shown(it))
        assert has_no_action(it)


@pytest.mark.gate("T19")
async def test_a_click_on_foreign_markup_answers_nothing() -> None:
    spoof = "[@click=app.leave]Approve[/]"
    question = Question("c", "bash", Effect.RUN, Preview("text", spoof, spoof, spoof))
    async with running(FakeSession([Ask(question)]), (100, 30)) as it:
        await it.send("go")
        await it.until_asked()
        await it.pilot.click("#approval-text", offset=(20, 0))
        await it.pilot.click("#approval-title", offset=(25, 0))
        assert it.panel is not None
        assert it.app.return_value is None


@pytest.mark.parametrize("word", ["notify(", "from_markup(", "border_title", "tooltip", "RichLog"])
def test_no_widget_uses_a_door_that_parses_markup(word: str) -> None:
    for file in Path(aoci_agent.tui.__file__).parent.rglob("*.py"):
        assert word not in file.read_text(encoding="utf-8"), file.name


def test_every_static_switches_markup_off() -> None:
    call = re.compile(r"(?<!\w)Static\((?!\))|super\(\).__init__\([^)]*classes=f\"block {kind}\"")
    for file in Path(aoci_agent.tui.__file__).parent.rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        for found in call.finditer(source):
            if source[: found.start()].endswith("class "):
                continue
            assert "markup=False" in source[found.start() : found.start() + 160], file.name
