"""Running the app without a terminal: still, quick and the same every time."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from support.fake_session import FakeSession
from textual.events import Key
from textual.pilot import Pilot

from aoci_agent.tui.app import AgentApp
from aoci_agent.tui.approver import ScreenApprover
from aoci_agent.tui.quiet_keys import QUIET
from aoci_agent.tui.widgets.approval import SETTLE, ApprovalPanel
from aoci_agent.tui.widgets.prompt import Prompt


def still_app(
    session: FakeSession, banner: str = "", history: Path | None = None, first: str = ""
) -> AgentApp:
    """The app with spinner, clock and cursor standing still."""
    assert isinstance(session.approver, ScreenApprover)
    app = AgentApp(session, session.approver, first, banner, history)
    app.animation_level = "none"
    return app


class Driver:
    """What a person does and sees."""

    def __init__(self, app: AgentApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def prompt(self) -> Prompt:
        return self.app.query_one(Prompt)

    @property
    def panel(self) -> ApprovalPanel | None:
        found = list(self.app.query(ApprovalPanel))
        return found[0] if found else None

    @property
    def screen(self) -> str:
        """All lines of the screen as text."""
        strips = self.app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
        return "\n".join(strip.text.rstrip() for strip in strips)

    async def press(self, *keys: str) -> None:
        """Type keys at once; the pilot's own `press` waits 40 ms after each."""
        for key in keys:
            character = key if len(key) == 1 else {"space": " "}.get(key)
            self.app.post_message(Key(key, character))
        await self.pilot.pause()

    async def send(self, text: str) -> None:
        self.prompt.put(text)
        await self.press("enter")

    async def until(self, true: Callable[[], object]) -> None:
        """Wait for something; the test's own timeout ends a wait for nothing."""
        while not true():  # noqa: ASYNC110 - the screen has no event for every change
            await asyncio.sleep(0.005)

    async def until_shown(self, text: str) -> None:
        await self.until(lambda: text in self.screen)

    async def until_asked(self) -> ApprovalPanel:
        """Wait for a question whose panel listens to keys."""
        await self.until(lambda: self.panel is not None)
        assert self.panel is not None
        await asyncio.sleep(QUIET + 0.02)
        return self.panel

    async def alone(self, letter: str) -> None:
        """Type a letter that answers, and no other key until it counts."""
        await self.press(letter)
        await asyncio.sleep(SETTLE + 0.1)
        await self.pilot.pause()


@asynccontextmanager
async def running(
    session: FakeSession,
    size: tuple[int, int] = (80, 24),
    history: Path | None = None,
    banner: str = "",
    first: str = "",
) -> AsyncGenerator[Driver]:
    """The app, opened."""
    app = still_app(session, banner, history, first)
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        driver.prompt.cursor_blink = False
        await pilot.pause()
        turns = app._turns  # pyright: ignore[reportPrivateUsage]
        if session.opens_at_once:  # a busy machine may take a while
            await driver.until(lambda: turns.opened and not turns.running)
        yield driver
