"""Where is it to be changed? `python -m aoci_agent.evals.retrieval CASES.jsonl --repos DIR [--plan P]...`

CASES are JSON lines: instance_id, repo (owner/name), base_commit, query, gold_files, gold_functions
(`path:Class.method`), as of SWE-bench; or mined ones with base, commit and gold_symbols. DIR is a folder
with clones of the repositories, called owner__name, owner+name, owner/name or name; bare ones and
mirrors under another owner (x+owner__name) are found too. Commits are read from git; nothing is
checked out.

Candidates are the files that are code and no tests (`--with-tests`, `--with-prose` let those in).
Acc@k: all gold files are among the first k, of functions likewise; recall@k: their share. Intervals
are Wilson's at 95%. Views are built for the first commit of a repository and brought from commit to
commit by their own updates. Seconds are of the processor; bytes are of the views of the last commit.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from aoci_agent.base.errors import ForModel, ForUser
from aoci_agent.evals.localization import (
    CUTS,
    FUNCTION_CUTS,
    Case,
    Ranks,
    cases_of,
    interval,
    share,
    stratified,
)
from aoci_agent.evals.retrieval_run import Options, Outcome, measure
from aoci_agent.views.retrieve.plans import PLANS, plan_named

HALVES = ("all", "dev", "held-out")
RECALLS = (5, 10)
DEFAULT = ("lexical", "dense", "fusion", "combined")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table by plan; exit 1 when a repository cannot be read."""
    options = _parser().parse_args(arguments)
    try:
        cases = cases_of(options.cases)
        plans = tuple(dict.fromkeys(options.plan or DEFAULT))
        for plan in plans:
            plan_named(plan)
        if options.repo:
            cases = [case for case in cases if case.repository in options.repo]
        if options.half != "all":
            cases = [case for case in cases if case.held_out == (options.half == "held-out")]
        if options.limit:
            cases = stratified(cases, options.limit)
        wanted = Options(options.repos, plans, options.with_tests, options.with_prose)
        outcomes = _run(wanted, cases, options.jobs)
    except (ForUser, ForModel) as error:
        hint = error.hint if isinstance(error, ForUser) else ""
        print(f"{getattr(error, 'message', error)}\n{hint}".strip(), file=sys.stderr)
        return 1
    for plan in plans:
        _tell(plan, [rank for outcome in outcomes for rank in outcome.ranks[plan]])
    _tell_costs(outcomes)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m aoci_agent.evals.retrieval",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("cases", type=Path, metavar="CASES.jsonl")
    parser.add_argument("--repos", type=Path, required=True, metavar="DIR", help="clones")
    told = f"a plan, again for more: {', '.join(PLANS)}"
    parser.add_argument("--plan", action="append", metavar="P", help=told)
    told = "so many cases, evenly over the repositories"
    parser.add_argument("--limit", type=int, default=0, metavar="N", help=told)
    parser.add_argument("--repo", action="append", metavar="OWNER/NAME", help="only these")
    told = "a fixed half, chosen by a hash of the case's id"
    parser.add_argument("--half", choices=HALVES, default="all", help=told)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="repositories at a time")
    parser.add_argument("--with-tests", action="store_true", help="tests may be answers")
    parser.add_argument("--with-prose", action="store_true", help="what is no code may be answers")
    return parser


def _run(options: Options, cases: Iterable[Case], jobs: int) -> list[Outcome]:
    by_repository: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_repository[case.repository].append(case)
    groups = sorted(by_repository.values(), key=len, reverse=True)
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(max(jobs, 1)) as pool:
        made = map(partial(measure, options), groups)
        if jobs > 1:
            made = pool.map(partial(measure, options), groups)
        for group, outcome in zip(groups, made, strict=True):
            print(f"{group[0].repository}: {len(group)} cases", file=sys.stderr, flush=True)
            outcomes.append(outcome)
    return outcomes


def _tell(plan: str, ranks: list[Ranks]) -> None:
    halves = (
        ("all", ranks),
        ("dev", [rank for rank in ranks if not rank.case.held_out]),
        ("held-out", [rank for rank in ranks if rank.case.held_out]),
    )
    print(f"\n{plan}: {len(ranks)} cases")
    cuts = "".join(f"{f'file Acc@{cut}':>18}" for cut in CUTS)
    print(f"  {'':10}{'n':>5}{cuts}" + "".join(f"{f'func Acc@{k}':>18}" for k in FUNCTION_CUTS))
    for name, some in halves:
        functions = [rank for rank in some if rank.functions]
        cells = [share(some, partial(Ranks.all_files, cut=cut)) for cut in CUTS]
        cells += [share(functions, partial(Ranks.all_functions, cut=cut)) for cut in FUNCTION_CUTS]
        print(f"  {name:10}{len(some):>5}" + "".join(f"{cell:>18}" for cell in cells))
    for name, some in _by_files(ranks):
        cells = [_mean(some, cut) for cut in RECALLS]
        told = "".join(f"{f'recall@{k}':>12}{c:>16}" for k, c in zip(RECALLS, cells, strict=True))
        print(f"  {name:10}{len(some):>5}{told}")
    seconds = sorted(rank.seconds for rank in ranks)
    if seconds:
        middle, late = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.95)]
        print(f"  a query: {1000 * middle:.0f} ms, p95 {1000 * late:.0f} ms")


def _by_files(ranks: Sequence[Ranks]) -> Iterable[tuple[str, list[Ranks]]]:
    yield "one file", [rank for rank in ranks if len(rank.files) == 1]
    yield "many files", [rank for rank in ranks if len(rank.files) > 1]
    languages = sorted({rank.case.language for rank in ranks} - {""})
    for language in languages:
        yield language, [rank for rank in ranks if rank.case.language == language]


def _mean(ranks: Sequence[Ranks], cut: int) -> str:
    return interval(sum(rank.recall(cut) for rank in ranks), len(ranks)) if ranks else "-"


def _tell_costs(outcomes: Sequence[Outcome]) -> None:
    updates = sum(outcome.costs.updates for outcome in outcomes)
    names = dict.fromkeys(name for outcome in outcomes for name in outcome.costs.size)
    for name in names:
        building = sum(outcome.costs.building.get(name, 0) for outcome in outcomes)
        updating = sum(outcome.costs.updating.get(name, 0) for outcome in outcomes)
        size = sum(outcome.costs.size[name] for outcome in outcomes)
        print(
            f"\n{name}: {len(outcomes)} builds {building:.1f} s, {updates} updates"
            f" {updating:.1f} s, {size / 1e6:.1f} MB"
        )


if __name__ == "__main__":
    sys.exit(main())
