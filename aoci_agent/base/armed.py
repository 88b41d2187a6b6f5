"""What of a repository's own git configuration runs programs: settings with their values, and hooks."""

import os
import re
from contextlib import suppress
from pathlib import Path

from aoci_agent.base.environment import find_program
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.base.hardened import HardenedGit, passed_on, personal_settings

# Settings that name a program, or decide which one runs, or which folder is looked at. The origin is
# no program: it tells one repository from another that was put in its place.
_RUNS = re.compile(
    r"""core\.(worktree|fsmonitor|hookspath|pager|editor|askpass|sshcommand|gitproxy|alternaterefscommand)
    |sequence\.editor|web\.browser|interactive\.difffilter|uploadpack\.packobjectshook
    |diff\.(external|.*\.(command|textconv))|filter\..*\.(clean|smudge|process)|merge\..*\.driver
    |(tar|man|browser|difftool|mergetool|guitool)\..*\.(command|cmd|path)
    |(trailer|hook|sendemail)\..*(command|cmd)|gpg\.(.*\.)?(program|defaultkeycommand)
    |credential\.(.*\.)?helper|remote\..*\.(uploadpack|receivepack|vcs|proxy)|remote\.origin\.url
    |submodule\..*\.update|pager\..*|protocol\.(.*\.)?allow|alias\..*""",
    re.DOTALL | re.VERBOSE | re.IGNORECASE,
)


def hardened_of(repository: Repository) -> HardenedGit:
    """The way to run git for a repository that `Repository.find` accepted. Raises NotPossible."""
    program = find_program("git", outside=repository.root)
    if program is None:
        raise NotPossible("there is no git outside of the repository")
    git_dir = repository.git("rev-parse", "--absolute-git-dir").removesuffix("\n")
    personal = passed_on(personal_settings(program))
    return HardenedGit(program, Path(git_dir), repository.root, personal)


def settings_that_run(git: HardenedGit) -> tuple[tuple[str, str], ...]:
    """Name and value of each, in git's order, included files followed. Raises NotPossible."""
    listing = _Settings(git.program, git.git_dir, git.work_tree).listed()
    return tuple((name, value) for name, value in listing if _RUNS.fullmatch(name))


def hook_files(git: HardenedGit, settings: tuple[tuple[str, str], ...]) -> list[Path]:
    """The hooks git would run: the executable files where the repository says they are."""
    folder = git.git_dir
    with suppress(OSError):  # a worktree of its own says where the shared folder is
        folder = folder / (folder / "commondir").read_text(errors="surrogateescape").strip()
    folder = folder / "hooks"
    for name, value in settings:
        if name.lower() == "core.hookspath":
            folder = git.work_tree / os.path.expanduser(value)  # noqa: PTH111 - never raises
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    return [
        path
        for path in found
        if path.suffix != ".sample" and path.is_file() and os.access(path, os.X_OK)
    ]


class _Settings(HardenedGit):
    """Reads values too, which the reading commands of the base do not need."""

    __slots__ = ()

    def listed(self) -> list[tuple[str, str]]:
        """What the repository's own files define; not what the person or this program set."""
        outcome = self._run((), "config", "--includes", "--show-scope", "-z", "--list")
        if outcome.exit_code != 0:
            raise NotPossible("git cannot read the settings of the repository")
        fields = os.fsdecode(outcome.stdout).split("\0")
        pairs = zip(fields[::2], fields[1::2], strict=False)
        named = (item.partition("\n") for scope, item in pairs if scope in ("local", "worktree"))
        return [(name, value) for name, _, value in named]
