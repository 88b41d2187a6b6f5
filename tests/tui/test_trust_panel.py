"""The question whether a folder is trusted: not now unless two keys say so, and nothing waits for it."""

from pathlib import Path

import pytest
from support.fake_session import FakeSession
from support.screens import Driver, running

from aoci_agent.base.trust import Item, Kind
from aoci_agent.base.trust_store import State, Trust
from aoci_agent.tui.quiet_keys import QUIET, QuietKeys
from aoci_agent.tui.trust_lines import headline, what_lines
from aoci_agent.tui.widgets.trust import TrustPanel

ITEMS = (
    Item(Kind.INSTRUCTIONS, "AGENTS.md", "1", "the model"),
    Item(Kind.GIT, "git hook pre-commit", "2", "git"),
    Item(Kind.SHOWN, "conftest.py", "", "pytest"),
    Item(Kind.SHOWN, "[/]\x1b]0;x\x07.envrc", "", "direnv"),
)


def asking(state: State = State.UNKNOWN, *changed: str) -> FakeSession:
    session = FakeSession()
    session.trust = Trust(state, ITEMS, changed)
    return session


async def asked(driver: Driver, *, wait: bool = True) -> TrustPanel:
    """The panel, as the stage puts it up once the session is open."""
    if not driver.app.query(TrustPanel):
        driver.app._stage.ask_trust("/srv/shop")  # pyright: ignore[reportPrivateUsage]
    await driver.until(lambda: driver.app.query(TrustPanel))
    panel = driver.app.query_one(TrustPanel)
    await driver.until(lambda: panel.has_focus)
    if wait:
        await driver.pilot.pause(QUIET + 0.02)
    return panel


async def test_it_says_what_is_there_and_what_trust_turns_on() -> None:
    async with running(asking(), size=(120, 40)) as driver:
        await asked(driver)
        for words in ("/srv/shop is not trusted yet", "becomes part of the rules", "  AGENTS.md",
                      "git hook pre-commit", "conftest.py (pytest)", "Trust turns on", "Enter not now"):  # fmt: skip
            assert words in driver.screen
        assert "\x1b" not in driver.screen


async def test_what_changed_is_named() -> None:
    async with running(asking(State.CHANGED, "AGENTS.md"), size=(120, 40)) as driver:
        await asked(driver)
        assert "was trusted, and has changed since" in driver.screen
        assert "new or changed:" in driver.screen


@pytest.mark.parametrize("state", [State.TRUSTED, State.REFUSED])
async def test_what_is_decided_is_not_asked(state: State) -> None:
    async with running(asking(state)) as driver:
        driver.app._stage.ask_trust("/srv/shop")  # pyright: ignore[reportPrivateUsage]
        await driver.pilot.pause()
        assert not driver.app.query(TrustPanel)


@pytest.mark.gate("T21", control=True)
async def test_y_and_enter_trust() -> None:
    session = asking()
    async with running(session) as driver:
        await asked(driver)
        await driver.press("y", "enter")
        await driver.until(lambda: not driver.app.query(TrustPanel))
        assert session.trusted == [True]
        assert driver.prompt.has_focus
        await driver.until_shown("it is decided")


@pytest.mark.gate("T21")
async def test_keys_typed_before_it_appeared_go_into_the_prompt() -> None:
    session = asking()
    async with running(session) as driver:
        await asked(driver, wait=False)
        await driver.press(*"yyy", "enter")
        await driver.until(lambda: driver.prompt.text == "yyy" or session.prompts == ["yyy"])
        assert session.trusted == []


@pytest.mark.gate("T21")
async def test_a_prompt_that_begins_like_an_answer_is_a_prompt() -> None:
    session = asking()
    async with running(session) as driver:
        panel = await asked(driver)
        await driver.press(*"you")
        await driver.until(lambda: driver.prompt.text == "you")
        assert not panel.has_focus
        await driver.press("enter")
        await driver.until(lambda: session.prompts == ["you"])
        assert session.trusted == []
        await driver.until_shown("/trust yes or /trust no decides")


