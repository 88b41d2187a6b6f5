"""Are the import edges true? `python -m aoci_agent.evals.index_edges REPO... [--language L] [--sample N]`.

For each repository and language, edges (file, file, names) are drawn from the index and put to a tool
that knows nothing of it: jedi, the TypeScript compiler, go/types, javac; for Rust a second reading,
which is no compiler. Tools are installed into a folder of their own (`--tools`), never into the product's
environment; a language without its tool is told as such and not as passed. Nothing of a repository is run.
Precision is agreed / decided, with a Wilson 95 % interval; `through` (the import leads to the file, the
name is defined further on) counts against it. Recall is the share of the tool's edges that ours have.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from aoci_agent.base.errors import ForUser
from aoci_agent.evals.edges.graph import Graph, derive, graphs
from aoci_agent.evals.edges.judge import Judged, judge
from aoci_agent.evals.edges.model import Finding, NoOracle, Oracle, Share, Verdict

SAMPLE = 200
SHOWN = 12
Choose = Callable[[str], Oracle]  # language -> its oracle; raises NoOracle


def main(arguments: Sequence[str] | None = None, choose: Choose | None = None) -> int:
    """Print a table and what is wrong. Exit 1 when a repository cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.index_edges")
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPO")
    parser.add_argument(
        "--language", action="append", metavar="L", help="only this one; repeatable"
    )
    parser.add_argument("--sample", type=int, default=SAMPLE, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--tools", type=Path, metavar="DIR", help="where the tools are installed")
    parser.add_argument("--all", action="store_true", help="every error, not the first few")
    options = parser.parse_args(arguments)
    shown: int = sys.maxsize if options.all else SHOWN
    chosen = choose or _installed(options.tools)
    rows: list[tuple[str, Judged]] = []
    try:
        for repository in options.repositories:
            for found in _judged(repository.resolve(), options, chosen):
                rows.append((repository.resolve().name, found))
                print(report(*rows[-1], shown), flush=True)
    except ForUser as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return 1
    print(table(rows))
    return 0


def _installed(tools: Path | None) -> Choose:
    import os

    from aoci_agent.base.places import Places
    from aoci_agent.evals.edges.oracles import program

    folder = (tools or Places(os.environ).cache / "eval-tools").resolve()
    return lambda language: program(language, folder)


def _judged(root: Path, options: argparse.Namespace, choose: Choose) -> list[Judged]:
    wanted: list[str] = options.language or []
    found: list[Judged] = []
    for graph in graphs(derive(root)):
        if wanted and graph.language not in wanted:
            continue
        found.append(_one(graph, root, options, choose))
    return found


def _one(graph: Graph, root: Path, options: argparse.Namespace, choose: Choose) -> Judged:
    try:
        oracle = choose(graph.language)
        return judge(graph, oracle, str(root), options.sample, options.seed)
    except NoOracle as error:
        return Judged(graph, f"no oracle: {error}")


def report(repository: str, judged: Judged, shown: int = SHOWN) -> str:
    """The figures of one repository and language, and the errors behind them."""
    graph = judged.graph
    lines = [
        f"{repository}, {graph.language}: {len(graph.files)} files, {len(graph.edges)} edges",
        f"  oracle     {judged.title}",
    ]
    if judged.findings:
        counts = ", ".join(f"{len(judged.of(verdict))} {verdict}" for verdict in Verdict)
        lines += [
            f"  sampled    {len(judged.findings)}: {counts}",
            f"  precision  {judged.precision()}",
            f"  in R       {judged.precision(shown=True)}",
            f"  names      {judged.names}",
            f"  recall     {judged.recalled}",
        ]
    lines.append(f"  imports    {graph.resolved} of the local ones lead to a file")
    for verdict in (Verdict.WRONG, Verdict.THROUGH, Verdict.UNDECIDED):
        lines += _listed(verdict, [_told(item) for item in judged.of(verdict)], shown)
    lost = [f"{e.source} -> {e.target} ({', '.join(e.names[:4])})" for e in judged.lost]
    lines += _listed("not in ours", lost, shown)
    return "\n".join([*lines, *_listed("leads nowhere", list(graph.missing), shown)])


def _listed(title: str, items: list[str], shown: int) -> list[str]:
    more = [f"    and {len(items) - shown} more"] if len(items) > shown else []
    return [f"  {title}:", *(f"    {item}" for item in items[:shown]), *more] if items else []


def _told(finding: Finding) -> str:
    edge = finding.edge
    theirs = ", ".join(f"{n} in {target or 'no file here'}" for n, target in finding.theirs[:4])
    names = ", ".join(edge.names[:4]) or "*"
    return f"{edge.source}: {names}; ours {edge.target}; theirs {theirs or 'no such use'}"


HEAD = ("repository", "language", "edges", "sampled", "agreed", "through", "wrong", "undecided")
FIGURES = ("precision", "in R", "recall", "imports")


def table(rows: Sequence[tuple[str, Judged]]) -> str:
    """One line for each repository and language."""
    cells = [[*HEAD, *FIGURES], *(_row(*row) for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(cells[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def _row(repository: str, judged: Judged) -> list[str]:
    sampled = len(judged.findings)
    counts = [str(len(judged.of(verdict))) if sampled else "-" for verdict in Verdict]
    figures: list[Share] = [judged.precision(), judged.precision(shown=True), judged.recalled]
    none = "no oracle" if judged.title.startswith("no oracle") else "-"
    told = [str(figure) for figure in figures] if sampled else [none, "-", "-"]
    edges = str(len(judged.graph.edges))
    resolved = judged.graph.resolved
    share = f"{resolved.hits}/{resolved.count}" if resolved.count else "-"
    return [repository, judged.graph.language, edges, str(sampled), *counts, *told, share]


if __name__ == "__main__":
    sys.exit(main())
