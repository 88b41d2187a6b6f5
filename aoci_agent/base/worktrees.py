"""Git worktrees of the agent's own: made, looked at and removed without running anything of a repository.

A worktree lies outside the repository, in the agent's data. Beside it stands a note (`<name>.json`),
locked by the process that works in it: a note that nobody holds is a leftover of a session that
died. git's own `prune` is never called: it would also drop a person's worktrees on a disk that is
not mounted. Nothing touches the person's checkout, HEAD, index or stash; a branch is the only ref
made, and it is deleted only while it still names the commit it was made from.

Filters and hooks do not run, so a file under git-lfs is its pointer here, as in `hardened`.
"""

import json
import os
import re
import shlex
import shutil
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from aoci_agent.base import strays
from aoci_agent.base.errors import BadUsage, ForUser, NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.base.hardened import WritingGit
from aoci_agent.base.locks import opened, tried

BRANCHES = "aoci-agent/"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


@dataclass(frozen=True, slots=True)
class Note:
    """What is known of a worktree. `branch` is "" for a detached one, which is never kept."""

    name: str
    base: str  # the full id of the commit it was made from
    branch: str
    repository: str
    made: bool = False  # the checkout was finished
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class Left:
    """A worktree that stays because it holds work. `dirty` also where git cannot read it."""

    path: Path
    branch: str
    base: str
    ahead: int  # commits of the branch that its base has not
    dirty: bool

    @property
    def told(self) -> str:
        """For the person: how to look at it, take it over, and remove it."""
        commits = f"{self.ahead} commit{'s' * (self.ahead != 1)}"
        what = [commits] * bool(self.ahead) + ["uncommitted changes"] * self.dirty
        path = shlex.quote(str(self.path))
        commit = f"git -C {path} add -A && git -C {path} commit && " * self.dirty
        new = f"git -C {path} add -AN && " * self.dirty  # else diff leaves new files out
        return (
            f"{' and '.join(what) or 'another commit'} in the worktree {self.path}\n"
            f"  look: {new}git -C {path} diff {self.base[:12]}\n"
            f"  take over: {commit}git merge {self.branch}\n"
            f"  remove: git worktree remove --force {path} && git branch -D {self.branch}"
        )


