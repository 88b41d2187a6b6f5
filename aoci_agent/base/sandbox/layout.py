"""What of the file system a program sees in the box. Both layers are built from it."""

import os
import pwd
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.places import home_of
from aoci_agent.base.protected import STATE
from aoci_agent.base.sandbox.gitfolders import git_folders
from aoci_agent.base.sandbox.toolchains import keys_among, toolchains

TEMPORARY = (Path("/tmp"), Path("/var/tmp"))
# Tests that make repositories of their own need somebody to commit as. It lies beside the folder of
# caches: nothing outside of the box may write where the box can put a link.
GIT_SETTINGS = "gitconfig"
IDENTITY = b"[user]\n\tname = sandbox\n\temail = sandbox@localhost\n"
RUNTIME = Path("/run")  # sockets of services, keys of the session
_SECRETS = ("shadow", "shadow-", "gshadow", "gshadow-", "ssl/private")  # in /etc; root reads them


@dataclass(frozen=True, slots=True)
class Layout:
    """Absolute, resolved paths, there or not. Of two that hold one another, the inner one says what holds.

    `hidden` is shown empty; `shown` is readable, also inside what is hidden; `scratch` is a folder
    of the agent's for caches, writable like the workspace `root`.
    """

    root: Path
    home: Path
    scratch: Path
    hidden: tuple[Path, ...]
    shown: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Guarded:
    """Git's and the agent's own in a workspace, as they are at this moment."""

    there: tuple[Path, ...]
    names: tuple[Path, ...]  # that are not to be taken, there or not
    links: tuple[Path, ...]  # names that are links, which nothing can hold in place


def guarded(root: Path) -> Guarded:
    """What no command may write, for a resolved workspace."""
    names = (root / ".git", root / STATE)
    repository = git_folders(root)
    there = [*(repository.dirs if repository else ()), *(n for n in names if os.path.lexists(n))]
    return Guarded(
        tuple(dict.fromkeys(name for name in there if not name.is_symlink())),
        names,
        tuple(name for name in names if name.is_symlink()),
    )


def layout_of(
    root: Path,
    own: Sequence[Path],
    scratch: Path,
    env: Mapping[str, str],
    readable: Sequence[Path] = (),
) -> Layout:
    """The layout for a workspace. `own` are the agent's folders of settings, records and caches.

    Of those, `readable` are shown all the same; they exist.
    """
    root = root.resolve()
    homes = _homes(env)
    hidden = [*homes, *TEMPORARY, RUNTIME, *own, *(Path("/etc") / one for one in _SECRETS)]
    hidden += [key for home in homes for key in keys_among(home, env)]
    config = env.get("XDG_CONFIG_HOME", "")
    if config.startswith("/"):
        hidden.append(Path(config))
    hidden = [path for path in (one.resolve() for one in hidden) if path != Path("/")]
    shown = [path.resolve() for home in homes for path in (*toolchains(home, env), *readable)]
    shown.append(scratch.resolve().with_name(GIT_SETTINGS))
    repository = git_folders(root)
    # Of a repository around the workspace all is shown, or nothing: a whole home may be one.
    if repository is not None and not any(p.is_relative_to(repository.top) for p in hidden):
        shown += (*repository.dirs, repository.top)
    return Layout(root, homes[0], scratch.resolve(), _once(hidden), _needed(shown, hidden, root))


def _homes(env: Mapping[str, str]) -> tuple[Path, ...]:
    """The home that programs are told, and the one the system knows, where keys would lie."""
    try:
        known = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a user that only has a number
        known = ""
    homes = (home_of(env), Path(known if known.startswith("/") else "/"))
    return _once(home.resolve() for home in homes if home.resolve() != Path("/"))


def _needed(shown: Iterable[Path], hidden: Sequence[Path], root: Path) -> tuple[Path, ...]:
    """Those that would be hidden otherwise; not those that another one, or the workspace, shows."""
    kept: list[Path] = []
    for path in sorted(shown, key=lambda path: len(path.parts)):
        over = max((h for h in hidden if path.is_relative_to(h)), key=_depth, default=None)
        inside = (one for one in (*kept, root) if path.is_relative_to(one))
        if over is not None and not any(_depth(one) >= _depth(over) for one in inside):
            kept.append(path)
    return _once(kept)


def _depth(path: Path) -> int:
    return len(path.parts)


def _once(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(paths))


def writable(layout: Layout, cwd: Path) -> tuple[Path, ...]:
    """Beside the workspace: the folder of caches, and a hidden one that this program itself starts in."""
    visible = (layout.root, layout.scratch, *layout.shown)
    chosen = any(map(cwd.is_relative_to, layout.hidden)) and not any(
        map(cwd.is_relative_to, visible)
    )
    return (layout.scratch, cwd) if chosen else (layout.scratch,)
