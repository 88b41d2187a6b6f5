"""Does an update give what a rebuild gives? `python -m aoci_agent.evals.index_equal REPO [--commits N]`.

Walks the newest first-parent commits of a copy: each is updated from the one before, and built anew
with an empty cache from the same lock. Index and lock must be the same bytes. Exit 1 when one differs.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import STATE, Workspace
from aoci_agent.base.git import Repository
from aoci_agent.base.process import Limits, run_blocking

COMMITS = 25


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line per commit that differs, then `n/n` and the times of both ways."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.index_equal")
    parser.add_argument("repository", type=Path, metavar="REPO")
    parser.add_argument("--commits", type=int, default=COMMITS, metavar="N")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="aoci-equal-") as folder:
        try:
            return _compare(options.repository, options.commits, Path(folder))
        except ForUser as error:
            print(f"{error.message}\n{error.hint}", file=sys.stderr)
            return 1


def _compare(source: Path, commits: int, folder: Path) -> int:
    tree = folder / "tree"
    _git(folder, "clone", "--quiet", "--no-checkout", str(source.resolve()), str(tree))
    listed = _git(tree, "rev-list", "--first-parent", f"--max-count={commits + 1}", "HEAD")
    first, *rest = reversed(listed.split())
    _checkout(tree, first)
    _build(tree, folder / "cache")
    equal, updating, rebuilding = 0, 0.0, 0.0
    for commit in rest:
        _checkout(tree, commit)
        lock = (tree / STATE / LOCK_FILE).read_bytes()
        updating += _build(tree, folder / "cache")
        updated = _state(tree)
        shutil.rmtree(tree / STATE)
        (tree / STATE).mkdir()
        (tree / STATE / LOCK_FILE).write_bytes(lock)
        rebuilding += _build(tree, folder / f"cache-{commit}")
        if updated == _state(tree):
            equal += 1
        else:
            print(f"{commit} differs")
        shutil.rmtree(folder / f"cache-{commit}")
    print(f"{equal}/{len(rest)} equal; update {updating:.1f} s, rebuild {rebuilding:.1f} s")
    return 0 if equal == len(rest) else 1


def _build(tree: Path, cache: Path) -> float:
    started = time.monotonic()
    with Workspace(tree) as workspace:
        IndexStore(workspace, Repository.find(tree), cache).build()
    return time.monotonic() - started


def _state(tree: Path) -> tuple[bytes, bytes]:
    index, lock = (tree / STATE / name for name in (INDEX_FILE, LOCK_FILE))
    return index.read_bytes(), lock.read_bytes()


def _checkout(tree: Path, commit: str) -> None:
    _git(tree, "checkout", "--quiet", "--force", "--detach", commit)


def _git(folder: Path, *arguments: str) -> str:
    done = run_blocking(["git", *arguments], cwd=folder, limits=Limits(seconds=300))
    if done.exit_code:
        raise ForUser(f"git {arguments[0]} failed", done.stderr.decode("utf-8", "replace")[-500:])
    return done.stdout.decode()


if __name__ == "__main__":
    sys.exit(main())
