"""A session that opens behind the screen: the heavy imports happen in a thread after the first paint."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aoci_agent.agent.mode import Mode
from aoci_agent.base.errors import ForUser

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from aoci_agent.agent.approval import Approver
    from aoci_agent.agent.budget import Line
    from aoci_agent.agent.events import Event, Notice, SessionStarted
    from aoci_agent.agent.gauge import Gauge
    from aoci_agent.agent.meter import StepRecord, Totals
    from aoci_agent.agent.preview import Choice
    from aoci_agent.agent.rewind import Rewind
    from aoci_agent.agent.saving import Saving
    from aoci_agent.agent.session import Session, Status
    from aoci_agent.base.trust_store import Trust
    from aoci_agent.bench import Launch
    from aoci_agent.policies.conversation import Message


@dataclass(frozen=True, slots=True)
class Pending:
    """The status before the session is open: what the command line said."""

    model: str
    policy: str
    mode: Mode
    index_status: str = "opening"
    window: int | None = None
    branch: str = ""
    sandbox: str = "…"
    trusted: bool = True


class DeferredSession:
    """Satisfies `tui.session.Session`. `prepare` makes the launch; it runs in the thread too."""

    def __init__(
        self, prepare: "Callable[[], Launch]", approver: "Approver", pending: Pending
    ) -> None:
        self._prepare = prepare
        self._approver = approver
        self._pending = pending
        self._session: Session | None = None
        self._chosen: Mode | None = None

    async def ready(self) -> "SessionStarted":
        """Open everything in a thread, then start what should be warm before the first question."""
        if self._session is None:
            self._session = await asyncio.to_thread(self._open)
            if self._chosen is not None:
                with suppress(
                    ForUser
                ):  # what may not hold here; the screen shows the one that does
                    self._session.set_mode(self._chosen)
        await self._session.warm()
        await asyncio.to_thread(self._session.account.prepare)
        return self._session.started

    def _open(self) -> "Session":
        from aoci_agent.assembly import open_session

        return open_session(self._prepare(), self._approver)

    def _opened(self) -> "Session":
        if self._session is None:
            raise ForUser("the session is still opening", "try again in a moment")
        return self._session

    async def run(self, prompt: str) -> "AsyncGenerator[Event]":
        """One turn."""
        turn = self._opened().run(prompt)
        try:
            async for event in turn:
                yield event
        finally:
            await turn.aclose()

    @property
    def status(self) -> "Status | Pending":
        """The live status, or what is known before."""
        return self._session.status if self._session else self._pending

    def set_mode(self, mode: Mode) -> None:
        """Works before the session is open, too."""
        self._chosen = mode
        self._pending = replace(self._pending, mode=mode)
        if self._session:
            self._session.set_mode(mode)

    async def set_model(self, name: str) -> str:
        """Switch the model."""
        return await self._opened().set_model(name)

    def set_policy(self, name: str) -> str:
        """Switch the policy."""
        return self._opened().set_policy(name)

    async def compact(self, focus: str) -> "AsyncGenerator[Event]":
        """Make room in the window now."""
        events = self._opened().compact(focus)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    @property
    def notices(self) -> "tuple[Notice, ...]":
        """What to know before the first question."""
        return self._opened().notices

    @property
    def messages(self) -> "tuple[Message, ...]":
        """The conversation as it is."""
        return self._session.messages if self._session else ()

    @property
    def rewind(self) -> "Rewind":
        """Goes back in this session."""
        return self._opened().rewind

    @property
    def trust(self) -> "Trust":
        """Whether the folder is trusted."""
        return self._opened().trust

    def set_trust(self, *, trusted: bool) -> str:
        """Decide about the folder."""
        return self._opened().set_trust(trusted=trusted)

    def clear(self) -> None:
        """A new conversation."""
        if self._session:
            self._session.clear()

    def cost(self) -> "Totals":
        """Sums of the session."""
        return self._opened().cost()

    @property
    def totals(self) -> "Totals":
        """Sums of the session; zero when it never opened."""
        from aoci_agent.agent.meter import Totals

        return self._session.cost() if self._session else Totals()

    def steps(self) -> "tuple[StepRecord, ...]":
        """Every model call so far."""
        return self._session.steps() if self._session else ()

    def turn(self) -> "Totals":
        """Sums of the newest turn."""
        return self._opened().account.turn

    def gauge(self) -> "Gauge":
        """How full the window is."""
        return self._opened().account.gauge()

    def saving(self) -> "Saving | None":
        """What the index saved in the newest turn."""
        return self._opened().account.saving()

    def limits(self) -> "tuple[Line, ...]":
        """Every limit, and what is used of it."""
        return self._opened().account.limits()

    def set_limit(self, key: str, value: str) -> str:
        """Change a limit."""
        return self._opened().account.set_limit(key, value)

    async def policies(self, prompt: str) -> "tuple[Choice, ...]":
        """The next call under each policy."""
        return await self._opened().policies(prompt)

    async def index(self, words: str) -> str:
        """Status, an entry, or a search; needs no model."""
        return await asyncio.to_thread(self._opened().index, words)

    async def models(self) -> tuple[str, ...]:
        """What could be chosen now."""
        from aoci_agent.agent.models.discover import find_servers

        return tuple(name for server in await find_servers() for name in server.models)

    @property
    def left(self) -> str:
        """Once it is closed: what of its work stays in a worktree, "" for nothing."""
        return self._session.left if self._session else ""

    async def close(self) -> None:
        """Release everything that was opened."""
        if self._session:
            await self._session.close()
