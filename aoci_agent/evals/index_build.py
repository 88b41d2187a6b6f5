"""Measure the index: `python -m aoci_agent.evals.index_build PATH...`. A copy of each folder is used.

For each: a cold build, a build with nothing to do, and an update after one file changed, each in a
process of its own; then what a check finds. Time counts from after the start of the interpreter.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from aoci_agent.base.errors import ForUser

COLUMNS = ("repository", "run", "files", "lines", "entries", "coverage", "tokens", "tok/entry")
QUALITY = ("F real", "R found", "errors", "warnings")
COSTS = ("wall s", "CPU s", "CPU/100k", "peak MB")
WIDTH = 10


def measure(path: Path, cache: Path) -> dict[str, Any]:
    """Build the index of one folder in this process. The folder is written to."""
    from aoci_agent.aoci.store import IndexStore
    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository

    wall, spent = time.monotonic(), time.process_time()
    with Workspace(path) as workspace:
        store = IndexStore(workspace, Repository.find(workspace.root), cache)
        report = store.build()
        wall, spent = time.monotonic() - wall, time.process_time() - spent
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # before counting for the table
        return {
            "files": report.indexable,
            "entries": report.entries,
            "tokens": report.tokens,
            "wall s": round(wall, 2),
            "CPU s": round(spent, 2),
            "peak MB": peak // (1024 * 1024 if sys.platform == "darwin" else 1024),
        } | _quality(store, workspace, report.indexable)


def _quality(store: Any, workspace: Any, indexable: int) -> dict[str, Any]:
    from aoci_agent.aoci.check.finding import Severity
    from aoci_agent.aoci.check.run import check
    from aoci_agent.aoci.stats import stats

    figures = stats(store.current, indexable)
    derived = store.present().derived
    links = derived.around.links
    found = sum(map(len, links.edges.values()))
    missing = sum(map(len, links.missing.values()))
    report = check(store, workspace)
    return {
        "lines": sum(facts.lines for facts in derived.world.values()),
        "coverage": f"{figures.coverage:.0%}",
        "tok/entry": f"{figures.per_entry:.1f}",
        "F real": f"{figures.documented / max(figures.entries, 1):.0%}",
        "R found": f"{found / max(found + missing, 1):.1%}",
        "errors": report.count(Severity.ERROR),
        "warnings": report.count(Severity.WARN),
        "elements": figures.elements,
        "findings": [
            f"{f.check} {f.path} {f.message}"
            for f in report.findings[:5]
            if f.severity is Severity.ERROR
        ],
    }


def _in_child(path: Path, cache: Path) -> dict[str, Any]:
    """The same in a fresh interpreter, so that time and memory are this build's alone."""
    command = [sys.executable, "-m", "aoci_agent.evals.index_build"]
    command += ["--child", str(cache), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ForUser(f"building {path} failed", done.stderr.strip()[-2000:])
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Print three rows per repository. Exit 1 when a build fails or a check finds an error."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.index_build")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--child", type=Path, metavar="CACHE", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    paths: list[Path] = options.paths
    if options.child is not None:
        print(json.dumps(measure(paths[0], options.child)))
        return 0
    print(" ".join(f"{name:>{WIDTH}}" for name in (*COLUMNS, *QUALITY, *COSTS)))
    try:
        errors = sum(_measured(path) for path in paths)
    except ForUser as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return 1
    return 1 if errors else 0


def _measured(path: Path) -> int:
    """Print the rows of one folder; returns the errors its checks found."""
    errors, elements = 0, dict[str, int]()
    with tempfile.TemporaryDirectory(prefix="aoci-measure-") as folder:
        tree, cache = Path(folder) / path.resolve().name, Path(folder) / "cache"
        shutil.copytree(path, tree, symlinks=True, ignore=shutil.ignore_patterns(".aoci-agent"))
        for run in ("cold", "no-op", "one file"):
            if run == "one file":
                _touch(tree)
            row: dict[str, Any] = _in_child(tree, cache) | {
                "run": run,
                "repository": tree.name[:WIDTH],
            }
            spent, lines = float(row["CPU s"]), int(row["lines"])
            row["CPU/100k"] = round(spent * 100_000 / max(lines, 1), 2)
            names = (*COLUMNS, *QUALITY, *COSTS)
            print(" ".join(f"{row[name]!s:>{WIDTH}}" for name in names), flush=True)
            errors += int(row["errors"])
            for told in row["findings"]:
                print(f"  error: {told}")
            elements = cast("dict[str, int]", row["elements"])
        print("  by element:", ", ".join(f"{name} {count}" for name, count in elements.items()))
    return errors


def _touch(tree: Path) -> None:
    """Make one source file longer: the one in the middle of the index."""
    from aoci_agent.aoci.facts.languages import language_of
    from aoci_agent.aoci.parse import parse

    index = parse((tree / ".aoci-agent" / "index.aoci").read_text("utf-8"))
    sources = [entry.path for entry in index.entries if language_of(entry.path) is not None]
    source = tree / sources[len(sources) // 2]
    source.write_bytes(source.read_bytes() + b"\n" * 300)


if __name__ == "__main__":
    sys.exit(main())
