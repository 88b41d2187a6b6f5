"""Measure the lexical view: `python -m aoci_agent.evals.lexical PATH... [--units N]`.

For each folder, in a process of its own: building, loading, searching and updating; then the same
with rank_bm25 on the same words where that is small enough, and whether all scores agree. `--units`
adds copies of the files with other names in them, until there are so many blocks. Folders are only
read. Milliseconds are by the clock, seconds are of the processor.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isclose
from pathlib import Path
from typing import Any, cast

from aoci_agent.base.errors import ForUser
from aoci_agent.evals.lexical_cases import Copied, Timed, percentile, queries
from aoci_agent.views.lexical.deriving import derive, units_of
from aoci_agent.views.lexical.settings import LexicalSettings
from aoci_agent.views.lexical.tokens import words_of
from aoci_agent.views.lexical.view import LexicalView
from aoci_agent.views.model import Delta

SMALL = 4_000_000  # words of blocks up to which rank_bm25 is tried too
OTHER_QUERIES = 20  # of each kind, for rank_bm25


def measure(path: Path, units: int) -> dict[str, Any]:
    """Every figure of one folder."""
    cut = Timed(units_of)
    source = Copied.of(path, units)
    view = LexicalView(cut=cut)
    spent = time.process_time()
    view.build(source)
    spent = time.process_time() - spent
    row: dict[str, Any] = {
        "documents": view.counts["files"] + view.counts["blocks"],
        "words": view.counts["words"],
        "source MB": round(source.size / 1e6, 1),
        "cut s": round(cut.seconds, 2),
        "build s": round(spent - cut.seconds, 2),
    }
    with tempfile.TemporaryDirectory(prefix="aoci-measure-") as folder:
        row["save ms"] = _milliseconds(lambda: view.save(Path(folder)))
        row["disk MB"] = round(sum(f.stat().st_size for f in Path(folder).iterdir()) / 1e6, 1)
        row["load ms"] = _milliseconds(lambda: view.load(Path(folder)))
        asked = queries(source)
        row["first ms"] = _milliseconds(lambda: view.search(asked["symbol"][0]))
        for kind, texts in asked.items():
            times = [_milliseconds(lambda text=text: view.search(text)) for text in texts]
            row[f"{kind} p50"], row[f"{kind} p95"] = percentile(times, 50), percentile(times, 95)
        row |= _update(view, source, asked["symbol"][0])
        row["peak MB"] = _peak()
    if view.counts["words"] <= SMALL:
        row["rank_bm25"] = _judged(view, source, asked)
    return row


def _update(view: LexicalView, source: Copied, query: str) -> dict[str, float]:
    """One file longer by a line: the update, the next search, and the merge a save would make."""
    path = source.middle
    source.contents[path] += b"\nadded_by_the_measure = 1\n"
    return {
        "update ms": _milliseconds(lambda: view.apply(source, Delta(changed=(path,)))),
        "next ms": _milliseconds(lambda: view.search(query)),
        "merge ms": _milliseconds(view.digest),
    }


def _judged(view: LexicalView, source: Copied, asked: Mapping[str, list[str]]) -> dict[str, Any]:
    """rank_bm25 on the words of the blocks, and how far its scores are from ours."""
    from rank_bm25 import BM25Plus

    settings = LexicalSettings()
    lists: list[list[str]] = []
    places: list[tuple[str, int, int]] = []
    for path in source.files:
        for one in derive(path, units_of(path, source.read(path)), settings).blocks.documents:
            lists.append([word for word, times in one.words.items() for _ in range(times)])
            places.append((path, one.start, one.end))
    spent = time.process_time()
    other = cast("Any", BM25Plus)(lists, k1=settings.k1, b=settings.b, delta=0)
    row: dict[str, Any] = {"build s": round(time.process_time() - spent, 2)}
    apart, same, count = 0.0, 0, 0
    for kind, texts in asked.items():
        times: list[float] = []
        for text in texts[:OTHER_QUERIES]:
            start = time.perf_counter()
            scores = other.get_scores(words_of(text)).tolist()
            times.append(round((time.perf_counter() - start) * 1000, 2))
            ours = {(s.path, s.start, s.end): s.score for s in view.search(text, limit=len(lists))}
            theirs = dict(zip(places, scores, strict=True))
            apart = max([apart, *(abs(ours.get(p, 0.0) - s) for p, s in theirs.items())])
            # Ours are in order; which of two equal ones comes first is not rank_bm25's to say.
            best = sorted((s for s in theirs.values() if s > 0), reverse=True)[:10]
            found = [theirs[place] for place in list(ours)[:10]]
            alike = len(best) == len(found) and all(map(isclose, best, found))
            same, count = same + alike, count + 1
        row[f"{kind} p50"] = percentile(times, 50)
    return row | {"furthest apart": apart, "same first ten": f"{same}/{count}"}


def _milliseconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return round((time.perf_counter() - start) * 1000, 2)


def _peak() -> int:
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def _in_child(path: Path, units: int) -> dict[str, Any]:
    """The same in a fresh interpreter, so that the memory is this folder's alone."""
    command = [sys.executable, "-m", "aoci_agent.evals.lexical", "--child", str(path)]
    command += ["--units", str(units)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ForUser(f"measuring {path} failed", done.stderr.strip()[-2000:])
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _shown(row: Mapping[str, Any], other: Mapping[str, Any]) -> Iterable[str]:
    for name, value in row.items():
        yield f"  {name:<16}{value!s:>12}{other.get(name, '')!s:>12}"
    for name in sorted(other.keys() - row.keys()):
        yield f"  {name:<16}{'':>12}{other[name]!s:>12}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table per folder. Exit 1 when one fails."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.lexical")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--units", type=int, default=0, metavar="N", help="blocks to copy up to")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    paths: list[Path] = options.paths
    if options.child:
        print(json.dumps(measure(paths[0], options.units)))
        return 0
    try:
        for path in paths:
            row = _in_child(path, options.units)
            other: dict[str, Any] = row.pop("rank_bm25", {})
            print(f"{path.resolve().name:<18}{'ours':>12}{'rank_bm25' if other else '':>12}")
            print("\n".join(_shown(row, other)), flush=True)
    except ForUser as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
