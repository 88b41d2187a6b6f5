import asyncio

import pytest
from support.fake_session import DIFF, FakeSession, Hold, finished, said
from support.screens import Driver, running
from textual.events import Paste

from aoci_agent.agent.rewind import File, Point, Preview, Rewound
from aoci_agent.base.errors import ForUser
from aoci_agent.policies.conversation import AssistantMessage, UserMessage
from aoci_agent.tui import signs
from aoci_agent.tui.quiet_keys import QUIET
from aoci_agent.tui.widgets.rewind import RewindPanel

POINTS = (
    Point("turn 2", "make it [/b] shout \x1b]52;c;eA==\x07", 0.0, 2, 14, 3),
    Point("turn 1", "fix the discount", 0.0, 5, 40, 9),
)


async def slowly(it: Driver, *keys: str) -> None:
    """As a person who looks before each key."""
    for key in keys:
        await asyncio.sleep(QUIET + 0.02)
        await it.press(key)


def shop() -> FakeSession:
    session = FakeSession()
    session.rewind.known = POINTS
    session.rewind.previews["turn 1"] = Preview((File("shop/quotes.py", 3, 2, DIFF),), (), ())
    return session


@pytest.mark.gate("P91")
async def test_a_point_is_chosen_then_what_of_it() -> None:
    session = shop()
    session.messages = (UserMessage("hello", question="hello"), AssistantMessage("Hi there."))
    session.rewind.result = Rewound(("shop/quotes.py",), {}, "fix the discount")
    async with running(session) as it:
        await it.send("/rewind")
        assert f"2 files  +14 {signs.MINUS}3" in it.screen
        await slowly(it, "down", "enter")
        assert f"shop/quotes.py  +3 {signs.MINUS}2" in it.screen
        assert "gives back 3 lines, takes out 2 lines" in it.screen
        assert "code and conversation" in it.screen
        await slowly(it, "down", "enter")
        assert session.rewind.done == [("turn 1", "code", True)]
        await it.until_shown("back to before turn 1: 1 path")
        assert "Hi there." in it.screen
        assert it.prompt.text == "fix the discount"
        assert it.prompt.has_focus
        assert not it.app.query(RewindPanel)


async def test_esc_twice_on_an_idle_empty_prompt_opens_it_and_esc_leaves() -> None:
    session = shop()
    async with running(session) as it:
        await it.press("escape")
        assert "Esc again" in it.screen
        assert not it.app.query(RewindPanel)
        await it.press("escape")
        await it.until(lambda: it.app.query(RewindPanel))
        await slowly(it, "enter", "escape")
        assert it.app.query(RewindPanel)
        await slowly(it, "escape")
        await it.until(lambda: not it.app.query(RewindPanel))
        assert it.prompt.has_focus
        assert session.rewind.done == []


async def test_esc_twice_does_nothing_while_words_stand_in_the_prompt_or_a_turn_runs() -> None:
    session = FakeSession([Hold()], [*said("ok"), finished("ok")])
    session.rewind.known = POINTS
    async with running(session) as it:
        it.prompt.put("half a thought")
        await it.press("escape", "escape")
        assert not it.app.query(RewindPanel)
        await it.send("go")
        await it.press("escape", "escape")
        await it.until(lambda: session.interrupted == 1)
        assert not it.app.query(RewindPanel)


@pytest.mark.gate("P91")
async def test_files_of_somebody_else_are_shown_with_their_diff_and_left_alone() -> None:
    session = shop()
    conflict = File("a.py", diff=DIFF, why="it was changed since")
    lost = File("big.bin", why="it was too large to be saved, or could not be read")
    session.rewind.previews["turn 2"] = Preview((File("b.py", 1, 1),), (conflict,), (lost,))
    async with running(session, (100, 40)) as it:
        await it.send("/undo")
        await slowly(it, "enter")
        for words in ("a.py  it was changed since", "quote.discount >= 1", "big.bin  it was too"):
            assert words in it.screen
        assert "the other files and conversation" in it.screen
        await slowly(it, "enter")
        assert session.rewind.done == [("turn 2", "both", True)]


