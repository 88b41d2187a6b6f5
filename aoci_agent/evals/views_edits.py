"""Is every answer right at once after an edit? `python -m aoci_agent.evals.views_edits REPO...`.

On a copy of each repository: edits as an agent, an editor and git make them. After each the views of
a running session are brought in step, and held against views built of the same files from nothing:
their content, the answers to requests about the files touched, and what the edit itself makes true
(a new word is found in the lines that hold it, nothing is found in a file that is gone).
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.evals.history import git, try_git
from aoci_agent.evals.views_edits_made import EDITS, Made, Tree
from aoci_agent.views.maintain import RepositoryViews
from aoci_agent.views.source import WorkTree
from aoci_agent.views.standard import standard_views
from aoci_agent.views.syntax.text import decoded
from aoci_agent.views.verify import differing

WHO = ("user.name=measure", "user.email=measure@example.org", "commit.gpgsign=false")


class Row(NamedTuple):
    """One step of an edit: checks that held, of how many, and the milliseconds of the refresh."""

    edit: str
    step: str
    right: int
    of: int
    refresh: float
    wrong: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each edit and `n/n` for each repository; exit 1 when an answer is wrong."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.views_edits")
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--embedder", default="hash", help="of the dense view (hash)")
    options = parser.parse_args(arguments)
    wrong = 0
    for repository in options.repositories:
        with tempfile.TemporaryDirectory(prefix="aoci-edits-") as folder:
            try:
                rows = list(measure(repository, Path(folder), options.embedder))
            except ForUser as error:
                print(f"{repository.name}: {error.message}\n{error.hint}", file=sys.stderr)
                return 1
        steps = sum(not row.wrong for row in rows)
        broken = {row.edit for row in rows if row.wrong}
        edits = len({row.edit for row in rows})
        wrong += len(broken)
        right = f"{edits - len(broken)}/{edits} edits right at once"
        print(f"{repository.name}: {right}, {steps}/{len(rows)} steps", flush=True)
    return 1 if wrong else 0


def measure(repository: Path, folder: Path, embedder: str = "hash") -> Iterator[Row]:
    """Every edit on a copy of a repository, told as it is done."""
    root = folder / "tree"
    _copy(repository, root)
    with Workspace(root) as workspace:
        makers = standard_views(folder / "cache", embedder)
        views = RepositoryViews(workspace, Repository.find(root), folder / "cache", makers)
        behind = views.fresh().behind
        for name, why in behind.items():
            print(f"  {name} is left out: {why}", file=sys.stderr)
        tree = Tree(root, lambda: views.tree.files)
        for edit in EDITS:
            for made in edit.make(tree):
                row = _judged(views, edit.name, made, root, embedder)
                print(_line(row), flush=True)
                yield row
        views.close()


def _judged(views: RepositoryViews, name: str, made: Made, root: Path, embedder: str) -> Row:
    started = time.perf_counter()
    freshness = views.fresh()
    refresh = (time.perf_counter() - started) * 1e3
    judge = _Judge(views, made)
    with Workspace(root) as workspace:
        source = WorkTree(workspace, Repository.find(root))
        source.look()
        judge.holds(source.files == views.tree.files, "the files")
        for kind, make in standard_views(None, embedder).items():
            if views.has(kind):
                rebuilt = make()
                rebuilt.build(source)
                changed = [path for path in freshness.changed if path in source.files]
                told = differing(views.view(kind), rebuilt, source, changed)
                judge.holds(not told, f"{kind}: {told}")
                judge.expected(kind)
    return Row(name, made.told, judge.right, judge.of, refresh, tuple(judge.wrong))


@dataclass
class _Judge:
    """Checks of one edit."""

    views: RepositoryViews
    made: Made
    of: int = 0
    wrong: list[str] = field(default_factory=list[str])

    @property
    def right(self) -> int:
        return self.of - len(self.wrong)

    def holds(self, right: bool, told: str) -> None:  # noqa: FBT001 - what is checked
        self.of += 1
        if not right:
            self.wrong.append(told)

    def expected(self, kind: str) -> None:
        """What the edit makes true of one view."""
        view: Any = self.views.view(kind)
        if hasattr(view, "search"):
            for word, path in self.made.words.items():
                self._searched(kind, view, word, path)
        if hasattr(view, "named"):
            for name, path in self.made.symbols.items():
                self._named(view, name, path)

    def _searched(self, kind: str, view: Any, word: str, path: str) -> None:
        checked = self.views.checked(kind, view.search(word, limit=10))
        self.holds(all(item.fresh for item in checked), f"{kind}: a hit for {word} is stale")
        for item in checked:
            lines = self._lines(item.hit.path)
            told = f"{kind}: {word} in {item.hit.path}:{item.start}-{item.end}"
            self.holds(1 <= item.start <= item.end <= len(lines), f"{told} is no place")
            gone = item.hit.path in self.made.gone
            self.holds(not gone, f"{told}, which is gone")
        if path and kind == "lexical":
            found = [
                item for item in checked
                if item.hit.path == path
                and any(word in line for line in self._lines(path)[item.start - 1 : item.end])
            ]  # fmt: skip
            self.holds(bool(found), f"{kind}: {word} is not found in {path}")

    def _named(self, view: Any, name: str, path: str) -> None:
        symbols = [symbol for symbol in view.named(name) if symbol.name == name]
        places = {symbol.location.path for symbol in symbols}
        wanted = {path} if path else set[str]()
        self.holds(places == wanted, f"{name} is in {sorted(places)}, not {sorted(wanted)}")
        for symbol in symbols:
            lines = self._lines(symbol.location.path)
            there = symbol.line <= len(lines) and name in lines[symbol.line - 1]
            self.holds(there, f"{name} is not at line {symbol.line}")
            found = view.definition(symbol.location.path, symbol.line, symbol.location.column)
            self.holds(symbol in found, f"{name} is not its own definition")

    def _lines(self, path: str) -> list[str]:
        tree = self.views.tree
        return decoded(tree.read(path)).split("\n") if path in tree.files else []


def _line(row: Row) -> str:
    told = f"{row.edit}{f' ({row.step})' if row.step else ''}"
    line = f"  {told:<50} {row.right:>4}/{row.of:<4} {row.refresh:>8.1f} ms"
    return "\n    ".join([line, *row.wrong])


def _copy(repository: Path, root: Path) -> None:
    """A clone of what is committed, or a copy of a folder without history, committed there."""
    if try_git(repository, "rev-parse", "--verify", "HEAD~1").exit_code == 0:
        git(root.parent, "clone", "--quiet", str(repository.resolve()), str(root))
        return
    shutil.copytree(repository, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    git(root, "init", "--quiet")
    for message in ("all", "again"):
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--allow-empty", "--message", message, settings=WHO)


if __name__ == "__main__":
    sys.exit(main())
