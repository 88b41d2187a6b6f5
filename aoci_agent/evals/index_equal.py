"""Does an update give what a rebuild gives? `python -m aoci_agent.evals.index_equal REPO... [--commits N]`.

Walks the newest first-parent commits that touch source files, on a copy of each repository: each
commit is updated from the one before, and built anew with an empty cache from the same lock and
index. Index and lock must be the same bytes. Beside it a session's own way is proved: refreshing the
changed files in memory must give the elements the rebuild gives. Exit 1 when one differs.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE
from aoci_agent.aoci.parse import parse
from aoci_agent.aoci.store import IndexStore
from aoci_agent.aoci.write import element_hashes
from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import STATE, Workspace
from aoci_agent.base.git import Repository
from aoci_agent.evals.history import git

COMMITS = 100
State = dict[str, bytes]


@dataclass
class Tally:
    """What one repository gave. Seconds are of the commits that were equal."""

    commits: int = 0
    equal: int = 0
    refreshed: int = 0  # commits whose refresh in memory gave the same elements
    refreshable: int = 0  # commits that changed files without adding or removing any
    updating: float = 0.0
    rebuilding: float = 0.0

    @property
    def speed_up(self) -> float:
        """How many times faster an update is than a rebuild."""
        return self.rebuilding / self.updating if self.updating else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line per repository and commit that differs, then `n/n` and the speed-up."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.index_equal")
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--commits", type=int, default=COMMITS, metavar="N")
    options = parser.parse_args(arguments)
    whole = Tally()
    for repository in options.repositories:
        with tempfile.TemporaryDirectory(prefix="aoci-equal-") as folder:
            try:
                tally = _compare(repository, options.commits, Path(folder))
            except ForUser as error:
                print(f"{error.message}\n{error.hint}", file=sys.stderr)
                return 1
        print(_told(repository.name, tally), flush=True)
        for name in ("commits", "equal", "refreshed", "refreshable", "updating", "rebuilding"):
            setattr(whole, name, getattr(whole, name) + getattr(tally, name))
    if len(options.repositories) > 1:
        print(_told("all", whole))
    return 0 if (whole.equal, whole.refreshed) == (whole.commits, whole.refreshable) else 1


def _told(name: str, tally: Tally) -> str:
    return (
        f"{name}: update == rebuild {tally.equal}/{tally.commits}, refresh =="
        f" rebuild {tally.refreshed}/{tally.refreshable}; update {tally.updating:.1f} s,"
        f" rebuild {tally.rebuilding:.1f} s, {tally.speed_up:.1f} times faster"
    )


def _compare(source: Path, commits: int, folder: Path) -> Tally:
    tree = folder / "tree"
    git(folder, "clone", "--quiet", "--no-checkout", str(source.resolve()), str(tree))
    first, *rest = _source_touching(tree, commits)
    _checkout(tree, first)
    _build(tree, folder / "cache")
    tally = Tally(commits=len(rest))
    for commit in rest:
        before = _state(tree)
        _checkout(tree, commit)
        changed = _changed(tree, commit)
        updating = _build(tree, folder / "cache")
        updated = _state(tree)
        _restore(tree, before)
        if changed:
            tally.refreshable += 1
            tally.refreshed += _refresh(tree, folder / "cache", changed, updated)
        rebuilding = _build(tree, folder / f"cache-{commit}")
        if updated == _state(tree):
            tally.equal += 1
            tally.updating += updating
            tally.rebuilding += rebuilding
        else:
            print(f"{source.name} {commit} differs", flush=True)
        shutil.rmtree(folder / f"cache-{commit}")
    return tally


def _source_touching(tree: Path, commits: int) -> list[str]:
    """The newest commits that change a file in a language, oldest first, after their predecessor."""
    options = ("--first-parent", "-m", "--name-only", "--format=%x00%H")
    listed = git(tree, "log", *options, "HEAD").decode()
    chosen: list[str] = []
    for block in listed.split("\0")[1:]:
        commit, *names = [line for line in block.split("\n") if line]
        if any(language_of(name) is not None for name in names):
            chosen.append(commit)
        if len(chosen) == commits:
            break
    start = git(tree, "rev-list", "--first-parent", "--max-count=2", chosen[-1]).decode().split()
    return [*start[1:], *reversed(chosen)]


def _changed(tree: Path, commit: str) -> list[str]:
    """Files the commit only modified; none when it also added, removed or moved some."""
    names = git(
        tree, "diff-tree", "-r", "--no-commit-id", "--name-status", "-z", f"{commit}^1", commit
    )
    parts = [part for part in names.decode().split("\0") if part]
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    return [path for _, path in pairs] if all(status == "M" for status, _ in pairs) else []


def _refresh(tree: Path, cache: Path, changed: list[str], wanted: State) -> bool:
    """Whether a session's refresh of the changed files gives the elements of the updated index."""
    after = parse(wanted[INDEX_FILE].decode()).by_path
    with Workspace(tree) as workspace:
        store = IndexStore(workspace, None, cache)
        store.load()
        entries = store.refresh(changed)
    return all(
        element_hashes(entry) == element_hashes(after[entry.path])
        for entry in entries
        if entry.path in after
    )


def _build(tree: Path, cache: Path) -> float:
    started = time.monotonic()
    with Workspace(tree) as workspace:
        IndexStore(workspace, Repository.find(tree), cache).build()
    return time.monotonic() - started


def _state(tree: Path) -> State:
    return {name: (tree / STATE / name).read_bytes() for name in (INDEX_FILE, LOCK_FILE)}


def _restore(tree: Path, state: State) -> None:
    for name, data in state.items():
        (tree / STATE / name).write_bytes(data)


def _checkout(tree: Path, commit: str) -> None:
    git(tree, "checkout", "--quiet", "--force", "--detach", commit)


if __name__ == "__main__":
    sys.exit(main())
