"""Measure index builds: `python -m aoci_agent.evals.index_build PATH...`, cold and again, a process each."""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from aoci_agent.base.errors import ForUser

COLUMNS = ("repository", "run", "files", "entries", "coverage", "tokens", "tok/entry", "F real")
COSTS = ("wall s", "CPU s", "peak MB", "findings")


def measure(path: Path, cache: Path) -> dict[str, Any]:
    """Build the index of one folder in this process. The repository itself is written to."""
    from aoci_agent.aoci.stats import stats
    from aoci_agent.aoci.store import IndexStore
    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository

    wall, spent = time.monotonic(), time.process_time()
    with Workspace(path) as workspace:
        store = IndexStore(workspace, Repository.find(workspace.root), cache)
        report = store.build()
        wall, spent = time.monotonic() - wall, time.process_time() - spent
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # before counting for the table
        figures = stats(store.current, report.indexable)
    return {
        "repository": path.name,
        "files": report.indexable,
        "entries": report.entries,
        "coverage": f"{figures.coverage:.0%}",
        "tokens": report.tokens,
        "tok/entry": f"{figures.per_entry:.1f}",
        "F real": f"{figures.documented / max(report.entries, 1):.0%}",
        "elements": figures.elements,
        "wall s": f"{wall:.2f}",
        "CPU s": f"{spent:.2f}",
        "peak MB": peak // (1024 * 1024 if sys.platform == "darwin" else 1024),
        "findings": len(report.findings),
    }


def _in_child(path: Path, cache: Path) -> dict[str, Any]:
    """The same in a fresh interpreter, so that time and memory are this build's alone."""
    command = [
        sys.executable,
        "-m",
        "aoci_agent.evals.index_build",
        "--child",
        str(cache),
        str(path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ForUser(f"building {path} failed", done.stderr.strip()[-2000:])
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one row per repository and run. Exit 1 when a build fails."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.index_build")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--child", type=Path, metavar="CACHE", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    paths: list[Path] = options.paths
    if options.child is not None:
        print(json.dumps(measure(paths[0], options.child)))
        return 0
    print(" ".join(f"{name:>10}" for name in (*COLUMNS, *COSTS)))
    try:
        for path in paths:
            _both(path)
    except ForUser as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return 1
    return 0


def _both(path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="aoci-measure-") as cache:
        for run in ("cold", "no-op"):
            row = _in_child(path, Path(cache)) | {"run": run}
            print(" ".join(f"{row[name]!s:>10}" for name in (*COLUMNS, *COSTS)), flush=True)
        elements = cast("dict[str, int]", row["elements"])
        print("  by element:", ", ".join(f"{name} {count}" for name, count in elements.items()))


if __name__ == "__main__":
    sys.exit(main())
