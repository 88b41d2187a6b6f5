"""Does the graph answer as a language server does? `python -m aoci_agent.evals.nav REPO... --requests 1000`.

Requests (definitions at random uses of names, references of random symbols) are drawn from the text alone,
evenly over the languages that have an installed server, and put to both. Answers are compared as sets of
(path, first line) inside the repository. The servers read the repository first, which is not timed; what
is timed is one question as a caller sees it. Servers are started: run it only on repositories you trust.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path

from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.evals.nav_replay import Replayed, replay
from aoci_agent.evals.nav_report import examples, tables
from aoci_agent.evals.nav_sample import Request, import_lines, sample
from aoci_agent.views.graph.view import GraphView
from aoci_agent.views.navigate.answer import NoAnswer
from aoci_agent.views.navigate.health import examine
from aoci_agent.views.navigate.live import LIMIT, LiveNavigator
from aoci_agent.views.navigate.servers import SERVERS, Row, group_of
from aoci_agent.views.navigate.static import StaticNavigator
from aoci_agent.views.source import WorkTree

FEWEST = 5  # files of a language, below which a repository is not asked about it
READING = 240.0  # seconds a server may take to read the repository
RECOVERY = 60.0  # seconds it may take over an answer that was given up
GROUPS = ("python", "script", "go", "rust", "c")

Labelled = list[tuple[str, Replayed]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables. Exit 1 when a repository cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.nav")
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--requests", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument(
        "--server", action="append", metavar="NAME", help="only these servers; repeatable"
    )
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of one live answer")
    parser.add_argument(
        "--show", type=int, default=0, metavar="K", help="disagreements of each sort"
    )
    options = parser.parse_args(arguments)
    wanted: list[str] = options.server or []
    rows = _working([row for row in SERVERS if not wanted or row.name in wanted])
    done: Labelled = []
    try:
        trees = [_tree(repository) for repository in options.repositories]
        shares = _shares([tree for _, tree in trees], rows, options.requests)
        for (root, tree), share in zip(trees, shares, strict=True):
            done += _one(root, tree, share, rows, options)
    except ForUser as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return 1
    if options.show:
        print(examples(done, options.show) + "\n")
    print(tables(done))
    return 0


def _working(rows: Sequence[Row]) -> list[Row]:
    """The servers that are installed and start, of each language the first."""
    working: dict[str, Row] = {}
    for row, health in zip(rows, examine(rows), strict=True):
        if health.program:
            state = health.version if health.works else f"does not work: {health.why}"
            print(f"{row.name} {state}", flush=True)
        if health.works:
            working.setdefault(row.group, row)
    return list(working.values())


def _tree(folder: Path) -> tuple[Path, WorkTree]:
    root = folder.resolve()
    tree = WorkTree(Workspace(root), Repository.find(root))
    tree.look()
    return root, tree


def _shares(trees: Sequence[WorkTree], rows: Sequence[Row], requests: int) -> list[dict[str, int]]:
    """For each repository, how many requests of either sort each of its languages gets."""
    known = {row.group for row in rows}
    counts = [
        {group: sum(group_of(path) == group for path in tree.files) for group in GROUPS}
        for tree in trees
    ]
    has = [{g for g, count in one.items() if count >= FEWEST and g in known} for one in counts]
    groups = {group for one in has for group in one}
    return [
        {
            group: max(1, round(requests / 2 / len(groups) / sum(group in one for one in has)))
            for group in GROUPS
            if group in mine
        }
        for mine in has
    ]


def _one(
    root: Path,
    tree: WorkTree,
    share: dict[str, int],
    rows: Sequence[Row],
    options: argparse.Namespace,
) -> Labelled:
    """Every language of one repository, one server at a time."""
    begun = time.perf_counter()
    graph = GraphView()
    graph.build(tree)
    print(
        f"{root.name}: graph of {len(tree.files)} files in {time.perf_counter() - begun:.1f} s",
        flush=True,
    )
    static = StaticNavigator(graph, tree.read)
    done: Labelled = []
    for group, count in share.items():
        requests = sample(tree, [group], count, options.seed)
        with tempfile.TemporaryDirectory(prefix="aoci-agent-nav-") as scratch:
            live = LiveNavigator(
                root,
                Path(scratch).resolve(),
                lambda: list(tree.files),
                trusted=True,
                rows=rows,
                limit=options.limit,
            )
            try:
                name = _read_all(live, requests)
                imports = lru_cache(maxsize=None)(partial(import_lines, tree))
                recover = partial(_recovered, live, requests[0])
                print(f"{root.name}: {len(requests)} requests to {name}", flush=True)
                done += [
                    (f"{group} ({name})", item)
                    for item in replay(requests, static, live, imports, recover)
                ]
            except NoAnswer as error:
                print(f"{root.name}: {group} left out: {error}", flush=True)
            finally:
                live.close()
    return done


def _recovered(live: LiveNavigator, request: Request) -> None:
    """Wait until the server answers again, so that one slow question does not cost the next ones."""
    end = time.monotonic() + RECOVERY
    while time.monotonic() < end:
        try:
            live.hover(request.path, request.line, request.column)
        except NoAnswer:
            time.sleep(0.1)
        else:
            return


def _read_all(live: LiveNavigator, requests: Sequence[Request]) -> str:
    """Let the server read the repository; its name. NoAnswer where there is none."""
    begun = time.monotonic()
    first = requests[0]
    live.warm(first.path, READING)
    while time.monotonic() - begun < READING:
        try:
            answer = live.hover(first.path, first.line, first.column)
        except NoAnswer:
            answer = None
        if answer is not None and "still reading" not in answer.note:
            break
        time.sleep(0.5)
    return next(status.name for status in live.status() if status.state == "ready")


if __name__ == "__main__":
    sys.exit(main())
