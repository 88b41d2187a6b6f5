"""Putting paths back: each file whole or not at all, nothing else touched, nothing ever cleaned."""

import os
import shutil
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from aoci_agent.base import replace
from aoci_agent.base.errors import ForModel, NotPossible
from aoci_agent.base.snapshots import placing
from aoci_agent.base.snapshots.snapshots import Snapshots, opened
from aoci_agent.base.snapshots.trees import UNKNOWN, Entry, decoded, same

FEW = 200  # files that are flushed to disk one by one; more of them all together


@dataclass(frozen=True, slots=True)
class Step:
    """A path, what it shall be (None: not there), and what it must still be for that."""

    path: str
    target: Entry | None
    present: Entry | None

    @property
    def to_folder(self) -> bool:
        return self.target is not None and self.target.kind == "d"

    @property
    def must_go(self) -> bool:
        """What stands there cannot become the target: it is removed first."""
        present = self.present
        return present is not None and present != UNKNOWN and _sort(present) != _sort(self.target)


@dataclass
class Outcome:
    """What was put back, and why the rest was not. Paths in their order."""

    done: list[str] = field(default_factory=list[str])
    failed: dict[str, str] = field(default_factory=dict[str, str])


class Restoring:
    """One restoration. A path that is not as it was when the steps were made is left alone."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._failed: dict[str, str] = {}
        self._few = True

    def run(self, steps: Iterable[Step]) -> Outcome:
        """Do all steps: folders opened, what is to go removed, folders made, files, folders' modes."""
        self._snapshots.root.mkdir(parents=True, exist_ok=True)
        ordered = sorted(steps, key=lambda step: step.path.split("/"))
        folders = [step for step in ordered if step.to_folder]
        self._few = len(ordered) <= FEW
        stay = [step for step in folders if step.present is not None and not step.must_go]
        for which, act in (
            (stay, self._open_up),
            ([step for step in reversed(ordered) if step.must_go], self._remove),
            ([step for step in folders if step not in stay], self._make),
            ([step for step in ordered if step.target and not step.to_folder], self._put),
            (list(reversed(folders)), self._set_mode),
        ):
            for step in which:
                self._try(step, act)
        if not self._few:
            os.sync()
        done = [step.path for step in ordered if step.path not in self._failed]
        return Outcome(done, self._failed)

    def _try(self, step: Step, act: Callable[[Step, int, str], None]) -> None:
        if step.path in self._failed:
            return
        try:
            with opened(self._snapshots.root, step.path) as (at, name):
                act(step, at, name)
        except ForModel as error:
            self._failed[step.path] = str(error)
        except OSError as error:
            self._failed[step.path] = error.strerror or str(error)

    def _present(self, step: Step) -> Entry | None:
        by_size = [step.path] if step.present is not None and step.present.kind == "x" else []
        return self._snapshots.present([step.path], by_size)[step.path]

    def _open_up(self, step: Step, at: int, name: str) -> None:
        """A folder that cannot be read or written is opened for the work; its mode comes last."""
        mode = stat.S_IMODE(os.lstat(name, dir_fd=at).st_mode)
        if mode & 0o700 != 0o700:
            _chmod(at, name, mode | 0o700)

    def _remove(self, step: Step, at: int, name: str) -> None:
        if not same(self._present(step), step.present):
            raise NotPossible("it changed a moment ago")
        if step.present is None or step.present.kind not in ("f", "l", "d"):
            raise NotPossible("it could not be brought back, so it is left there")
        if step.present.kind != "d":
            os.unlink(name, dir_fd=at)
            return
        try:
            os.rmdir(name, dir_fd=at)
        except OSError as error:
            raise NotPossible("files are in it that the agent did not make") from error

    def _make(self, step: Step, at: int, name: str) -> None:
        os.mkdir(name, 0o700, dir_fd=at)

    def _set_mode(self, step: Step, at: int, name: str) -> None:
        if step.target is not None:
            _chmod(at, name, step.target.mode)

    def _put(self, step: Step, at: int, name: str) -> None:
        target, present = step.target, self._present(step)
        if target is None or same(present, target):
            return
        if step.present == UNKNOWN:
            raise NotPossible("what the agent left there was not seen")
        if not same(present, None if step.must_go else step.present):
            raise NotPossible("it changed a moment ago")
        content = self._snapshots.content(target)
        if target.kind == "l":
            replace.put_link(at, name, content)
        elif present is None:
            replace.create(at, name, content, target.mode, sync=self._few)
        else:
            self._change(step, content, at, name)

    def _change(self, step: Step, content: bytes, at: int, name: str) -> None:
        """A file that stays a file: its bytes where they differ, its mode where that does."""
        target, present = step.target, step.present
        if target is None or present is None:
            return
        if not present.mode & stat.S_IRUSR:
            _chmod(at, name, present.mode | stat.S_IRUSR)
            present = self._snapshots.present([step.path])[step.path] or present  # now readable

        def unchanged(now: bytes) -> None:
            if present.kind == "f" and now != self._snapshots.content(present):
                raise NotPossible("it changed a moment ago")

        if present.id != target.id:
            placing.overwrite(at, name, content, unchanged)
        _chmod(at, name, target.mode)


def bring_back_git(snapshots: Snapshots, git: bytes) -> None:
    """Make git's own folder (or file, of a worktree) again, all of it; refused where one is there.

    Raises OSError or NotPossible.
    """
    if os.path.lexists(snapshots.root / ".git"):
        raise NotPossible("there is a .git: it is not touched")
    entry = decoded(snapshots.store.get(git))[".git"]
    if entry.kind != "d":
        with opened(snapshots.root, ".git") as (at, name):
            content = snapshots.content(entry)
            if entry.kind == "l":
                replace.put_link(at, name, content)
            else:
                replace.create(at, name, content, entry.mode)
        return
    place = snapshots.root / replace.own_name()
    try:
        _fill(snapshots, entry, place)
        snapshots.objects.give_back(place)
        place.rename(snapshots.root / ".git")
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _fill(snapshots: Snapshots, folder: Entry, place: Path) -> None:
    place.mkdir(mode=0o700)
    for name, entry in decoded(snapshots.store.get(folder.id)).items():
        if entry.kind == "d":
            _fill(snapshots, entry, place / name)
        elif entry.kind == "l":
            (place / name).symlink_to(os.fsdecode(snapshots.content(entry)))
        elif entry.kind == "f":
            (place / name).write_bytes(snapshots.content(entry))
            (place / name).chmod(entry.mode)
    place.chmod(folder.mode)


def _sort(entry: Entry | None) -> str:
    """Entries of one sort can become each other in place."""
    kind = entry.kind if entry is not None else ""
    return {"x": "f", "o": "d"}.get(kind, kind)


def _chmod(at: int, name: str, mode: int) -> None:
    if not stat.S_ISLNK(os.lstat(name, dir_fd=at).st_mode):
        os.chmod(name, mode, dir_fd=at)
