"""A program for pty tests: the real screen, foreign words at every place that can show some.

What it is called with and what it reports: see `hostile_words`.
"""

import asyncio
import contextlib
import json
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace

from support.fake_session import (
    Ask,
    finished,
    step,
)
from support.hostile_session import (
    Hostile,
    blocks,
    endings,
    groups,
    questions,
    status,
)
from support.hostile_words import GROUP, LONG, REPORT, asked, seen
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.widget import Widget

from aoci_agent.agent.events import (
    CallDelta,
    StepFinished,
    TextDelta,
)
from aoci_agent.agent.meter import Totals
from aoci_agent.agent.rewind import File, Point, Preview as Going
from aoci_agent.base.errors import ForUser
from aoci_agent.base.trust import Item as Found, Kind
from aoci_agent.base.trust_store import State, Trust
from aoci_agent.tui.app import AgentApp
from aoci_agent.tui.approver import ScreenApprover
from aoci_agent.tui.quiet_keys import QUIET
from aoci_agent.tui.widgets.approval import Comment
from aoci_agent.tui.widgets.prompt import Prompt
from aoci_agent.tui.widgets.rewind import RewindPanel
from aoci_agent.tui.widgets.trust import TrustPanel

ROUNDS = 3  # what was mounted mounts its own, is laid out, is painted