@pytest.mark.gate("T18", "T19")
async def test_foreign_text_is_only_text() -> None:
    session = shop()
    odd = "[@click=app.leave]x[/] \x1b[2J \u202e.py"
    session.rewind.previews["turn 2"] = Preview(
        (File(odd, 1, 0),), (File(odd, diff=f"@@ -1 +1 @@\n-{odd}\n+[/b]", why=odd),), (File(odd),)
    )
    async with running(session, (100, 40)) as it:
        await it.send("/rewind")
        assert "make it [/b] shout" in it.screen
        await slowly(it, "enter")
        assert "[@click=app.leave]x[/]" in it.screen
        assert "\x1b" not in it.screen
        await slowly(it, "escape", "escape")


async def test_what_is_refused_is_said_and_the_panel_stays() -> None:
    session = shop()
    session.rewind.refuses = ForUser("the present state cannot be saved first", "free some space")
    async with running(session) as it:
        await it.send("/rewind")
        await slowly(it, "enter", "enter")
        await it.until_shown("cannot be saved first (free some space)")
        assert it.app.query(RewindPanel)


@pytest.mark.gate("T21")
@pytest.mark.parametrize("before", [(), ("down", "enter")])
async def test_words_go_into_the_prompt_and_rewind_nothing(before: tuple[str, ...]) -> None:
    session = shop()
    async with running(session) as it:
        await it.send("/rewind")
        await slowly(it, *before)
        await asyncio.sleep(QUIET + 0.02)
        await it.press(*"just", "space", *"k", "enter")
        await it.until(lambda: session.prompts == ["just k"])
        await it.until(lambda: not it.app.query(RewindPanel))
        assert session.rewind.done == []


@pytest.mark.gate("T21")
async def test_enter_typed_before_a_choice_appeared_chooses_nothing() -> None:
    session = shop()
    async with running(session) as it:
        await it.send("/rewind")
        await it.press("enter", "enter")
        assert "Go back to before" in it.screen
        await slowly(it, "enter")
        await it.press("enter", "enter")
        assert session.rewind.done == []
        assert it.app.query(RewindPanel)


@pytest.mark.gate("T21")
async def test_a_paste_goes_into_the_prompt() -> None:
    async with running(shop()) as it:
        await it.send("/rewind")
        it.app.query_one(RewindPanel).post_message(Paste("some\nwords"))
        await it.until(lambda: it.prompt.text == "some\nwords")
        await it.until(lambda: not it.app.query(RewindPanel))


async def test_it_says_what_esc_does() -> None:
    async with running(shop()) as it:
        await it.send("/rewind")
        assert "Esc leaves everything as it is" in it.screen
        await slowly(it, "enter")
        assert "Esc shows the list again" in it.screen
        await slowly(it, "escape")
        assert "Go back to before" in it.screen


async def test_redo_takes_the_last_rewinding_back() -> None:
    session = shop()
    async with running(session) as it:
        await it.send("/redo")
        assert "nothing was rewound" in it.screen
        session.rewind.known = (Point("r7", "turn 2", 0.0, 2, 3, 14, conversation=False), *POINTS)
        session.rewind.result = Rewound(("a.py",), {"b.py": "it changed a moment ago"})
        await it.send("/redo")
        await it.until_shown("not put back: b.py: it changed a moment ago")
        assert session.rewind.done == [("r7", "code", False)]
        session.rewind.known = (Point("turn 9", "next", 0.0), *session.rewind.known)
        await it.send("/redo")
        await it.until_shown("row r7 to before the last rewinding")


async def test_without_points_it_says_so() -> None:
    async with running(FakeSession()) as it:
        await it.send("/rewind")
        assert "there is no question to go back to yet" in it.screen
