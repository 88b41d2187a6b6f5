"""The estimate of a run: earlier runs of the repository, the fixed layers of its policies, prices of models."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from aoci_agent.agent.ledger import Ledger
from aoci_agent.agent.models.model import Request
from aoci_agent.agent.prompts import render
from aoci_agent.agent.session import build_prefix
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.assembly import choose_model
from aoci_agent.base.errors import ForUser, ModelUnavailable
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.bench import Bench, Launch
from aoci_agent.cli.replay_places import runs_in
from aoci_agent.config import Settings, environment
from aoci_agent.evals.replay import oracle
from aoci_agent.evals.replay.cell import Cell, Outcome
from aoci_agent.evals.replay.estimate import Estimate, Price, estimated, telling
from aoci_agent.evals.replay.peers.catalog import PEERS
from aoci_agent.evals.replay.store import Run
from aoci_agent.policies.catalog import policy_named
from aoci_agent.policies.policy import Material
from aoci_agent.tools.registry import builtin_tools


def told_ahead(
    repository: Repository, home: Path, run: Run, waiting: Sequence[Cell], *, here: bool
) -> str:
    """What the cells that wait will use, in words. The harness's own models ask nobody: they do not count.

    The repository is indexed where no earlier cell tells enough. `here`: they run on this machine.
    Raises ModelUnavailable where a model of them has no key then.
    """
    asking = [cell for cell in waiting if cell.model not in oracle.NAMES]
    if not asking:
        return "no model is asked; gold and idle are the harness's own"
    return _estimate(repository, home, run, asking, here=here).told


def _estimate(
    repository: Repository, home: Path, run: Run, waiting: Sequence[Cell], *, here: bool
) -> Estimate:
    known = telling(_earlier(home))
    new = {cell.solver for cell in waiting if (cell.solver, cell.model) not in known} - PEERS.keys()
    env = environment()
    launch = Launch(repository.root, Settings.model_validate(run.settings), Places(env), env)
    prices: dict[str, Price] = {}
    for name in {cell.model for cell in waiting}:
        try:
            prices[name] = choose_model(launch, name).priced
        except ModelUnavailable:
            if here:
                raise  # elsewhere the keys are where the workers are
    return estimated(waiting, known, _fixed(launch, new) if new else {}, prices)


def _earlier(home: Path) -> Iterable[Outcome]:
    for run in runs_in(home):
        try:
            yield from run.outcomes()
        except ForUser as error:
            print(f"left out of the estimate: {error}", file=sys.stderr)


def _fixed(launch: Launch, solvers: Iterable[str]) -> dict[str, int]:
    """Tokens of tools, rules and index of each policy, for the present files."""
    bench = Bench(launch)
    try:
        rendered = bench.index(launch.settings.index_budget)
        material = Material(render("rules"), rendered if rendered.total else None)
        tools = builtin_tools(bench.workspace, bench.store, bench.spill)
        schemas = Toolbox(tools).schemas
        ledger = Ledger()
        sizes: dict[str, int] = {}
        for name in solvers:
            prefix = build_prefix(schemas, policy_named(name), material)
            sizes[name] = sum(ledger.parts(Request(prefix, ())).values())
        return sizes
    finally:
        bench.close()
