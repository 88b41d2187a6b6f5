"""What a snapshot costs, beside git's own: `aoci-agent eval undo-cost [--repo PATH | --files N]`.

The folder is copied first: nothing of the person's is touched, and the changes that are measured
are made in the copy. git's part runs in the same minutes on the same copy: `git stash create`,
which leaves untracked files out, and a tree written through a second index, which takes them in.
"""

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from aoci_agent.base.git import Repository
from aoci_agent.base.process import find_program, run_blocking
from aoci_agent.base.snapshots.snapshots import Snapshots

TIMES = 7


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; milliseconds, medians of seven."""
    parser = argparse.ArgumentParser(prog="undo-cost", description=__doc__)
    parser.add_argument("--repo", type=Path, help="a repository (default: one that is made)")
    parser.add_argument("--files", type=int, default=10_000, help="of the made one")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "ws")
        if chosen.repo:
            shutil.copytree(chosen.repo, root, symlinks=True)
        else:
            _make(root, chosen.files)
        _measure(root, Path(folder, "store"))
    return 0


def _make(root: Path, files: int) -> None:
    """A repository of so many files in folders of twenty, with text of 0.2 to 8 KB."""
    for number in range(files):
        place = root / f"d{number // 400}/e{number // 20 % 20}/f{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(
            f"def f{number}(x):\n    return x + {number}\n\n" * (5 + number * 37 % 200)
        )
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "all")


def _measure(root: Path, store: Path) -> None:
    time.sleep(0.1)  # past the tick in which the copy was made: as a person's files are
    snapshots = Snapshots(root, Repository.find(root), store)
    file = next(
        path for path in sorted(root.rglob("*.*")) if path.is_file() and ".git" not in path.parts
    )
    _say("cold, nothing kept yet", _once(snapshots.take))
    print(f"  {snapshots.store.size / 1e6:.1f} MB kept, {len(snapshots.left_out)} left out")
    _say("unchanged", _median(snapshots.take))
    _say("one file changed", _median(snapshots.take, lambda n: file.write_text(f"{n}\n")))
    state = snapshots.take()
    path = file.relative_to(root).as_posix()
    _say("one edit, its path named", _median(lambda: snapshots.touch(state, [path])))
    _say("one new file", _median(snapshots.take, lambda n: (root / f"new{n}").write_text("x")))
    snapshots.close()
    again = Snapshots(root, Repository.find(root), store)
    _say("first of a later session", _once(again.take))
    print(f"  {again.store.size / 1e6:.1f} MB kept after {3 * TIMES} changes")
    again.close()
    _say("git stash create", _median(lambda: _git(root, "stash", "create")))
    index = {"GIT_INDEX_FILE": str(store / "index")}
    shutil.copyfile(root / ".git/index", store / "index")
    _say("git add -A, write-tree, other index", _median(lambda: _tree(root, index)))


def _tree(root: Path, index: dict[str, str]) -> None:
    _git(root, "add", "-A", env=index)
    _git(root, "write-tree", env=index)


def _git(root: Path, *arguments: str, env: dict[str, str] | None = None) -> None:
    program = find_program("git", outside=root)
    if program is None:
        raise RuntimeError("there is no git")
    who = {
        f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    done = run_blocking([program, *arguments], cwd=root, env={**who, **(env or {})})
    if done.exit_code != 0:
        raise RuntimeError(done.stderr.decode(errors="replace"))


def _once(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def _median(act: Callable[[], object], change: Callable[[int], object] = lambda _: None) -> float:
    times: list[float] = []
    for number in range(TIMES):
        change(number)
        times.append(_once(act))
    return statistics.median(times)


def _say(what: str, seconds: float) -> None:
    print(f"{what:<38}{seconds * 1000:8.1f} ms")
