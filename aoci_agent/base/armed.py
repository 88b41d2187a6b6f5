"""What of a repository's own git configuration runs programs: settings with their values, and hooks."""

import os
import re
from pathlib import Path

from aoci_agent.base.hardened import HardenedGit

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


def settings_that_run(git: HardenedGit) -> tuple[tuple[str, str], ...]:
    """Name and value of each, as `HardenedGit.settings`. Raises NotPossible."""
    return tuple((name, value) for name, value in git.settings() if _RUNS.fullmatch(name))


def hook_files(git: HardenedGit, settings: tuple[tuple[str, str], ...]) -> list[Path]:
    """The hooks git would run: the executable files where the repository says they are."""
    folder = git.common_dir / "hooks"
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
