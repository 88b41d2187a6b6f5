"""Where git keeps its own files for a folder, found by reading, without running git."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_POINTER = 4_096  # bytes of a `.git` file that are read


@dataclass(frozen=True, slots=True)
class GitFolders:
    """`top`: the work tree's root. `dirs`: its own git folder, then the one it shares with others."""

    top: Path
    dirs: tuple[Path, ...]


def git_folders(root: Path) -> GitFolders | None:
    """Those of the repository that `root` lies in; None where there is none that can be believed.

    A `.git` file is part of what a stranger may have written: a folder outside of the work tree is
    believed only when it points back, or lies in the git folder of a repository around it.
    """
    with suppress(OSError):  # a folder nobody may look into
        return _found(root)
    return None


def _found(root: Path) -> GitFolders | None:
    for top in (root, *root.parents):
        named = top / ".git"
        if not os.path.lexists(named):
            continue
        own = _resolved(named) if named.is_dir() else _pointed(named)
        if own is None or not (own / "HEAD").is_file():
            continue
        shared = _shared(own)
        if own.is_relative_to(top) or _points_back(own, named) or _around(own, top):
            return GitFolders(top, tuple(dict.fromkeys((own, shared))))
        return None
    return None


def _pointed(file: Path) -> Path | None:
    text = _first_line(file)
    path = text.removeprefix("gitdir:").strip()
    return _resolved(file.parent / path) if text.startswith("gitdir:") and path else None


def _shared(own: Path) -> Path:
    """The common folder of a linked work tree: believed when `own` lies in it."""
    path = _first_line(own / "commondir").strip()
    found = _resolved(own / path) if path else None
    return found if found is not None and own.is_relative_to(found) else own


def _points_back(own: Path, named: Path) -> bool:
    back = _first_line(own / "gitdir").strip()
    return bool(back) and _resolved(own / back) == _resolved(named)


def _around(own: Path, top: Path) -> bool:
    """Whether it is a submodule's folder in the git folder of a repository above."""
    return any(own.is_relative_to(parent / ".git" / "modules") for parent in top.parents)


def _first_line(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return os.fsdecode(stream.read(_POINTER).split(b"\n", 1)[0])
    except OSError:
        return ""


def _resolved(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None