class Driver:
    """Drives the app from inside: it waits for the paint, not for a clock."""

    def __init__(self, said: Hostile, app: AgentApp) -> None:
        self.said = said
        self.app = app
        self.pilot = Pilot[int](app)
        self.clickable = 0
        self.fault = ""
        self.stage = app._stage  # pyright: ignore[reportPrivateUsage]
        self.turns = app._turns  # pyright: ignore[reportPrivateUsage]
        self.on = app._on  # pyright: ignore[reportPrivateUsage]

    async def painted(self) -> None:
        """Everything that was asked for is on the terminal's wire."""
        for _ in range(ROUNDS):
            # A widget that goes away meanwhile never answers.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(15):
                    await self.pilot.pause(0)

    def look(self) -> None:
        """Count what could be clicked on the screen."""
        for strip in self.app.screen._compositor.render_strips():  # pyright: ignore[reportPrivateUsage]
            for segment in strip:
                meta = segment.style.meta if segment.style else {}
                self.clickable += "@click" in meta or bool(segment.style and segment.style.link)

    async def send(self, text: str) -> None:
        await self.app.on_prompt_sent(Prompt.Sent(text))
        await self.until(lambda: not self.turns.running)
        await self.painted()  # before the next one scrolls it away

    async def until(self, true: Callable[[], object]) -> None:
        while not true():  # noqa: ASYNC110 - the screen has no event for every change
            await asyncio.sleep(0.002)

    async def drive(self) -> None:

        try:
            await self.until(lambda: self.turns.opened and not self.turns.running)
            await self.painted()
            await self._commands()
            await self._blocks()
            await self._endings()
            await self._questions()
            await self._panels()
            await self._words()
            self.app.exit(0)
        except BaseException:
            self.fault = traceback.format_exc()
            self.app.exit(9)
            raise
        finally:
            sites = {name: sorted(found) for name, found in seen.items()}
            report = {"clickable": self.clickable, "fault": self.fault, "sites": sites} | {
                "asked": sorted(asked)
            }
            REPORT.write_text(json.dumps(report))

    async def _commands(self) -> None:
        for at in groups(LONG):
            self.said.at = at
            self.said.status = status(at)
            self.stage.status_changed()
            for name in ("index", "model", "mode", "policy", "budget"):
                await self.send(f"/{name} {at(f'{name} words')}")
            for name in ("model", "policy", "budget", "context"):
                await self.send(f"/{name}")
            await self.send(f"/no{at('unknown')}")
            record = replace(step().record, model=at("metered model"), policy=at("metered policy"))
            self.said.turns = [[StepFinished(record, Totals())]]
            await self.send("go")
            await self.send("/cost")
            await self.painted()
            self.stage.start_over()

    async def _blocks(self) -> None:
        on = self.on.activity
        for at in groups(GROUP):
            self.stage.start_over()
            on.begin("working")
            self.said.turns = [[*blocks(at), finished()]]
            await self.send(at("prompt"))
            self.on.transcript.toggle_outputs()
            await self.painted()
            self.look()
            on.begin("working")
            self.stage.happened(CallDelta(at("call being written"), 3))
            await self.painted()
            self.stage.happened(TextDelta(at("streamed") + "\n"))
            await self.painted()
            on.begin(at("doing"))
            on.queue((at("queued"), at("queued too")))
            await self.painted()
            on.queue(())
            on.end()
            self.app.action_copy_answer()
        for at in groups(60):  # the footer has less room
            self.said.status = status(at)
            self.stage.status_changed()
            await self.painted()

    async def _endings(self) -> None:
        for at in groups(LONG):
            for ending in endings(at):
                self.said.turns = [ending]
                await self.send("go")
            await self.painted()

    async def _questions(self) -> None:
        for at in groups(LONG):
            for question in questions(at):
                self.said.turns = [[Ask(question)]]
                await self.app.on_prompt_sent(Prompt.Sent("ask"))
                await self.until(lambda: self.stage.panel and self.stage.panel.is_attached)
                await self.painted()
                self.look()
                assert self.stage.panel is not None
                self.stage.panel._ask_comment()  # pyright: ignore[reportPrivateUsage]
                await self.painted()
                self.app.query_one(Comment).post_message(Paste(at("pasted comment")))
                await self.painted()
                self.stage.panel.deny(at("comment"))
                await self.until(lambda: not self.turns.running)

    async def _panels(self) -> None:
        rewind = self.said.rewind
        rewind.known = (point,) = (Point("turn 1", "", 0.0),)
        for at in groups(LONG):
            changes = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{at('was')}\n+{at('is')}\n"
            file = File(at("rewind path"), diff=changes, why=at("rewind why"))
            rewind.known = (replace(point, prompt=at("rewind point")),)
            rewind.previews = {point.name: Going((file,), (file,), (file,), (at("rewind note"),))}
            rewind.refuses = ForUser(at("rewind refusal"), at("rewind hint"))
            await self.on.question.remove_children()
            await self.stage.choose_point()
            await self.painted()
            await self._keys(RewindPanel, "enter", "enter", "escape", "escape")
            found = Found(Kind.SHOWN, at("trust name"), "", at("trust who"))
            trust = Trust(State.CHANGED, (found,), (at("trust changed"),))
            await self.on.question.mount(TrustPanel(at("trust folder"), trust))
            await self._keys(TrustPanel)

    async def _keys(self, kind: type[Widget], *keys: str) -> None:
        """Type into the panel, looking at it after each key, and take it down."""
        panel = self.app.query_one(kind)
        for key in ("", *keys):
            if key:
                await asyncio.sleep(QUIET + 0.02)
                panel.post_message(Key(key, None))
            await self.painted()
            self.look()
        await panel.remove()

    async def _words(self) -> None:
        prompt = self.app.query_one(Prompt)
        for at in groups(LONG):
            prompt.paste(at("pasted"))
            await self.painted()
            prompt.throw_away()
            prompt.paste(".\n" * 12 + at("unfolded"))
            prompt._unfold_here()  # pyright: ignore[reportPrivateUsage]
            await self.painted()
            prompt.put(at("put"))
            await self.painted()
            prompt.give_back(at("given back"))
            await self.painted()
            prompt.throw_away()
            self.app._history.add(  # pyright: ignore[reportPrivateUsage]
                at("history")
            )
            prompt.action_cursor_up()
            await self.painted()
            prompt.throw_away()


if __name__ == "__main__":
    session = Hostile()
    assert isinstance(session.approver, ScreenApprover)
    app = AgentApp(session, session.approver, banner=next(groups(10_000))("banner"))
    app.animation_level = "none"
    session.drive = Driver(session, app).drive
    sys.exit(app.run() or 0)
