"""What context delivery is worth: `aoci-agent eval policies CASES... --repos DIR [--policy NAME]...`

A session of every policy on every case, each in the repository as it was before the change: real
tools, real prompt, real candidates, real rewriting. Without `--model` a scripted searcher stands in
for the model; it does the same under every policy and sees only what it is sent. Its rules are in
aoci_agent/evals/policies_searcher.py; its usage is that of a simulated prefix cache
(policies_cache.py), its dollars are by `--prices`. With `--model NAME` a live model is asked
instead: that costs money, one session for each case and policy.

CASES are as `eval retrieval` reads them; a case needs a function whose lines are stated or found.
AR@5 (AnswerRecall@5): of an answer's spans in their order those that overlap an earlier one are
dropped and five are kept; the share of the changed blocks they meet. A failed session scores 0.
lines: the share of the answered lines that lie in changed blocks. files@5: the share of the changed
files. Tokens and dollars are means over sessions, of all calls. Differences are to grep-read on
the same cases; intervals are of 95%, by 5,000 draws of whole repositories (seed 0). A policy is
admitted when the lower bound of its difference in AR@5 lies above -0.05.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.models.prices import Price
from aoci_agent.base.errors import ForModel, ForUser
from aoci_agent.evals.commits import GitFolder
from aoci_agent.evals.policies_cases import Checkout, Task, by_repository, tasks_of
from aoci_agent.evals.policies_report import BASELINE, Figures, figures, told
from aoci_agent.evals.policies_run import Opener, Opening, Row, cell
from aoci_agent.evals.policies_searcher import Searcher
from aoci_agent.policies.catalog import policy_named

DEFAULT = ("grep-read", "aoci", "eager", "compact")
PRICES = (
    3.0,
    0.3,
    3.75,
    15.0,
)  # dollars per million tokens: fresh, cache read, cache write, output


class Kept:
    """The rows of a run, in a file where there is one: what is there is not run again."""

    def __init__(self, file: Path | None) -> None:
        self.rows: list[Row] = []
        self._file = file
        if file is not None and file.exists():
            for line in file.read_text("utf-8").splitlines():
                try:
                    self.rows.append(Row.of(json.loads(line)))
                except (ValueError, KeyError, TypeError):
                    continue  # the last line of a run that was killed

    def has(self, case: str, policy: str, model: str) -> bool:
        """Whether this cell was run."""
        cells = ((row.case, row.policy, row.model) for row in self.rows)
        return (case, policy, model) in cells

    def add(self, row: Row) -> None:
        """Keep it, at once."""
        self.rows.append(row)
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row.as_json(), ensure_ascii=False) + "\n")


def main(arguments: Sequence[str], opener: Opener) -> int:
    """Run what is missing and print the figures; exit 1 when cases or repositories cannot be read."""
    options = _checked(_parser(), arguments)
    policies = tuple(
        policy_named(name).name for name in dict.fromkeys((BASELINE, *(options.policy or DEFAULT)))
    )
    try:
        kept = Kept(options.keep)
        tasks = tasks_of(options.cases_files, options.repos, options.cases)
        if not tasks:
            told = f"no case has a clone of its repository in {options.repos} and lines to find"
            raise ForUser(told, "see the help for what a case holds")
        asyncio.run(_run(options, policies, tasks, kept, opener))
    except (ForUser, ForModel) as error:
        hint = error.hint if isinstance(error, ForUser) else ""
        print(f"{getattr(error, 'message', error)}\n{hint}".strip(), file=sys.stderr)
        return 1
    wanted = {task.case.id for task in tasks}
    name = options.model or _searcher(options).name
    rows = [row for row in kept.rows if row.case in wanted and row.model == name]
    if not options.model:
        rows = [_repriced(row, _price(options)) for row in rows]
    _print(options.format, name, figures(rows, policies), len(tasks))
    return 0


def _checked(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """The options; exit 2 for what makes no sense."""
    options = parser.parse_args(arguments)
    if options.cases < 1:
        parser.error("--cases: at least 1")
    if not options.repos.is_dir():
        parser.error(f"--repos: {options.repos} is no folder")
    if not all(0 <= price < inf for price in options.prices):
        parser.error("--prices: dollars per million tokens, none below 0")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoci-agent eval policies",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("cases_files", nargs="+", type=Path, metavar="CASES.jsonl")
    parser.add_argument("--repos", type=Path, required=True, metavar="DIR", help="clones")
    told = f"a policy, again for more; {BASELINE} is always run (default: {', '.join(DEFAULT)})"
    parser.add_argument("--policy", action="append", metavar="NAME", help=told)
    told = "so many cases, evenly over the repositories"
    parser.add_argument("--cases", type=int, default=40, metavar="N", help=told)
    told = "a live model in place of the searcher"
    parser.add_argument("--model", default="", metavar="NAME", help=told)
    told = "how many files the searcher reads in one step"
    parser.add_argument("--together", type=int, choices=(1, 2), default=1, help=told)
    told = "the searcher makes no notes"
    parser.add_argument("--mute", action="store_true", help=told)
    told = "the simulated cache holds the fixed prompt (rules, index) from before, as in a later question"
    parser.add_argument("--warm", action="store_true", help=told)
    told = "the searcher's prices per million tokens (default: %(default)s)"
    names = ("FRESH", "READ", "WRITE", "OUTPUT")
    parser.add_argument("--prices", type=float, nargs=4, default=PRICES, metavar=names, help=told)
    told = "keep every session's row here, and do not run again what it holds"
    parser.add_argument("--keep", type=Path, metavar="FILE", help=told)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser


async def _run(
    options: argparse.Namespace,
    policies: Sequence[str],
    tasks: Sequence[Task],
    kept: Kept,
    opener: Opener,
) -> None:
    """Every missing cell, repository by repository; only the cells of one case share a checkout."""
    name = options.model or _searcher(options).name
    done = 0
    for group in by_repository(tasks, options.repos):
        with tempfile.TemporaryDirectory(prefix="aoci-policies-") as place:
            root = Path(place) / "tree"
            root.mkdir()
            clone = GitFolder.of(options.repos, group[0].case.repository)
            checkout = Checkout(clone, root)
            for task in group:
                done += 1
                left = [policy for policy in policies if not kept.has(task.case.id, policy, name)]
                if left:
                    checkout.move(task.case.commit)
                for policy in left:
                    opening = Opening(root, Path(place) / "state", policy, options.model)
                    model = None if options.model else _searcher(options)
                    row = await cell(task, opening, opener, model)
                    kept.add(replace(row, model=name))
                    print(f"{done}/{len(tasks)} {_line(row)}", file=sys.stderr, flush=True)


def _line(row: Row) -> str:
    spent = "?" if row.trajectory is None else f"{row.trajectory:,}"
    return (
        f"{row.case} {row.policy}: AR@5 {row.score.recall:.2f}, {row.steps} steps,"
        f" {spent} tokens, {row.seconds:.1f} s {row.message}".rstrip()
    )


def _searcher(options: argparse.Namespace) -> Searcher:
    return Searcher(_price(options), options.together, mute=options.mute, warm=options.warm)


def _price(options: argparse.Namespace) -> Price:
    fresh, read, write, output = (dollars / 1e6 for dollars in options.prices)
    return Price(fresh, output, read, write)


def _repriced(row: Row, price: Price) -> Row:
    """With the dollars of these prices: a kept row may be of others."""
    if row.tokens is None:
        return row
    tokens = row.tokens
    usage = Usage(tokens["fresh"], tokens["read"], tokens["write"], tokens["output"])
    return replace(row, dollars=price.of(usage))


def _print(form: str, model: str, found: Sequence[Figures], cases: int) -> None:
    if form == "json":
        rows = [one.as_json() for one in found]
        print(json.dumps({"model": model, "cases": cases, "policies": rows}, indent=2))
    else:
        print(f"{model}, {cases} cases\n\n{told(found)}")
