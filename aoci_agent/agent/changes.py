"""What the agent did to files since a point, and whether it can be taken back without harm."""

from collections.abc import Iterable
from dataclasses import dataclass

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.snapshots.restoring import Step
from aoci_agent.base.snapshots.snapshots import Snapshots
from aoci_agent.base.snapshots.store import Moment
from aoci_agent.base.snapshots.trees import UNKNOWN, Change as Touch, Entry, same
from aoci_agent.tools.diffs import unified

SHOWN = 1_000_000  # bytes of a file whose lines are compared


@dataclass(frozen=True, slots=True)
class Span:
    """A path over several calls: as it was before the first, and after the last that changed it."""

    path: str
    before: Entry | None
    after: Entry | None
    broken: bool = False  # somebody else changed it between two of the calls

    def then(self, before: Entry | None, after: Entry | None) -> "Span":
        """The span with one more change behind it."""
        broken = self.broken or not same(self.after, before)
        return Span(self.path, self.before, after, broken)


@dataclass(frozen=True, slots=True)
class Plan:
    """What taking back comes to: steps, and what is not touched, with the reason, by path."""

    steps: tuple[Step, ...]
    conflicts: dict[str, str]  # somebody else changed it too
    lost: dict[str, str]  # it was never kept
    spans: dict[str, Span]
    git: bytes = b""  # git's own folder, to be made again; empty where nothing is to be


class Changes:
    """Reads the moments of a session. Methods raise as those of `Snapshots`."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._touches: dict[int, list[Touch]] = {}
        self._lines: dict[tuple[bytes, bytes], tuple[int, int]] = {}

    def spans(self, moments: Iterable[Moment]) -> dict[str, Span]:
        """Every path that these calls and rewindings changed, in order of time."""
        spans: dict[str, Span] = {}
        for moment in moments:
            for path, before, after in self._of(moment):
                known = spans.get(path)
                spans[path] = known.then(before, after) if known else Span(path, before, after)
        return spans

    def _of(self, moment: Moment) -> list[Touch]:
        if moment.kind == "turn" or moment.after is None:
            return []
        if moment.number not in self._touches:
            found = list(self._snapshots.difference(moment.before, moment.after))
            self._touches[moment.number] = found
        return self._touches[moment.number]

    def plan(self, moments: list[Moment]) -> Plan:
        """How to take back what these moments did, given what is there now."""
        spans = self.spans(moments)
        by_size = {p for p, span in spans.items() if span.after and span.after.kind == "x"}
        present = self._snapshots.present(spans, by_size)
        steps: list[Step] = []
        conflicts: dict[str, str] = {}
        lost: dict[str, str] = {}
        for path, span in sorted(spans.items()):
            now = present[path]
            if same(now, span.before):
                continue
            if why := _lost(span, now):
                lost[path] = why
            elif why := _conflict(span, now):
                conflicts[path] = why
            else:
                steps.append(Step(path, _folder(span.before), now))
        steps = _reachable(steps, conflicts, present)
        return Plan(tuple(steps), conflicts, lost, spans, self._git(moments))

    def _git(self, moments: list[Moment]) -> bytes:
        if self._snapshots.git_is_gone():
            for moment in moments:
                gone = moment.after is not None and not any(moment.after.git)
                if gone and any(moment.before.git):
                    return moment.before.git
        return b""

    # -- for people -------------------------------------------------------------------------------

    def diff(self, path: str, before: Entry | None, after: Entry | None) -> str:
        """A unified diff, "" where there are no lines to compare."""
        try:
            texts = [self._text(entry) for entry in (before, after)]
        except NotPossible:
            return ""
        return unified(path, *texts)

    def _text(self, entry: Entry | None) -> str | None:
        if entry is None or entry.kind not in "fl":
            return None
        data = self._snapshots.content(entry)
        if len(data) > SHOWN or b"\0" in data:
            raise NotPossible("not text")
        return data.decode("utf-8", "backslashreplace")

    def lines(self, before: Entry | None, after: Entry | None) -> tuple[int, int]:
        """Lines added and removed."""
        key = (before.id if before else b"", after.id if after else b"")
        if key not in self._lines:
            diff = self.diff("", before, after).splitlines()[2:]
            marks = [line[:1] for line in diff]
            self._lines[key] = marks.count("+"), marks.count("-")
        return self._lines[key]


def _lost(span: Span, now: Entry | None) -> str:
    """Why a path cannot be brought back, "" when it can."""
    before = span.before
    if before == UNKNOWN or (before is not None and before.kind == "o" and now is None):
        return "it was in a folder that is not saved"
    if before is not None and before.kind == "x":
        return "it was too large to be saved, or could not be read"
    if before is None and now is not None and now.kind == "x":
        return "it stays: it is too large to be saved first"
    if before is None and span.after is not None and span.after.kind == "o":
        return "it stays: its files are not saved"
    return ""


def _conflict(span: Span, now: Entry | None) -> str:
    if span.after == UNKNOWN:
        return "" if now == UNKNOWN else "it is not known what the agent left there"
    if not same(now, span.after):
        if now is None:
            return "it was removed since"
        return "it was changed since" if span.after is not None else "it was made anew since"
    return "it was changed between two of the agent's changes" if span.broken else ""


def _folder(entry: Entry | None) -> Entry | None:
    """Of a folder that was not looked into at least the mode is known."""
    return entry._replace(kind="d") if entry is not None and entry.kind == "o" else entry


def _reachable(
    steps: list[Step], conflicts: dict[str, str], present: dict[str, Entry | None]
) -> list[Step]:
    """The steps without those below something that is no folder and stays; these are conflicts too."""
    walls = {path for path in conflicts if (now := present[path]) is None or now.kind not in "do"}
    kept: list[Step] = []
    for step in steps:
        parts = step.path.split("/")
        above = {"/".join(parts[:count]) for count in range(1, len(parts))}
        if step.target is not None and above & walls:
            conflicts[step.path] = "there is no folder for it any more"
        else:
            kept.append(step)
    return kept