@pytest.mark.gate("T21")
@pytest.mark.parametrize("wait", [True, False])
async def test_a_command_typed_at_once_is_run(*, wait: bool) -> None:
    session = asking()
    async with running(session, size=(120, 40)) as driver:
        await asked(driver, wait=wait)
        await driver.press(*"/trust", "space", *"no", "enter")
        await driver.until(lambda: session.trusted == [False])
        assert driver.prompt.text == ""
        assert session.prompts == []


@pytest.mark.gate("T21")
async def test_a_paste_never_answers() -> None:
    from textual.events import Paste

    session = asking()
    async with running(session) as driver:
        panel = await asked(driver)
        panel.post_message(Paste("y\n"))
        await driver.until(lambda: "y" in driver.prompt.text)
        assert session.trusted == []


@pytest.mark.parametrize(
    ("keys", "kept"),
    [(["enter"], []), (["escape"], []), (["n", "enter"], [False]), (["n", "escape"], [])],
)
async def test_no_is_remembered_and_not_now_is_not(keys: list[str], kept: list[bool]) -> None:
    session = asking()
    async with running(session) as driver:
        await asked(driver)
        await driver.press(*keys)
        await driver.until(lambda: not driver.app.query(TrustPanel))
        assert session.trusted == kept
        assert driver.prompt.has_focus


async def test_the_command_shows_and_decides(tmp_path: Path) -> None:
    session = asking()
    async with running(session, size=(120, 40)) as driver:
        await asked(driver)
        await driver.press("x")
        await driver.send("/trust")
        await driver.until_shown("decide with /trust yes or /trust no")
        await driver.send("/trust maybe")
        await driver.until_shown("takes yes or no")
        assert session.trusted == []
        await driver.send("/trust yes")
        await driver.until(lambda: session.trusted == [True])
        await driver.until(lambda: not driver.app.query(TrustPanel))


def test_nobody_is_heard_while_somebody_types() -> None:
    now = [0.0]
    quiet = QuietKeys(lambda: now[0])
    quiet.begin()
    for _ in range(5):
        now[0] += QUIET - 0.01
        assert quiet.too_early()
    now[0] += QUIET
    assert not quiet.too_early()


MANY = tuple(
    Item(Kind.SHOWN, f"packages/part{number}/conftest.py", "", "pytest") for number in range(60)
)


@pytest.mark.gate("T02")
@pytest.mark.parametrize("size", [(80, 24), (60, 20), (44, 16)])
async def test_all_that_would_run_can_be_looked_at_and_answered(size: tuple[int, int]) -> None:
    session = asking()
    session.trust = Trust(State.UNKNOWN, (*ITEMS, *MANY))
    async with running(session, size) as driver:
        panel = await asked(driver)
        seen = driver.screen
        assert "more lines: Down or PageDown" in seen
        assert all(words in seen for words in ("Enter not now", "y trust", "Ask for a change"))
        await driver.press("down")
        while driver.screen != seen.rpartition("\f")[2]:
            seen += f"\f{driver.screen}"
            await driver.press("pagedown")
        assert [item for item in MANY if item.name.rpartition("/")[0] not in seen] == []
        assert "Trust turns on" in seen
        assert "more lines" not in driver.screen
        await driver.press("y")
        await driver.until_shown("Enter trusts this folder")
        await driver.press("enter")
        await driver.until(lambda: session.trusted == [True])
        assert not panel.is_attached


async def test_without_the_keys_the_panel_leaves_room() -> None:
    session = asking()
    session.trust = Trust(State.UNKNOWN, (*ITEMS, *MANY))
    async with running(session, (60, 20)) as driver:
        panel = await asked(driver)
        await driver.press("x")
        await driver.until_shown("/trust yes or /trust no decides")
        assert panel.size.height == 2
        panel.focus()
        await driver.until_shown("more lines: Down or PageDown")


def test_every_name_is_listed_and_harmless() -> None:
    many = tuple(Item(Kind.SHOWN, f"{number}\x1b{'a' * 300}.py", "", "x") for number in range(500))
    lines = [headline("/a\x1b[2J", "unknown"), *what_lines(Trust(State.UNKNOWN, many))]
    assert not any("\x1b" in line for line in lines)
    assert sum(line.endswith(".py (x)") for line in lines) == 500
    assert what_lines(Trust(State.UNKNOWN)) == [
        "nothing in it runs or configures anything by itself"
    ]
