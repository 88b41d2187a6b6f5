"""Side by side with codenib: `python -m aoci_agent.evals.beside REPO... --peer PATH/TO/codenib`.

Both work on a copy of each repository, one after the other in the same minute, each with an empty home.
Costs are of whole processes: processor seconds (children included), seconds by the clock, and the
largest resident set. A query is asked of a process that is already running: theirs through MCP, ours
as a session asks, with the check that no file has changed. The peer needs its graph provider
(`codenib toolchain install`) in `--peer-home`; that is not counted.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from aoci_agent.evals.beside_peer import PeerServer

QUERIES = (
    "redirect response headers",
    "session cookie",
    "parse url query string",
    "timeout configuration",
    "json encoder",
    "stream file upload",
    "register a route",
    "authentication",
    "test client",
    "exception raised when connecting fails",
)
ROUNDS = 3
OURS = (sys.executable, "-m", "aoci_agent")


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one process: seconds of processor and clock, and the largest resident set in MB."""

    cpu: float
    wall: float
    peak: float

    def __str__(self) -> str:
        return f"{self.cpu:8.2f} {self.wall:8.2f} {self.peak:6.0f}"


def run(command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Cost:
    """Run to the end. Raises RuntimeError with the output when it fails."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        child = subprocess.Popen(
            command, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            output.seek(0)
            told = output.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}\n{told}")
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / unit)


@dataclass(frozen=True)
class Side:
    """One of the two programs on its own copy of a repository."""

    name: str
    tree: Path
    home: Path
    env: Mapping[str, str]
    words: Callable[[bool], list[str]]  # the command that builds the lexical view; anew or not
    graph: Callable[[bool], list[str]]

    def rows(self) -> dict[str, Cost]:
        """What building and keeping costs; the edit is one line more in one file."""
        tree = self.tree
        found = {"lexical, cold": run(self.words(True), tree, self.env)}
        found["graph, cold"] = run(self.graph(True), tree, self.env)
        found["both, nothing to do"] = run(self.graph(False), tree, self.env)
        _edit(tree)
        found["lexical, one line more"] = run(self.words(False), tree, self.env)
        _edit(tree)
        found["both, one line more"] = run(self.graph(False), tree, self.env)
        return found

    @property
    def disk(self) -> float:
        """MB kept."""
        files = (path for path in self.home.rglob("*") if path.is_file() and not path.is_symlink())
        return sum(path.stat().st_size for path in files) / 1e6


def _middle(tree: Path) -> Path:
    """The middle one of the Python files."""
    files = sorted(path for path in tree.rglob("*.py") if ".git" not in path.parts)
    return files[len(files) // 2]


def _edit(tree: Path) -> None:
    """One line more in one file."""
    with _middle(tree).open("a", encoding="utf-8") as file:
        file.write(f"\nMEASURED_{time.time_ns()} = 1\n")


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return kept | {"HOME": str(home)}


def _ours(tree: Path, home: Path) -> Side:
    def words(fresh: bool) -> list[str]:  # noqa: FBT001 - one of two ways, by the caller's row
        return [*OURS, "views", "build", "--view", "lexical", *(["--fresh"] if fresh else [])]

    def graph(fresh: bool) -> list[str]:  # noqa: FBT001
        chosen = ["--view", "graph"] if fresh else ["--view", "lexical", "--view", "graph"]
        return [*OURS, "views", "build", *chosen, *(["--fresh"] if fresh else [])]

    return Side("ours", tree, home, _environment(home), words, graph)


def _theirs(tree: Path, home: Path, peer: Path) -> Side:
    env = _environment(home) | {"CODENIB_HOME": str(home)}

    def words(fresh: bool) -> list[str]:  # noqa: FBT001
        return [str(peer), "index", "--view", "bm25", *(["--rebuild"] if fresh else []), "."]

    def graph(fresh: bool) -> list[str]:  # noqa: FBT001
        chosen = ["--view", "symbol_graph"] if fresh else ["--preset", "graph"]
        return [str(peer), "index", *chosen, *(["--rebuild"] if fresh else []), "."]

    return Side("codenib", tree, home, env, words, graph)


class Answers(NamedTuple):
    """Seconds: from start to an answer, of a search when running, and to one after an edit."""

    first: float
    search: float
    edited: float


def _answers_ours(side: Side) -> Answers:
    first = run([*OURS, "search", QUERIES[0], "--plan", "lexical"], side.tree, side.env).wall
    code = [sys.executable, "-m", "aoci_agent.evals.beside_session", str(side.home)]
    done = subprocess.run(
        [*code, str(_middle(side.tree)), *QUERIES],
        cwd=side.tree,
        env=dict(side.env),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])
    return Answers(first, *map(float, done.stdout.split()))


def _answers_theirs(side: Side, peer: Path) -> Answers:
    started = time.perf_counter()
    with PeerServer(peer, side.tree, side.env) as server:
        server.search(QUERIES[0])
        first = time.perf_counter() - started
        taken: list[float] = []
        for query in QUERIES * ROUNDS:
            began = time.perf_counter()
            server.search(query)
            taken.append(time.perf_counter() - began)
    _edit(side.tree)  # its server answers again after the views are built anew and it is restarted
    began = time.perf_counter()
    run(side.graph(False), side.tree, side.env)
    with PeerServer(peer, side.tree, side.env) as server:
        server.search(QUERIES[0])
    return Answers(first, statistics.median(taken), time.perf_counter() - began)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table per repository."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.beside", description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--peer", type=Path, required=True, help="the codenib executable")
    parser.add_argument("--peer-home", type=Path, help="a CODENIB_HOME with its toolchains")
    options = parser.parse_args(arguments)
    for repository in options.repositories:
        with tempfile.TemporaryDirectory(prefix="aoci-beside-") as folder:
            _compare(repository, Path(folder), options.peer.absolute(), options.peer_home)
    return 0


def _compare(repository: Path, folder: Path, peer: Path, toolchains: Path | None) -> None:
    sides: list[Side] = []
    for name in ("ours", "theirs"):
        tree, home = folder / name / repository.name, folder / name / "home"
        shutil.copytree(repository, tree, symlinks=True)
        home.mkdir()
        sides.append(_ours(tree, home) if name == "ours" else _theirs(tree, home, peer))
    if toolchains is not None:
        (sides[1].home / "toolchains").symlink_to(toolchains.absolute() / "toolchains")
    ours, theirs = (side.rows() for side in sides)
    print(f"{repository.name}: CPU s, wall s, peak MB{'':<6}{'ours':>24}{'codenib':>25}{'CPU':>8}")
    for row, cost in ours.items():
        times = theirs[row].cpu / cost.cpu if cost.cpu else 0.0
        print(f"  {row:<28} {cost!s:>24} {theirs[row]!s:>24} {times:6.1f}x")
    mine, peers = _answers_ours(sides[0]), _answers_theirs(sides[1], peer)
    for told, one, two in (
        ("start to first answer, s", mine.first, peers.first),
        ("a search when running, ms", 1000 * mine.search, 1000 * peers.search),
        ("one line more, then asked, s", mine.edited, peers.edited),
    ):
        print(f"  {told:<28} {one:>24.3f} {two:>24.3f} {two / one:6.0f}x")
    print(f"  {'kept on disk, MB':<28} {sides[0].disk:>24.1f} {sides[1].disk:>24.1f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
