"""How much is painted while an answer streams, and where the cursor stands among wide characters."""

import pytest
from support.fake_session import FakeSession, Hold, said
from support.screens import running
from textual.events import Key
from textual.widgets import Static

from aoci_agent.agent.events import TextDelta
from aoci_agent.tui.widgets.reply import FREEZE_AFTER, PAINT_EVERY, Reply


@pytest.mark.gate("P76")
async def test_only_the_last_block_is_painted_and_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[Static] = []
    update = Static.update

    def counted(self: Static, *words: object, **more: object) -> None:
        painted.append(self)
        update(self, *words, **more)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Static, "update", counted)
    hold = Hold()
    pieces = [TextDelta(f"piece {number} ") for number in range(2000)]
    async with running(FakeSession([*said("the first answer"), *pieces, hold])) as it:
        await it.send("go")
        await it.until_shown("piece 1999")
        replies = list(it.app.query(Reply))
        streamed = [each for each in painted if each.parent is replies[-1]]
        first = [each for each in painted if each.parent is replies[0]]
        # 2,000 pieces come at once: one paint when it is mounted, and one a beat later.
        assert len(streamed) <= 4
        assert len(first) <= 3
        assert PAINT_EVERY >= 1 / 15


@pytest.mark.gate("P76")
async def test_finished_lines_of_an_answer_are_not_painted_again() -> None:
    hold = Hold()
    text = "".join(f"line {number}\n" for number in range(FREEZE_AFTER * 3))
    async with running(FakeSession([TextDelta(text), hold]), (80, 100)) as it:
        await it.send("go")
        await it.until_shown(f"line {FREEZE_AFTER * 3 - 1}")
        frozen = it.app.query_one(Reply).query(Static).first()
        before = frozen.visual
        it.app.query_one(Reply).append("more")
        await it.until_shown("more")
        assert frozen.visual is before


@pytest.mark.gate("P77")
@pytest.mark.parametrize("text", ["日本語", "a日b", "e\u0301日", "👍本"])
async def test_the_cursor_stands_in_the_cell_after_wide_characters(text: str) -> None:
    from rich.cells import cell_len

    async with running(FakeSession()) as it:
        start = it.prompt.cursor_screen_offset.x
        for character in text:
            it.app.post_message(Key(character, character))
        await it.pilot.pause()
        assert it.prompt.text == text
        assert it.prompt.cursor_screen_offset.x - start == cell_len(text)
        await it.press("backspace")
        assert it.prompt.text == text[:-1]


@pytest.mark.gate("P78")
async def test_what_is_selected_with_the_mouse_is_copied() -> None:
    async with running(FakeSession(list(said("take these words")))) as it:
        await it.send("go")
        await it.until_shown("take these words")
        reply = it.app.query_one(Reply).query_one(Static)
        await it.pilot.mouse_down(reply, offset=(5, 0))
        await it.pilot.hover(reply, offset=(16, 0))
        await it.pilot.mouse_up(reply, offset=(16, 0))
        await it.press("ctrl+c")
        assert it.app.clipboard.startswith("these word")
        assert it.app.return_value is None
