"""How the views bear a large repository: `python -m aoci_agent.evals.views_scale [--files N] [PATH]`.

A repository is made (10,000 files in six languages, committed with git), or a copy of PATH is used.
Then, each in a process of its own: a cold build; a start from what was kept, with the check that
nothing changed; and a session, in which one file after another is edited and asked about.
"""

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.evals.history import git
from aoci_agent.evals.lexical_cases import percentile
from aoci_agent.evals.views_scale_code import write_repository
from aoci_agent.views.maintain import RepositoryViews
from aoci_agent.views.standard import standard_views

FILES = 10_000
EDITS = 25
QUERIES = 200
CHECKS = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures of each process; exit 1 when a view could not be had."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.views_scale")
    parser.add_argument("path", nargs="?", type=Path, help="a repository; a made-up one without")
    parser.add_argument("--files", type=int, default=FILES, metavar="N")
    parser.add_argument("--view", action="append", dest="views", metavar="NAME")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work here, and leave it")
    parser.add_argument("--run", choices=tuple(RUNS), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.run:
        print(json.dumps(RUNS[options.run](options.keep, options.views)))
        return 0
    with tempfile.TemporaryDirectory(prefix="aoci-scale-") as folder:
        place = options.keep or Path(folder)
        try:
            _prepare(place / "tree", options.path, options.files)
            failed = [run for run in RUNS if not _run(run, place, options.views)]
        except ForUser as error:
            print(f"{error.message}\n{error.hint}", file=sys.stderr)
            return 1
    return 1 if failed else 0


def _prepare(tree: Path, given: Path | None, files: int) -> None:
    if tree.exists():
        shutil.rmtree(tree)
        shutil.rmtree(tree.parent / "cache", ignore_errors=True)
    if given is not None:
        shutil.copytree(given, tree, symlinks=True)
        return
    size = sum(path.stat().st_size for path in write_repository(tree, files))
    git(tree, "init", "--quiet")
    git(tree, "add", "--all")
    who = ("user.name=measure", "user.email=measure@example.org", "commit.gpgsign=false")
    git(tree, "commit", "--quiet", "--message", "all", settings=who)
    print(f"made {files} files, {size / 1e6:.1f} MB", flush=True)


def _run(run: str, place: Path, views: Sequence[str] | None) -> bool:
    options = [part for name in views or () for part in ("--view", name)]
    argv = [sys.executable, "-m", "aoci_agent.evals.views_scale", "--run", run, "--keep"]
    done = subprocess.run([*argv, str(place), *options], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        print(f"{run}: failed", flush=True)
        return False
    row: dict[str, Any] = json.loads(done.stdout)
    print(f"{run}: " + ", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    return not row.get("behind")


def _opened(place: Path, names: Sequence[str] | None) -> RepositoryViews:
    workspace = Workspace(place / "tree")
    makers = standard_views(place / "cache")
    chosen = {name: make for name, make in makers.items() if not names or name in names}
    return RepositoryViews(workspace, Repository.find(workspace.root), place / "cache", chosen)


def cold(place: Path, names: Sequence[str] | None) -> dict[str, Any]:
    """Everything from nothing, and kept."""
    views = _opened(place, names)
    wall, spent = time.perf_counter(), time.process_time()
    freshness = views.fresh()
    row: dict[str, Any] = {
        "wall s": round(time.perf_counter() - wall, 1),
        "CPU s": round(time.process_time() - spent, 1),
        "files": len(views.tree.files),
    }
    manifest = views.disk.manifest
    for name, held in views.held.items():
        row[f"{name} build s"] = held.seconds.get("build")
        if manifest is not None:
            row[f"{name} MB"] = round(manifest.views[name].bytes / 1e6, 1)
        if held.view is not None:
            row |= {f"{name} {what}": count for what, count in held.view.counts.items()}
    views.close()
    return row | {"peak MB": _peak(), "behind": dict(freshness.behind)}


def start(place: Path, names: Sequence[str] | None) -> dict[str, Any]:
    """From what was kept; then the check before an answer, with nothing changed."""
    views = _opened(place, names)
    wall = time.perf_counter()
    freshness = views.fresh()
    row: dict[str, Any] = {"to the first answer s": round(time.perf_counter() - wall, 3)}
    for name, held in views.held.items():
        row[f"{name} load s"] = held.seconds.get("load")
    row |= _costs("check", [_taken(views.fresh) for _ in range(CHECKS)])
    views.close()
    return row | {"peak MB": _peak(), "behind": dict(freshness.behind)}


def session(place: Path, names: Sequence[str] | None) -> dict[str, Any]:
    """Edits of one file each, then queries; what was derived is kept at the end."""
    views = _opened(place, names)
    views.fresh()
    choose = random.Random(1)
    paths = [path for path in views.tree.files if "." in path]
    edits: dict[str, list[Taken]] = {"edit": [], "add": [], "remove": []}
    for number in range(EDITS):
        path = place / "tree" / choose.choice(paths)
        lines = path.read_text("utf-8").split("\n")
        at = choose.randrange(len(lines))
        path.write_text("\n".join([*lines[:at], lines[at], *lines[at:]]), "utf-8")
        edits["edit"].append(_taken(views.fresh))
        new = path.with_name(f"New{number}{path.suffix}")
        new.write_text("\n".join(lines), "utf-8")
        edits["add"].append(_taken(views.fresh))
        new.unlink()
        edits["remove"].append(_taken(views.fresh))
    row: dict[str, Any] = {}
    for what, times in edits.items():
        row |= _costs(f"{what} one file", times)
    for held in views.held.values():
        if held.ready:
            row |= _asked(held.view, place / "tree", choose.choices(paths, k=QUERIES))
    row["publish s"] = round(_milliseconds(views.publish) / 1e3, 2)
    behind = dict(views.fresh().behind)
    views.close()
    return row | {"peak MB": _peak(), "behind": behind}


def _asked(view: Any, tree: Path, paths: Sequence[str]) -> dict[str, float]:
    """p50 and p95 of searches for lines of files, and of definitions of their symbols."""
    row: dict[str, float] = {}
    times: list[float] = []
    if hasattr(view, "search"):
        for path in paths:
            lines = (tree / path).read_text("utf-8").split("\n")
            query = max(lines[len(lines) // 2 :], key=len)
            times.append(_milliseconds(lambda query=query: view.search(query, limit=10)))
        row |= _spread(f"{view.name} search", times)
    if hasattr(view, "symbols_in"):
        kinds: dict[str, list[float]] = {"definition": [], "references": []}
        for path in paths:
            symbols = view.symbols_in(path)
            for symbol in symbols[-1:]:
                place = (path, symbol.line, symbol.location.column)
                kinds["definition"].append(_milliseconds(lambda at=place: view.definition(*at)))
                kinds["references"].append(_milliseconds(lambda s=symbol: view.references(s)))
        for kind, taken in kinds.items():
            row |= _spread(f"{view.name} {kind}", taken)
    return row


def _spread(name: str, times: list[float]) -> dict[str, float]:
    if not times:
        return {}
    return {
        f"{name} ms": round(median(times), 2),
        f"{name} p95 ms": round(percentile(times, 95), 2),
    }


class Taken(NamedTuple):
    """Milliseconds by the clock, and of this process's processor time (git's own is not in it)."""

    wall: float
    spent: float


def _taken(work: Callable[[], object]) -> Taken:
    wall, spent = time.perf_counter(), time.process_time()
    work()
    return Taken((time.perf_counter() - wall) * 1e3, (time.process_time() - spent) * 1e3)


def _costs(what: str, taken: Sequence[Taken]) -> dict[str, float]:
    walls = [item.wall for item in taken]
    return {
        f"{what} ms": round(median(walls), 1),
        f"{what} CPU ms": round(median(item.spent for item in taken), 1),
        f"{what} p95 ms": round(percentile(walls, 95), 1),
        f"{what} max ms": round(max(walls), 1),
    }


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if sys.platform == "darwin" else 1024)


RUNS: dict[str, Callable[[Path, Sequence[str] | None], dict[str, Any]]] = {
    "cold": cold,
    "start": start,
    "session": session,
}


if __name__ == "__main__":
    sys.exit(main())
