"""A repository of its own that holds the history up to one commit, and nothing that came later.

Objects travel as one pack, without any transport: no protocol, hook or configuration of the source
takes part. Blobs that a partial clone lacks stay missing.
"""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.base.hardened import WritingGit

BRANCH = "base"


def excerpt(source: Repository, commit: str, path: Path) -> Repository:
    """The repository at `path`, made when it is not there: a branch `base` at `commit`, no work tree.

    Made beside it and renamed, so that it is whole or missing. Raises NotPossible.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(prefix=f"{path.name}-", dir=path.parent) as folder:
            made = Path(folder) / "made"
            _make(source, commit, made)
            try:
                made.rename(path)
            except OSError as error:
                if not path.exists():  # another process was faster otherwise
                    raise NotPossible(f"cannot make {path}: {error.strerror}") from error
    found = Repository.find(path)
    if found is None or found.root != path.resolve():
        raise NotPossible(f"{path} is no repository; remove it, and it is made again")
    return found


def staged(repository: Repository, without: Sequence[str] = ()) -> str:
    """All that was done in a work tree since its commit, new files too, as a diff without context.

    New files are named in the index of that work tree, so this is for one that nobody works in any
    more. No object is written: other work trees of the repository could read it. `without` are
    paths that do not count. Raises NotPossible.
    """
    git = WritingGit.of(repository.hardened)
    git.do("add", "--intent-to-add", "--", ".")
    options = ("-U0", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--binary")
    changed = os.fsdecode(git.read("diff", "--name-only", "-z", "--no-renames", "HEAD"))
    paths = [path for path in changed.split("\0") if path and not path.startswith(tuple(without))]
    if not paths:
        return ""
    return os.fsdecode(git.read("diff", *options, "HEAD", "--", *paths))


def applied(repository: Repository, patch: str) -> None:
    """Apply a patch to a work tree. Raises NotPossible where it does not fit."""
    WritingGit.of(repository.hardened).do(
        "apply", "--whitespace=nowarn", "-", stdin=patch.encode("utf-8", "surrogateescape")
    )


def _make(source: Repository, commit: str, path: Path) -> None:
    path.mkdir(mode=0o700)
    here = WritingGit.of(source.hardened)
    there = replace(here, git_dir=path / ".git", work_tree=path)
    there.do("init", "--quiet", f"--initial-branch={BRANCH}", "--template=", str(path))
    objects = path / ".git" / "objects" / "pack" / "pack"
    objects.parent.mkdir(parents=True, exist_ok=True)
    options = ("--revs", "--missing=allow-any", "--quiet", "--delta-base-offset")
    here.do("pack-objects", *options, str(objects), stdin=f"{commit}\n".encode())
    there.do("update-ref", f"refs/heads/{BRANCH}", commit)
