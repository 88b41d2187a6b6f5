from pathlib import Path

import pytest
from support.fake_session import FakeSession, Hold
from support.screens import Driver, running
from textual.events import Paste

LONG = "\n".join(f"line {number}" for number in range(42))


async def paste(it: Driver, text: str) -> None:
    it.app.post_message(Paste(text))
    await it.pilot.pause()
    await it.pilot.pause()


async def test_enter_sends_and_the_other_enters_do_not() -> None:
    session = FakeSession()
    async with running(session) as it:
        await it.press("a", "shift+enter", "b", "ctrl+j", "c", "alt+enter", "d")
        assert it.prompt.text == "a\nb\nc\nd"
        await it.press("enter")
        assert session.prompts == ["a\nb\nc\nd"]
        assert it.prompt.text == ""


async def test_an_empty_prompt_is_not_sent() -> None:
    session = FakeSession()
    async with running(session) as it:
        await it.press("space", "enter")
        assert session.prompts == []


@pytest.mark.gate("P73")
async def test_a_paste_never_sends() -> None:
    session = FakeSession()
    async with running(session) as it:
        await paste(it, "rm -rf /\r\ny\r\n")
        assert session.prompts == []
        assert it.prompt.text == "rm -rf /\ny\n"


@pytest.mark.gate("P71", "P72")
async def test_a_long_paste_is_one_unit_and_sent_in_full() -> None:
    session = FakeSession()
    async with running(session) as it:
        await it.press("a")
        await paste(it, LONG)
        await it.press("b")
        assert it.prompt.text == "a[pasted 42 lines]b"
        await it.press("enter")
        assert session.prompts == [f"a{LONG}b"]


@pytest.mark.gate("P72")
async def test_tab_unfolds_the_paste_beside_the_cursor() -> None:
    session = FakeSession()
    async with running(session) as it:
        await it.press("a")
        await paste(it, LONG)
        await it.press("tab")
        assert it.prompt.text == f"a{LONG}"
        await it.press("tab", "enter")
        assert session.prompts == [f"a{LONG}"]


@pytest.mark.gate("P71")
async def test_backspace_and_delete_take_the_unit_as_a_whole() -> None:
    async with running(FakeSession()) as it:
        await it.press("a")
        await paste(it, LONG)
        await it.press("backspace")
        assert it.prompt.text == "a"
        await paste(it, LONG)
        await it.press("home", "right", "delete")
        assert it.prompt.text == "a"
        await paste(it, LONG)
        await it.press("ctrl+w")
        assert it.prompt.text == "a"


@pytest.mark.gate("P71")
async def test_the_cursor_never_enters_the_unit() -> None:
    session = FakeSession()
    async with running(session) as it:
        await paste(it, LONG)
        await it.press("left", "x", "right", "y")
        assert it.prompt.text == "x[pasted 42 lines]y"
        await it.press("enter")
        assert session.prompts == [f"x{LONG}y"]


async def test_undo_of_a_cleared_prompt_brings_the_paste_back() -> None:
    session = FakeSession()
    async with running(session) as it:
        await paste(it, LONG)
        await it.press("ctrl+c")
        assert it.prompt.text == ""
        await it.press("ctrl+z", "enter")
        assert session.prompts == [LONG]


async def test_history_by_arrows_across_sessions(tmp_path: Path) -> None:
    path = tmp_path / "history"
    async with running(FakeSession(), history=path) as it:
        await it.send("first")
        await it.send("second\nline")
    async with running(FakeSession(), history=path) as it:
        await it.pilot.pause(0.1)
        await it.press("d", "up")
        assert it.prompt.text == "second\nline"
        await it.press("up")
        assert it.prompt.text == "second\nline"
        await it.press("up")
        assert it.prompt.text == "first"
        await it.press("down", "down", "down")
        assert it.prompt.text == "d"


async def test_ctrl_r_searches() -> None:
    async with running(FakeSession()) as it:
        for text in ("fix the parser", "run tests", "fix the writer"):
            await it.send(text)
        await it.press("f", "i", "x", "ctrl+r")
        assert it.prompt.text == "fix the writer"
        await it.press("ctrl+r")
        assert it.prompt.text == "fix the parser"


async def test_ctrl_c_clears_then_quits() -> None:
    session = FakeSession()
    async with running(session) as it:
        await it.press("a", "ctrl+c")
        assert it.prompt.text == ""
        await it.press("ctrl+c")
        assert "Ctrl+C again quits" in it.screen
        await it.press("ctrl+c")
    assert it.app.return_value == 0
    assert session.closed


async def test_ctrl_d_quits_only_when_empty() -> None:
    async with running(FakeSession()) as it:
        await it.press("a", "home", "ctrl+d")
        assert it.prompt.text == ""
        assert it.app.return_value is None
        await it.press("ctrl+d")
    assert it.app.return_value == 0


@pytest.mark.gate("P95")
async def test_typing_before_the_session_is_open_is_never_lost() -> None:
    hold = Hold()
    session = FakeSession(opens=hold)
    async with running(session) as it:
        await it.send("early")
        await it.press("m", "o", "r", "e")
        assert "queued" in it.screen
        assert "still opening" in it.screen
        assert session.prompts == []
        hold.gate.set()
        await it.until(lambda: session.prompts)
        assert session.prompts == ["early"]
        assert it.prompt.text == "more"
