"""Turns, one at a time: opening the session, the queue, interruption, errors."""

import asyncio
import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol

from aoci_agent.base.cancelled import carried
from aoci_agent.base.errors import AgentError, ForUser

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from aoci_agent.agent.events import Event, SessionStarted
    from aoci_agent.tui.session import Session


class View(Protocol):
    """What turns are shown on."""

    async def opened(self, started: "SessionStarted") -> None: ...

    def turn_began(self, prompt: str) -> None: ...

    def work_began(self, title: str) -> None: ...

    def work_over(self, *, interrupted: bool) -> None: ...

    def happened(self, event: "Event") -> None: ...

    def turn_over(self, *, interrupted: bool) -> None: ...

    def failed(self, message: str, hint: str) -> None: ...

    def give_back(self, text: str) -> None: ...

    def queue_changed(self, waiting: tuple[str, ...]) -> None: ...


class Turns:
    """Sends prompts to the session in order. Nothing that the person typed is ever lost."""

    def __init__(self, session: "Session", view: View) -> None:
        self._session = session
        self._view = view
        self._waiting: list[str] = []
        self._task: asyncio.Task[None] | None = None
        self._open = False
        self._stopping = False
        self._leaving = False

    @property
    def running(self) -> bool:
        """The session opens or a turn runs."""
        return self._task is not None

    @property
    def opened(self) -> bool:
        """The session answered `ready`."""
        return self._open

    def start(self) -> None:
        """Open the session behind the prompt, if it is not open yet, then send what waits."""
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    def work(self, events: "AsyncGenerator[Event]", title: str) -> None:
        """Show these events as a turn without a prompt; prompts that are sent meanwhile wait."""
        if self._task is None:
            self._task = asyncio.create_task(self._work((events, title)))

    def send(self, prompt: str) -> bool:
        """Run the prompt as soon as the session is open and idle; False while it is not open."""
        self._waiting.append(prompt)
        self._view.queue_changed(tuple(self._waiting))
        self.start()
        return self._open

    def interrupt(self) -> bool:
        """Stop the running turn; False when there is none. Queued prompts go back to the editor."""
        if self._task is None or not self._open:
            return False
        if not self._stopping:  # a second Esc must not interrupt the clean-up
            self._stopping = True
            self._task.cancel()
        return True

    async def stop(self) -> None:
        """Stop whatever runs and wait until it has cleaned up. The view is not spoken to again."""
        self._leaving = True
        task = self._task
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _work(self, first: "tuple[AsyncGenerator[Event], str] | None" = None) -> None:
        try:
            if first is not None:
                await self._beside(*first)
            if not self._open:
                started = await self._session.ready()
                await self._view.opened(started)
                self._open = True
            while self._waiting and not self._stopping:
                prompt = self._waiting.pop(0)
                self._view.queue_changed(tuple(self._waiting))
                await self._turn(prompt)
        except asyncio.CancelledError:
            pass  # interrupted: the view has been told
        except AgentError as error:
            hint = error.hint if isinstance(error, ForUser) else ""
            self._view.failed(str(error), hint)
        except Exception as error:
            # A fault of ours must not take the person's screen and conversation away.
            logging.getLogger(__name__).exception("the session raised")
            self._view.failed(f"{type(error).__name__}: {error}", "a fault in aoci-agent itself")
        finally:
            self._task = None
            self._stopping = False
            self._return_waiting()

    async def _beside(self, events: "AsyncGenerator[Event]", title: str) -> None:
        """What is no turn: nothing was asked, so nothing is given back."""
        self._view.work_began(title)
        interrupted = False
        try:
            async with aclosing(events):
                async for event in events:
                    self._view.happened(event)
        except asyncio.CancelledError:
            interrupted = True
            raise
        finally:
            if not self._leaving:
                self._view.work_over(interrupted=interrupted)

    async def _turn(self, prompt: str) -> None:
        answered = True
        self._view.turn_began(prompt)
        try:
            async with aclosing(self._session.run(prompt)) as events:
                async for event in events:
                    self._view.happened(event)
                    answered = answered and not _unanswered(event)
        except asyncio.CancelledError as cut:
            if not self._leaving:
                for event in _cut_off(cut):
                    self._view.happened(event)
                self._view.turn_over(interrupted=True)
            raise
        except BaseException:
            self._waiting.insert(0, prompt)
            self._view.turn_over(interrupted=False)
            raise
        self._view.turn_over(interrupted=False)
        if not answered:
            self._waiting.insert(0, prompt)
            self._stopping = True

    def _return_waiting(self) -> None:
        if self._waiting and not self._leaving:
            self._view.give_back("\n".join(self._waiting))
            self._waiting.clear()
            self._view.queue_changed(())


def _cut_off(cut: asyncio.CancelledError) -> "tuple[Event, ...]":
    """The calls that ended with an interrupted turn, with what they had come to."""
    from aoci_agent.agent.events import ToolFinished

    return carried(cut, ToolFinished)


def _unanswered(event: "Event") -> bool:
    """The model never answered: the prompt must not be lost."""
    from aoci_agent.agent.events import TurnFinished

    failed = ("model", "overflow")
    return isinstance(event, TurnFinished) and event.reason in failed and not event.turn.steps
