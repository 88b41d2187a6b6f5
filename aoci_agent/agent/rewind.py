"""Going back to before a question: the files the agent changed, the conversation, or both."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from aoci_agent.agent.changes import Changes, Plan, Span
from aoci_agent.agent.events import HistoryRewritten
from aoci_agent.agent.past import Mark, Past, What, rewound
from aoci_agent.agent.undo import LATE, Undo
from aoci_agent.base.errors import BadUsage, ForUser, NotPossible
from aoci_agent.base.snapshots.restoring import Restoring, bring_back_git
from aoci_agent.base.snapshots.store import Moment
from aoci_agent.base.snapshots.trees import Entry
from aoci_agent.policies.conversation import Message

LATE_START = "its first snapshot was not taken or is no longer kept"
NO_MOMENT = 1_000_000_000
_FAULTS = (OSError, sqlite3.Error, NotPossible)


@dataclass(frozen=True, slots=True)
class Point:
    """Where one can go back to, and what the agent changed since."""

    name: str  # "turn 3", or "r12" for before a rewinding
    prompt: str  # the question, or what was rewound to
    at: float  # seconds since 1970, 0 when not known
    files: int = 0
    added: int = 0  # lines
    removed: int = 0
    conversation: bool = True  # False: only files changed there

    @property
    def label(self) -> str:
        """As people see and type it, on the screen and in the terminal: 3, or r12."""
        return self.name.removeprefix("turn ")

    @property
    def words(self) -> str:
        """The question, or which rewinding is taken back."""
        return (
            self.prompt
            if self.name.startswith("turn")
            else f"undo going back to before {self.prompt}"
        )


@dataclass(frozen=True, slots=True)
class File:
    """A file of a preview. `why` is "" when it will be put back; the diff is of what happens to it,
    or of what somebody else did to it since the agent."""

    path: str
    added: int = 0
    removed: int = 0
    diff: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What going back would do to files."""

    files: tuple[File, ...]
    conflicts: tuple[File, ...]
    lost: tuple[File, ...]
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What happens to lines, "" for nothing. The list counts what the agent did: the opposite."""
        back, out = sum(f.added for f in self.files), sum(f.removed for f in self.files)
        gives = [f"gives back {_lines(back)}"] * bool(back)
        return ", ".join(gives + [f"takes out {_lines(out)}"] * bool(out))


@dataclass(frozen=True, slots=True)
class Rewound:
    """What was done. `prompt` is the question that can be asked anew, "" when it stays asked."""

    files: tuple[str, ...]
    failed: dict[str, str]  # what did not come back, and why; also what was never kept
    prompt: str = ""
    spared: dict[str, str] = field(default_factory=dict[str, str])  # changed by somebody else too

    @property
    def not_back(self) -> dict[str, str]:
        """All that was to go back and did not, and why."""
        return {**self.failed, **self.spared}


class Refused(ForUser):
    """Somebody else changed the same files. `conflicts` say which, with diffs."""

    def __init__(self, conflicts: tuple[File, ...]) -> None:
        names = ", ".join(file.path for file in conflicts[:5])
        more = f" and {len(conflicts) - 5} more" if len(conflicts) > 5 else ""
        super().__init__(
            f"not rewound: changed by somebody else since the agent did: {names}{more}",
            "go back with the other files only, or save and undo those changes first",
        )
        self.conflicts = conflicts


class Rewind:
    """Goes back in one session. `take_up` puts an earlier conversation into the agent."""

    def __init__(
        self,
        undo: Undo,
        past: Past,
        take_up: Callable[[Sequence[Message]], None],
        follow: Callable[[tuple[str, ...]], object] = len,
        hold: Callable[[], object] = bool,
    ) -> None:
        """`hold` makes sure, before a file is touched, that no other session works there, or raises
        ForUser; `follow` hears of the files that were put back.
        """
        self._hold = hold
        self._follow = follow
        self._undo = undo
        self._past = past
        self._take_up = take_up
        self._changes = Changes(undo.snapshots) if undo.snapshots is not None else None

    async def points(self) -> tuple[Point, ...]:
        """Where one can go back to, newest first. Raises ForUser where the snapshots cannot be read."""
        await self._undo.begun()
        with _readable():
            return await asyncio.to_thread(self._points)

    async def preview(self, point: Point) -> Preview:
        """What going back to it would do to files. Raises ForUser as `points`."""
        await self._undo.begun()
        with _readable():
            return await asyncio.to_thread(self._preview, point.name)

    async def restore(
        self, point: Point, what: What = "both", *, only_safe: bool = False
    ) -> Rewound:
        """Go back. Raises Refused where somebody else changed the same files, unless `only_safe`:
        then those stay as they are. Raises ForUser when the present state cannot be saved first, or
        another session works there.
        """
        await self._undo.begun()
        mark = self._mark(point.name)
        if what != "code" and mark is None:
            raise BadUsage("at this point the conversation did not change", "rewind the code only")
        number, done = 0, Rewound((), {})
        if what != "conversation":
            self._hold()
            number, done = await asyncio.to_thread(self._files, point.name, what, only_safe)
            await asyncio.to_thread(self._follow, done.files)
        if what == "code" or mark is None:
            return done
        if not number:
            number = await asyncio.to_thread(self._conversation_only, point.name)
        messages = mark.messages
        self._past.write(HistoryRewritten(rewound(point.name, f"r{number}"), messages))
        self._take_up(messages)
        prompt = mark.prompt if point.name.startswith("turn") else ""
        return replace(done, prompt=prompt)

    async def write_out(self, into: Path, point: Point | None = None) -> tuple[str, ...]:
        """Write the files the session changed into an empty folder, as it left them, or as they were
        before `point`; their paths. Raises ForUser.
        """
        with _readable():
            return await asyncio.to_thread(self._write_out, into, point)

    # -- in a thread ------------------------------------------------------------------------------

    def _points(self) -> tuple[Point, ...]:
        moments = self._moments()
        points = [Point(mark.name, mark.prompt, mark.at) for mark in self._past.marks]
        known = {point.name for point in points}
        alone = (m for m in moments if m.kind == "rewind" and m.label.startswith("code "))
        points += [
            Point(f"r{m.number}", m.label.removeprefix("code "), m.at, conversation=False)
            for m in alone
            if f"r{m.number}" not in known
        ]
        times = {m.turn: m.at for m in reversed(moments) if m.kind == "turn"}
        placed = sorted(points, key=lambda point: _place(point.name, moments), reverse=True)
        return tuple(self._counted(point, moments, times) for point in placed)

    def _counted(self, point: Point, moments: list[Moment], times: dict[int, float]) -> Point:
        at = point.at or (times.get(int(point.name[5:]), 0.0) if point.name[0] == "t" else 0.0)
        if self._changes is None:
            return replace(point, at=at)
        spans = self._changes.spans(_since(point.name, moments)).values()
        changed = [span for span in spans if _is_file(span) and span.before != span.after]
        lines = [self._changes.lines(span.before, span.after) for span in changed]
        added, removed = sum(a for a, _ in lines), sum(r for _, r in lines)
        return replace(point, at=at, files=len(changed), added=added, removed=removed)

    def _preview(self, name: str) -> Preview:
        if self._changes is None:
            return Preview((), (), (), ("there are no snapshots in this session",))
        moments = _since(name, self._moments())
        plan = self._changes.plan(moments)
        notes: list[str] = []
        if late := sum(moment.label == LATE for moment in moments):
            notes.append(f"{late} calls were cut short: all until the next look counts as theirs")
        if _begins_late(name, moments):
            notes.append(f"not all comes back: {LATE_START}")
        return self._shown(plan, self._changes, tuple(notes))

    def _shown(self, plan: Plan, changes: Changes, notes: tuple[str, ...]) -> Preview:
        files = [
            File(
                step.path,
                *changes.lines(step.present, step.target),
                changes.diff(step.path, step.present, step.target),
            )
            for step in plan.steps
            if "d" not in (step.target and step.target.kind, step.present and step.present.kind)
        ]
        if plan.git:
            files.append(File(".git"))
        snapshots = self._undo.snapshots
        present = snapshots.present(plan.conflicts) if snapshots else {}
        conflicts = [
            File(
                path,
                diff=changes.diff(path, _kept(plan.spans[path].after), present.get(path)),
                why=why,
            )
            for path, why in plan.conflicts.items()
        ]
        lost = [File(path, why=why) for path, why in plan.lost.items()]
        return Preview(tuple(files), tuple(conflicts), tuple(lost), notes)

    def _write_out(self, into: Path, point: Point | None) -> tuple[str, ...]:
        snapshots, changes = self._undo.snapshots, self._changes
        if snapshots is None or changes is None:
            raise ForUser("there are no snapshots in this session")
        moments = self._moments()
        later = _since(point.name, moments) if point else []
        spans = changes.spans(moment for moment in moments if moment not in later)
        written: list[str] = []
        for path, entry in ((span.path, span.after) for span in spans.values()):
            place = into / path
            if entry is None or entry.kind not in "fl":
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            if entry.kind == "l":
                place.symlink_to(os.fsdecode(snapshots.content(entry)))
            else:
                place.write_bytes(snapshots.content(entry))
                place.chmod(entry.mode & 0o777)
            written.append(path)
        return tuple(written)

    def _files(self, name: str, what: What, only_safe: bool) -> tuple[int, Rewound]:  # noqa: FBT001
        snapshots, changes = self._undo.snapshots, self._changes
        if snapshots is None or changes is None:
            raise ForUser("there are no snapshots in this session", "rewind the conversation only")
        try:
            before = self._undo.settle()
            moments = _since(name, self._moments())
            plan = changes.plan(moments)
            missing = plan.lost
            if _begins_late(name, moments):
                missing = {"(all of it)": LATE_START, **missing}
            if plan.conflicts and not only_safe:
                raise Refused(self._shown(plan, changes, ()).conflicts)
            if not plan.steps and not plan.git and what == "code":
                return 0, Rewound((), missing, spared=plan.conflicts)
            label = name if what == "both" else f"code {name}"
            turn = self._past.turns
            number = snapshots.store.begin(self._undo.session, "rewind", turn, label, before)
        except _FAULTS as error:
            told = f"not rewound: the present state cannot be saved first ({error})"
            raise ForUser(told, "free some space, then try again") from error
        outcome = Restoring(snapshots).run(plan.steps)
        folders = {s.path for s in plan.steps if s.present is not None and s.present.kind == "d"}
        failed = {path: why for path, why in outcome.failed.items() if path not in folders}
        failed = missing | failed
        if plan.git:
            try:
                bring_back_git(snapshots, plan.git)
                outcome.done.append(".git")
            except _FAULTS as error:
                failed[".git"] = str(error)
        try:
            snapshots.store.end(number, self._undo.settle())
        except _FAULTS as error:
            failed["(the state afterwards)"] = f"could not be saved: {error}"
        return number, Rewound(tuple(outcome.done), failed, spared=plan.conflicts)

    def _conversation_only(self, name: str) -> int:
        """The number of a moment in which no file changed; without snapshots, one that no moment has."""
        snapshots = self._undo.snapshots
        none = NO_MOMENT + self._past.rewindings
        if snapshots is None:
            return none
        try:
            now, turn = self._undo.settle(), self._past.turns
            number = snapshots.store.begin(self._undo.session, "rewind", turn, name, now)
            snapshots.store.end(number, now)
        except _FAULTS:
            return none  # the files are not touched, so nothing is lost
        return number

    def _moments(self) -> list[Moment]:
        self._undo.pay()
        snapshots = self._undo.snapshots
        return snapshots.store.moments(self._undo.session) if snapshots is not None else []

    def _mark(self, name: str) -> Mark | None:
        return next((mark for mark in self._past.marks if mark.name == name), None)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"


@contextmanager
def _readable() -> Generator[None]:
    try:
        yield
    except _FAULTS as error:
        told = f"the snapshots of this session cannot be read: {error}"
        raise ForUser(told, "a new session takes new ones") from error


def _since(name: str, moments: list[Moment]) -> list[Moment]:
    """What happened from a point on."""
    number = int(name.lstrip("turn "))
    if name.startswith("turn"):
        return [moment for moment in moments if moment.turn >= number]
    return [moment for moment in moments if moment.number >= number]


def _begins_late(name: str, moments: list[Moment]) -> bool:
    """Whether what stood before a question is not among the moments since."""
    first = (moments[0].kind, moments[0].turn) if moments else ("", 0)
    return name.startswith("turn") and first != ("turn", int(name[5:]))


def _place(name: str, moments: list[Moment]) -> tuple[int, int]:
    """For sorting: a rewinding comes behind the question it happened in."""
    number = int(name.lstrip("turn "))
    if name.startswith("turn"):
        return number, 0
    return next((m.turn for m in moments if m.number == number), 0), number


def _is_file(span: Span) -> bool:
    return not any(entry is not None and entry.kind in "do" for entry in (span.before, span.after))


def _kept(entry: Entry | None) -> Entry | None:
    return entry if entry is not None and entry.kind in "fl" else None
