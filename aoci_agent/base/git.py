"""The repository a workspace belongs to. The only module that uses GitPython.

GitPython opens the repository: `.git` folders, `.git` files of worktrees and submodules, common
directory, bareness. It never starts git itself: its command class is replaced by one that runs
through `hardened.HardenedGit`, and it is imported lazily, with a program name that does not exist,
so that not even its import runs anything.
"""

import functools
import os
import re
import stat
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aoci_agent.base import objects
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.hardened import (
    OLDEST,
    HardenedGit,
    passed_on,
    personal_settings,
    version,
)
from aoci_agent.base.objects import Blob
from aoci_agent.base.process import find_program
from aoci_agent.base.stamps import Stamps, stamp_of

if TYPE_CHECKING:
    from git import Repo

_GITLINK = b"160000"
_UNTRACKED = b"?"
_OPENING = threading.Lock()  # the environment is one for all threads
# Line separators too: a name must stay on one line of whatever it is written into.
_UNSHOWABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Repository:
    """A git work tree, read without running anything the repository configures.

    Paths are POSIX text relative to the root. Names that are not UTF-8 or hold control characters
    cannot be shown, indexed or sent to a model; `files` leaves them out.
    Methods raise NotPossible when git fails (a damaged repository) or takes over 30 seconds.
    """

    def __init__(self, root: Path, hardened: HardenedGit) -> None:
        """Use `Repository.find`. `hardened` runs git in it."""
        self.root = root
        self.hardened = hardened

    @classmethod
    def find(cls, folder: Path) -> "Repository | None":
        """The repository `folder` lies in. None: no git (2.32 or newer) outside of it, no
        repository, a bare one, one that git cannot read, or one of another owner.

        Another owner is accepted when the person's own safe.directory says so, as git does.
        """
        try:
            folder = folder.resolve(strict=True)
        except (OSError, RuntimeError):
            return None
        for top in (folder, *folder.parents):
            if not os.path.lexists(top / ".git"):
                continue
            program = find_program("git", outside=top)
            if program is None or version(program) < OLDEST:
                return None
            found = _open(top, program)
            if found is not None:
                return cls(top, found) if ".git" not in folder.relative_to(top).parts else None
        return None

    def head(self) -> str:
        """The full id of the commit that is checked out, "" when there is none yet."""
        return self.commit("HEAD")

    def commit(self, name: str) -> str:
        """The full id of the commit that git takes a name for, "" for none; any text may be asked."""
        return self.hardened.commit(name)

    def branch(self) -> str:
        """The name of the branch that is checked out (also when unborn), "" when detached."""
        outcome = self.hardened.try_read("symbolic-ref", "--quiet", "--short", "HEAD")
        return os.fsdecode(outcome.stdout).strip() if outcome.exit_code == 0 else ""

    def files(self, under: Path | None = None) -> list[str]:
        """Tracked files and untracked ones that are not ignored, sorted, relative to `under` or root.

        Only regular files that exist and are reached without links; submodules and repositories
        inside this one are left out, and so are names that cannot be shown.
        """
        return self.listed(under)[0]

    def submodules(self) -> list[str]:
        """The paths of the submodules the index names, sorted."""
        return self.listed()[1]

    def listed(
        self, under: Path | None = None, only: Sequence[str] = ()
    ) -> tuple[list[str], list[str]]:
        """`files` and the submodules among them, from one reading; of `only` these paths, if any."""
        prefix = self._prefix(under)
        if prefix is None:
            return [], []
        wanted = [f"{prefix}/{path}" if prefix else path for path in only]
        where = ("--", *wanted) if wanted else ("--", prefix) if prefix else ()
        # One command for both: `-t` marks what is not tracked, so that no name can look like more.
        options = ("-z", "-t", "--stage", "--cached", "--others", "--exclude-standard")
        names: set[bytes] = set()
        submodules: set[str] = set()
        for entry in self.hardened.read("ls-files", *options, *where).split(b"\0"):
            mark, entry = entry[:1], entry[2:]
            if mark == _UNTRACKED:
                names.add(entry)
            elif entry.startswith(_GITLINK):
                submodules.add(entry.partition(b"\t")[2].decode("utf-8", "backslashreplace"))
            else:
                names.add(entry.partition(b"\t")[2])
        texts = (os.fsdecode(name) for name in names if name and not name.endswith(b"/"))
        real = _RealFiles(self.root)
        found = (name.removeprefix(f"{prefix}/") for name in texts if real.holds(name))
        return sorted(name for name in found if not _UNSHOWABLE.search(name)), sorted(submodules)

    def deciding(self, root: Path) -> Stamps:
        """Stamps of what decides, besides the names and rules in `root`, which files git lists there."""
        git, common = self.hardened.git_dir, self.hardened.common_dir
        mine = dict(self.hardened.personal).get("core.excludesFile", "")
        read = [git / "index", common / "info/exclude", common / "config"]
        if mine:
            read.append(Path(os.path.expanduser(mine)))  # noqa: PTH111 - never raises
        above = [folder for folder in root.parents if folder.is_relative_to(self.root)]
        return (
            *(stamp_of(file, follow=True) for file in read),  # git follows links there
            *(stamp_of(folder / ".gitignore") for folder in above),
        )

    def blobs_of(self, commit: str, under: Path | None = None) -> dict[str, Blob]:
        """The regular files of a commit by path, as `files` names them. `commit` is a full id."""
        prefix = self._prefix(under)
        if prefix is None:
            return {}
        found = objects.blobs_of(self.hardened, commit, prefix)
        return {path: blob for path, blob in found.items() if not _UNSHOWABLE.search(path)}

    def contents(self, blobs: Iterable[Blob]) -> Iterator[tuple[str, bytes]]:
        """Id and bytes of each blob, as git stores them: no filter and no conversion is applied."""
        return objects.contents(self.hardened, blobs)

    def is_dirty(self) -> bool:
        """Whether the work tree holds what no commit holds: changes, staged or not, or new files.

        Changes inside submodules do not count.
        """
        options = ("--porcelain", "-z", "--untracked-files=normal")
        return bool(self.hardened.read("status", *options).strip(b"\0"))

    def hooks(self) -> tuple[Path, str]:
        """The repository's own folder of hooks, shared by its worktrees, and where `core.hooksPath`
        sends git instead ("" for nowhere else).
        """
        personal = personal_settings(self.hardened.program).get("core.hookspath", [""])[-1]
        elsewhere = self.hardened.setting("core.hooksPath") or personal
        return self.hardened.common_dir / "hooks", elsewhere

    def git(self, *args: str) -> str:
        """The output of a reading git command. Paths are literal and belong after "--".

        NotPossible for a command or option that is not on the list of reading ones, or that fails.
        """
        return os.fsdecode(self.hardened.read(*args))

    def _prefix(self, under: Path | None) -> str | None:
        """The folder of a listing relative to the root, "" for all, None when it is not inside."""
        if under is None:
            return ""
        place = (self.root / under).resolve()
        if not place.is_relative_to(self.root):
            return None
        relative = place.relative_to(self.root).as_posix()
        return "" if relative == "." else relative


