"""Do indexes of two branches merge? `python -m aoci_agent.evals.index_merge REPO [--merges N]`.

Each round takes two entries that stand next to each other in index.aoci. On one branch a person
rewrites F of the first and its source grows; on the other the same happens to the second. Both
branches update their index and commit; stock git merges them, without any driver. Right is a merge
without conflict, after which an update changes nothing and both rewritten F stand. Exit 1 otherwise.

A second figure, for information: both branches add a file at the same place. There git cannot know
an order, so it reports a conflict; `index update --fix` keeps both sides.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from aoci_agent.aoci.check.repair import repair
from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.parse import parse
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import STATE, Workspace
from aoci_agent.base.git import Repository
from aoci_agent.evals.history import git, try_git

MERGES = 30
_SETTINGS = (
    *("user.name=merge", "user.email=merge@example.org", "commit.gpgsign=false"),
    "merge.conflictStyle=merge",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rounds that failed, then both counts."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.index_merge")
    parser.add_argument("repository", type=Path, metavar="REPO")
    parser.add_argument("--merges", type=int, default=MERGES, metavar="N")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="aoci-merge-") as folder:
        try:
            rounds = _Rounds(options.repository, Path(folder))
            pairs = rounds.pairs(options.merges)
            clean = sum(rounds.neighbours(*pair) for pair in pairs)
            settled = [rounds.side_by_side(first) for first, _ in pairs]
        except ForUser as error:
            print(f"{error.message}\n{error.hint}", file=sys.stderr)
            return 1
    print(f"neighbouring edits: {clean}/{len(pairs)} merges clean, in step and complete")
    print(
        f"new files side by side: {settled.count('clean')} clean, {settled.count('settled')}"
        f" settled by `update --fix`, of {len(settled)}"
    )
    return 0 if clean == len(pairs) and "lost" not in settled else 1


class _Rounds:
    """A copy of the repository with a committed index, on a branch `start`."""

    def __init__(self, source: Path, folder: Path) -> None:
        self._tree, self._cache = folder / "tree", folder / "cache"
        git(folder, "clone", "--quiet", str(source.resolve()), str(self._tree))
        self._git("checkout", "--quiet", "-B", "start")
        self._update()
        self._commit("index")

    def pairs(self, wanted: int) -> list[tuple[Entry, Entry]]:
        """Entries of source files that stand directly beside each other, spread over the index."""
        entries = self._index().entries
        beside = [
            (one, other)
            for one, other in pairwise(entries)
            if one.directory == other.directory
            and language_of(one.path) is not None
            and language_of(other.path) is not None
        ]
        if len(beside) < wanted:
            raise ForUser(f"only {len(beside)} neighbours", "take a larger repository")
        return [beside[number * len(beside) // wanted] for number in range(wanted)]

    def neighbours(self, one: Entry, other: Entry) -> bool:
        """One round; whether it went as it must."""
        self._branch("left", one, "what the left side says")
        self._branch("right", other, "what the right side says")
        if self._merge() != 0:
            print(f"{one.path} and {other.name}: conflict in {self._conflicts()}")
            self._git("merge", "--abort")
            return False
        before = self._state()
        self._update()
        told = self._index().by_path
        right = (told[one.path].function, told[other.path].function) == (
            "what the left side says",
            "what the right side says",
        )
        if not right or self._state() != before:
            print(f"{one.path} and {other.name}: {'not in step' if right else 'words lost'}")
        return right and self._state() == before

    def side_by_side(self, beside: Entry) -> str:
        """Both branches add a file beside an entry: clean, settled by an update, or lost."""
        folder = f"{beside.directory}/" if beside.directory else ""
        names = [f"{folder}{Path(beside.name).stem}_{side}.py" for side in ("left", "right")]
        for side, name in zip(("left", "right"), names, strict=True):
            self._git("checkout", "--quiet", "-B", side, "start")
            (self._tree / name).write_text(f'"""The {side} side."""\n')
            self._update()
            self._commit(side)
        if clean := self._merge() == 0:
            self._update()
        else:
            self._fix()
            self._update()
        told = self._index().by_path
        whole = all(name in told for name in names)
        self._git("reset", "--quiet", "--hard", "start")
        return "lost" if not whole else "clean" if clean else "settled"

    def _branch(self, side: str, entry: Entry, words: str) -> None:
        """A branch on which a person rewrites F and the source gets longer."""
        self._git("checkout", "--quiet", "-B", side, "start")
        source = self._tree / entry.path
        source.write_bytes(source.read_bytes() + b"\n" * 400)
        index = self._tree / STATE / INDEX_FILE
        lines = index.read_text("utf-8").split("\n")
        place = self._line_of(lines, entry)
        head, _, rest = lines[place].partition("]: F:")
        _, bar, tail = rest.partition(" | R:")
        lines[place] = f"{head}]: F:{words}{bar}{tail}"
        index.write_text("\n".join(lines), "utf-8")
        self._update()
        self._commit(side)

    def _line_of(self, lines: list[str], entry: Entry) -> int:
        section = lines.index(f"=== {entry.directory or '.'}/")
        return next(
            number
            for number in range(section, len(lines))
            if lines[number].startswith(f"{entry.name}[")
        )

    def _index(self) -> Index:
        return parse((self._tree / STATE / INDEX_FILE).read_text("utf-8"))

    def _fix(self) -> None:
        with Workspace(self._tree) as workspace:
            repair(IndexStore(workspace, Repository.find(self._tree), self._cache))

    def _update(self) -> None:
        with Workspace(self._tree) as workspace:
            IndexStore(workspace, Repository.find(self._tree), self._cache).build()

    def _state(self) -> list[bytes]:
        return [(self._tree / STATE / name).read_bytes() for name in (INDEX_FILE, LOCK_FILE)]

    def _merge(self) -> int:
        done = try_git(self._tree, "merge", "--quiet", "--no-edit", "left", settings=_SETTINGS)
        return done.exit_code or 0

    def _conflicts(self) -> str:
        return self._git("diff", "--name-only", "--diff-filter=U").strip()

    def _commit(self, message: str) -> None:
        self._git("add", "--all", "--force", STATE)
        self._git("add", "--all")
        self._git("commit", "--quiet", "--no-verify", "--message", message)

    def _git(self, *arguments: str) -> str:
        return git(self._tree, *arguments, settings=_SETTINGS).decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
