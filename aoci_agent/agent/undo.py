"""The net under a session: a snapshot before each question, and around each call that may change files."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

from aoci_agent.agent.toolbox import Bound
from aoci_agent.base.errors import AgentError, NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.base.snapshots.snapshots import EMPTY, Snapshots, store_folder
from aoci_agent.base.snapshots.store import Snapshot
from aoci_agent.tools.tool import Effect, ToolResult

LATE = "seen late"  # the label of a call after which no snapshot could be taken at once
WORDS = 200  # characters of a prompt that are kept
_NAMED = 5  # of what is left out, by name
_FAULTS = (OSError, sqlite3.Error, AgentError)
P = ParamSpec("P")
T = TypeVar("T")


class Undo:
    """A guard (`guard.Guard`) that saves what calls change, so that `/rewind` can bring it back.

    An edit costs the paths it names, a command a look at the whole folder. When no snapshot can be
    taken the person is told once. In full-auto a command is then refused, because nobody looks at
    it before it runs; in the other modes the person allowed it, and it runs. An edit runs in any
    mode: what it replaced stands in the session's record.
    """

    def __init__(
        self,
        snapshots: Snapshots | None,
        session: str,
        unattended: Callable[[], bool],
        why_not: str = "",
    ) -> None:
        """`unattended` says whether commands run without being asked for; see `open_undo`."""
        self.snapshots = snapshots
        self.session = session
        self.turn = 0
        self._unattended = unattended
        self._last: Snapshot | None = None  # the newest state, as far as edits and commands go
        self._open: dict[str, tuple[int, Snapshot]] = {}
        self._owed: list[int] = []  # moments whose end could not be written down
        self._beginning: asyncio.Task[None] | None = None
        self._news: list[str] = []
        self._told = False
        self._said = False
        if why_not:
            self._failed(why_not)
        if snapshots is not None:
            moments = snapshots.store.moments(session)
            self._owed = [m.number for m in moments if m.after is None and m.kind != "turn"]

    def news(self) -> tuple[str, ...]:
        """What the person should know and was not told yet: each thing once in a session."""
        news = tuple(self._news)
        self._news.clear()
        return news

    async def turn_begins(self, turn: int, prompt: str) -> None:
        """A question is about to be worked on: the `turn`th of the session. Does not wait."""
        await self.begun()
        self.turn = turn
        if self.snapshots is not None:
            label = prompt[:WORDS]
            self._beginning = asyncio.create_task(asyncio.to_thread(self._begin, turn, label))

    async def before(self, call: Bound) -> None:
        """Save what the call may change. Raises NotPossible: it does not run without a net."""
        await self.begun()
        try:
            fault = await _to_its_end(self._before, call)
        except asyncio.CancelledError:
            self._forget(call)
            raise
        if fault and call.tool.effect is Effect.RUN and self._unattended():
            raise NotPossible(
                f"Not run: no snapshot could be taken before it ({fault}), and in full-auto no "
                "command runs that could not be undone. Tell the user."
            )

    async def after(self, call: Bound, result: ToolResult) -> ToolResult:
        """Save what it came to."""
        await _to_its_end(self._after, call, result)
        return result

    def owes_nothing(self) -> None:
        """The calls without an end are those of a process that still runs: they are its own to end."""
        self._owed.clear()

    def pay(self) -> None:
        """Write down the end of calls that were cut off with an earlier process, if there are any.

        Their changes are then what is different now. Raises as `settle`.
        """
        if self._owed and self.snapshots is not None:
            self.settle()

    def settle(self) -> Snapshot:
        """The folder as it is now, saved; what was still owed is paid with it. Raises as Snapshots."""
        if self.snapshots is None:
            raise NotPossible("there are no snapshots in this session")
        now = self.snapshots.take()
        for number in self._owed:
            self.snapshots.store.end(number, now, LATE)
        self._owed.clear()
        self._last = now
        return now

    async def close(self) -> None:
        """Wait for what is being saved, and release the store."""
        await self.begun()
        if self.snapshots is not None:
            self.snapshots.close()
            self.snapshots = None

    async def begun(self) -> None:
        """Wait for the snapshot of the newest question."""
        if self._beginning is not None:
            await asyncio.wait([self._beginning])
            self._beginning = None

    def _begin(self, turn: int, label: str) -> None:
        if self.snapshots is None:
            return
        try:
            now = self.settle()
            self.snapshots.store.begin(self.session, "turn", turn, label, now)
            self._say_left_out(self.snapshots.left_out)
        except _FAULTS as error:
            self._failed(_words(error))

    def _before(self, call: Bound) -> str:
        """Why there is no snapshot, "" when there is one."""
        snapshots = self.snapshots
        if snapshots is None:
            return "the store cannot be opened"
        try:
            paths = self._paths(call)
            if paths and self._last is not None and self._last != EMPTY:
                state = snapshots.touch(self._last, paths)
            else:
                state = self.settle()
            number = snapshots.store.begin(self.session, "call", self.turn, call.tool.name, state)
        except _FAULTS as error:
            self._failed(_words(error))
            return _words(error)
        self._open[call.call.id] = (number, state)
        return ""

    def _after(self, call: Bound, result: ToolResult) -> None:
        number, before = self._open.pop(call.call.id, (0, EMPTY))
        snapshots = self.snapshots
        if not number or snapshots is None:
            return
        try:
            named = self._paths(call)
            if named and set(self._inside(result.changed)) <= set(named):
                self._last = snapshots.touch(before, named)
            else:
                self._last = snapshots.take()
            snapshots.store.end(number, self._last)
        except _FAULTS as error:
            self._owed.append(number)
            self._failed(_words(error))

    def _forget(self, call: Bound) -> None:
        """A call that was saved for, and then did not run."""
        number, _ = self._open.pop(call.call.id, (0, EMPTY))
        if number and self.snapshots is not None:
            with suppress(*_FAULTS):
                self.snapshots.store.drop_moments([number])

    def _paths(self, call: Bound) -> list[str]:
        """The one path an edit names; nothing for a command, which may change any."""
        path = getattr(call.arguments, "path", None)
        if call.tool.effect is not Effect.EDIT or not isinstance(path, str) or not path:
            return []
        return self._inside([path])

    def _inside(self, paths: Iterable[str]) -> list[str]:
        """Paths as tools take them, with links resolved, relative to the folder."""
        root = self.snapshots.root if self.snapshots is not None else Path("/")
        places = (Path(os.path.realpath(root / path.replace("\0", ""))) for path in paths)
        return [p.relative_to(root).as_posix() for p in places if root in p.parents]

    def _failed(self, why: str) -> None:
        if not self._told:
            self._told = True
            self._news.append(f"no snapshots: {why}; /rewind cannot bring files back from here on")

    def _say_left_out(self, left_out: dict[str, str]) -> None:
        left = {path: why for path, why in left_out.items() if why != "filled by a tool"}
        if left and not self._said:
            self._said = True
            named = ", ".join(f"{path} ({why})" for path, why in list(left.items())[:_NAMED])
            more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
            self._news.append(f"not in the snapshots of /rewind: {named}{more}")


async def _to_its_end(work: Callable[P, T], *args: P.args, **names: P.kwargs) -> T:
    """Run in a thread; a cancellation waits until that is done."""
    task = asyncio.create_task(asyncio.to_thread(work, *args, **names))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def open_undo(
    root: Path,
    repository: Repository | None,
    places: Places,
    session: str,
    unattended: Callable[[], bool],
) -> Undo:
    """The net of a session of this id; without snapshots, saying why, where they cannot be kept."""
    try:
        snapshots = Snapshots(root, repository, store_folder(places, root))
    except _FAULTS as error:
        return Undo(None, session, unattended, _words(error))
    return Undo(snapshots, session, unattended)


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error)