class Worktree:
    """One worktree, held by this process. As a context manager it is finished at the end.

    `path` is its top; a workspace in a part of the repository is the same part below it.
    """

    def __init__(
        self,
        repository: Repository,
        home: Path,
        name: str,
        *,
        base: str = "HEAD",
        branch: bool = True,
    ) -> None:
        """Check out `base` under `home`, on a new branch of that name, or detached.

        A branch that an ended session left with its worktree is gone on with. A detached one is
        removed at the end whatever was done in it. Raises ForUser: no commit, a name that is taken,
        or git refuses.
        """
        if not _NAME.fullmatch(name):
            raise BadUsage(f"{name!r} is no name of a worktree", "letters, digits, . _ and -")
        try:
            self._git = _writing(repository)
            commit = self._git.commit(base)
        except NotPossible as error:
            raise ForUser(f"no worktree: {error}") from error
        if not commit:
            raise ForUser(f"there is no commit {base} to make a worktree of", "commit something")
        made_on = f"{BRANCHES}{name}" if branch else ""
        self.note = Note(name, commit, made_on, str(repository.root), since=round(time.time(), 3))
        self.path = home.resolve() / name
        self._file = home / f"{name}.json"
        self._lock = -1
        try:
            self._make(home)
        except (OSError, NotPossible) as error:
            self._let_go()
            raise ForUser(f"no worktree {name}: {error}", "git worktree list") from error
        except BaseException:  # what was begun is cleared away at the next start
            self._let_go()
            raise

    def _make(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self._goes_on():
            return
        if self.note.branch and self._git.commit(f"refs/heads/{self.note.branch}"):
            raise NotPossible(f"the branch {self.note.branch} is there already")
        if os.path.lexists(self.path):
            raise NotPossible(f"{self.path} is there already")
        self._lock = _held(self._file)
        if self._lock < 0:
            raise NotPossible(f"{self._file} is held by another process")
        self._write(self.note)
        try:
            self._git.add(self.path, self.note)
        except NotPossible:
            self._git.remove(self.path)
            self._git.drop_branch(self.note)
            self._file.unlink()
            raise
        self.note = replace(self.note, made=True)
        self._write(self.note)

    def _goes_on(self) -> bool:
        """Whether this very worktree was left, and is held again now."""
        note = _note(self._file) if self.note.branch and self.path.is_dir() else None
        if note is None or not note.made or note.branch != self.note.branch:
            return False
        self._lock = _held(self._file)
        if self._lock < 0:
            raise NotPossible(f"{self.path} is in use by another session")
        self.note = note
        return True

    def finish(self) -> Left | None:
        """End the work. An untouched worktree goes with its branch; else it stays, and is returned."""
        if self._lock < 0:
            return None
        try:
            return _finish(self._git, self.path, self.note, self._file)
        finally:
            self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def _write(self, note: Note) -> None:
        data = json.dumps(asdict(note)).encode()
        os.pwrite(self._lock, data, 0)
        os.ftruncate(self._lock, len(data))

    def _let_go(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def leftovers(repository: Repository, home: Path) -> tuple[Left, ...]:
    """Clear away what dead sessions left beside `home`; what holds work stays, and is returned.

    Worktrees of sessions that run are not touched. Raises NotPossible where git fails.
    """
    files = notes_beside(home)
    if not files:
        return ()
    git = _writing(repository)
    listed = git.listed()
    found: list[Left | None] = []
    for file in files:
        note, path = _note(file), file.with_suffix("").resolve()
        if note is None:
            _drop_empty(file)
            continue
        if not (note.repository == str(repository.root) or path in listed):
            continue
        lock = _held(file)
        if lock >= 0:
            try:
                strays.sweep(path)  # they are no work
                found.append(_finish(git, path, note, file))
            finally:
                os.close(lock)
    return tuple(left for left in found if left is not None)


def notes_beside(home: Path) -> list[Path]:
    """The notes of all worktrees, those of other places too: the repository may have moved."""
    return sorted(home.parent.glob("*/*.json"))


def worktrees_of(data: Path, project: str) -> Path:
    """Where the worktrees of one repository lie in the agent's data."""
    return data / "worktrees" / project


def left_behind(repository: Repository | None, home: Path) -> tuple[str, ...]:
    """`leftovers` in words for the start of a session."""
    if repository is None or not home.parent.is_dir():
        return ()
    try:
        found = leftovers(repository, home)
    except NotPossible as error:
        return (f"worktrees of earlier sessions were not looked at: {error}",)
    return tuple(f"left by an earlier session: {one.told}" for one in found)


def _finish(git: "_Worktrees", path: Path, note: Note, file: Path) -> Left | None:
    left = _left(path, note) if note.made and note.branch and path.is_dir() else None
    if left is not None:
        git.unlock(path)
        return left
    git.remove(path)
    git.drop_branch(note)
    file.unlink(missing_ok=True)
    return None


def _left(path: Path, note: Note) -> Left | None:
    """What the worktree holds beyond its base; None for nothing."""
    try:
        inside = Repository.find(path)
        if inside is None or inside.root != path:
            return Left(path, note.branch, note.base, 0, dirty=True)
        tips = {inside.head(), inside.commit(f"refs/heads/{note.branch}")}
        ahead = int(inside.git("rev-list", "--count", f"{note.base}..{note.branch}"))
        dirty = inside.is_dirty()
    except NotPossible:
        return Left(path, note.branch, note.base, 0, dirty=True)
    return (
        None
        if tips == {note.base} and not dirty
        else Left(path, note.branch, note.base, ahead, dirty)
    )


class _Worktrees(WritingGit):
    """The writing commands of this module, as disarmed as the reading ones."""

    __slots__ = ()

    def add(self, path: Path, note: Note) -> None:
        """Make a worktree and check it out; git's own `prune` leaves it alone."""
        on = ("-b", note.branch) if note.branch else ("--detach",)
        why = f"aoci-agent, process {os.getpid()}"
        self.do("worktree", "add", "--lock", "--reason", why, *on, "--", str(path), note.base)

    def unlock(self, path: Path) -> None:
        """From now on the person's own git commands may remove it."""
        with suppress(NotPossible):  # it was not locked
            self.do("worktree", "unlock", str(path))

    def remove(self, path: Path) -> None:
        """Remove a worktree with all that is in it, and git's entry of it."""
        shutil.rmtree(path, ignore_errors=True)  # first: git then takes it for a missing one
        if path in self.listed():
            self.do("worktree", "remove", "--force", "--force", str(path))

    def listed(self) -> set[Path]:
        """Where the worktrees lie that git knows, also where there is nothing any more."""
        lines = os.fsdecode(self.read("worktree", "list", "--porcelain")).split("\n")
        return {Path(line[9:]) for line in lines if line.startswith("worktree ")}

    def drop_branch(self, note: Note) -> None:
        """Delete the branch while it still names the commit it was made from."""
        if note.branch and self.commit(f"refs/heads/{note.branch}") == note.base:
            self.do("update-ref", "-d", f"refs/heads/{note.branch}", note.base)


def _writing(repository: Repository) -> _Worktrees:
    return _Worktrees.of(repository.hardened)


def _held(file: Path) -> int:
    """The file, open and locked for this process; -1 where another one holds it."""
    while True:
        descriptor = opened(file)
        if not tried(descriptor):
            os.close(descriptor)
            return -1
        with suppress(FileNotFoundError):
            if os.path.samestat(file.stat(), os.fstat(descriptor)):
                return descriptor
        os.close(descriptor)  # another one removed it in between


def _drop_empty(file: Path) -> None:
    """Remove the note of a session that died before it wrote in it: it made nothing yet."""
    with suppress(FileNotFoundError):
        if file.stat().st_size == 0 and (lock := _held(file)) >= 0:
            if os.fstat(lock).st_size == 0:
                file.unlink()
            os.close(lock)


def _note(file: Path) -> Note | None:
    """What a note says. An empty one is of a session that died before it made anything."""
    try:
        stored: Any = json.loads(file.read_bytes() or b"null")
        if stored is None:
            return None
        return Note(**stored) if _NAME.fullmatch(stored["name"]) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
