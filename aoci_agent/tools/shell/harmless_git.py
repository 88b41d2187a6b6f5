"""Whether reading commands of git run nothing of the repository they look at."""

import functools
import os
from pathlib import Path

from aoci_agent.base.armed import hook_files, settings_that_run
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.base.sandbox.gitfolders import git_folders

_NAMES_NOTHING = ("remote.origin.url",)  # told by `settings_that_run`, but never run by reading
_SUBMODULE = b"160000 "
_HOOK = "post-index-change"  # the one hook that `git status` and `git diff` may run


def harmless(folder: Path) -> bool:
    """False where settings name programs or another folder, that hook exists, there are submodules,
    which have settings of their own, or git would take another repository than the one looked at.
    """
    repository = Repository.find(folder)
    if repository is None or not _is_found(folder, repository.root):
        return False
    try:
        git = repository.hardened
        settings = settings_that_run(git)
        armed = [name for name, _ in settings if name.lower() not in _NAMES_NOTHING]
        hooked = any(hook.name == _HOOK for hook in hook_files(git, settings))
        if armed or hooked:
            return False
        staged = git.read("ls-files", "--stage", "-z").split(b"\0")
        return not any(entry.startswith(_SUBMODULE) for entry in staged)
    except NotPossible:
        return False


def _is_found(folder: Path, top: Path) -> bool:
    """Whether git, started in the folder, takes this repository: no bare one, and none elsewhere.

    A folder with a HEAD in it may be a bare one, whose settings nobody looked at.
    """
    here = folder.resolve()
    for place in (here, *here.parents):
        if os.path.lexists(place / ".git"):
            known = git_folders(place)
            return place == top and known is not None and known.top == top
        if os.path.lexists(place / "HEAD"):
            return False
    return False


def harmless_below(root: Path | None) -> "functools.partial[bool]":
    """The question for folders of a workspace; without a root the answer is no."""
    return functools.partial(_below, root)


def _below(root: Path | None, folder: str) -> bool:
    return root is not None and harmless(root / folder)