class _RealFiles:
    """Which names are regular files that are there."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._folders: dict[str, bool] = {"": True}

    def holds(self, name: str) -> bool:
        try:
            status = os.lstat(f"{self._root}/{name}")  # joined as text: asked for every file
        except (OSError, ValueError):
            return False
        return stat.S_ISREG(status.st_mode) and self._is_real(name.rpartition("/")[0])

    def _is_real(self, folder: str) -> bool:
        """Whether a folder is reached without links: the index may know it from before it was one."""
        if folder not in self._folders:
            is_link = Path(self._root, folder).is_symlink()
            parent = folder.rpartition("/")[0]
            self._folders[folder] = not is_link and self._is_real(parent)
        return self._folders[folder]


def _open(top: Path, program: str) -> HardenedGit | None:
    """git for the repository at `top`, after everything that speaks against reading it."""
    personal = personal_settings(program)
    safe = personal.get("safe.directory", [])
    if not (_is_trusted(top, top, safe) and _is_trusted(top / ".git", top, safe)):
        return None
    hardened = HardenedGit(program, top / ".git", top, passed_on(personal))
    try:
        hardened.defined()  # under a time limit, which GitPython's own reading does not have
    except NotPossible:
        return None
    repo = _opened(hardened)
    if repo is None:
        return None
    with repo:
        places = (Path(repo.git_dir), Path(repo.common_dir))
        if repo.bare or not all(_is_trusted(place, top, safe) for place in places):
            return None
        return HardenedGit(program, places[0].resolve(), top, hardened.personal)


def _is_trusted(place: Path, top: Path, safe: list[str]) -> bool:
    """git's own rule: the person, or under sudo who called it, owns it; or safe.directory names it."""
    try:
        owner = os.lstat(place).st_uid
    except OSError:
        return False
    me = os.geteuid()
    if owner == me or (me == 0 and os.environ.get("SUDO_UID") == str(owner)):
        return True
    allowed = safe[safe.index("") + 1 :] if "" in safe else safe
    return "*" in allowed or any(
        str(top) == folder or (folder.endswith("/*") and str(top).startswith(folder[:-1]))
        for folder in map(os.path.expanduser, allowed)
    )


def _opened(hardened: HardenedGit) -> "Repo | None":
    with _OPENING, _without_git_variables():
        repo_class = _repo_class()
        from git.exc import GitError

        try:
            repo = repo_class(hardened.work_tree, expand_vars=False)
        except (GitError, OSError, ValueError):
            return None
    return repo


@functools.cache
def _repo_class() -> "type[Repo]":
    import git

    class Launched(git.Git):
        """GitPython's way to start git, closed: commands go through `HardenedGit` only."""

        def execute(self, *args: Any, **options: Any) -> Any:
            raise NotPossible("GitPython does not start programs here")

    class Opened(git.Repo):
        """A repository whose commands cannot be started behind our back."""

        GitCommandWrapperType = Launched

    return Opened


@contextmanager
def _without_git_variables() -> Generator[None]:
    """GitPython reads GIT_* at import and when it opens a repository; none of them may decide."""
    before = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}
    for name in before:
        del os.environ[name]
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = "/nonexistent/git"
    try:
        yield
    finally:
        del os.environ["GIT_PYTHON_REFRESH"]
        del os.environ["GIT_PYTHON_GIT_EXECUTABLE"]
        os.environ.update(before)
