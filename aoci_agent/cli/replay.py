"""`aoci-agent replay run|list|cell`: the grid, cell by cell."""

import asyncio
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from aoci_agent import __version__
from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_estimate import estimate_of
from aoci_agent.cli.replay_peers import peer_solver, peers_asked
from aoci_agent.cli.replay_places import (
    bases_of,
    consent,
    repository_of,
    run_named,
    runs_home,
    tasks_file,
)
from aoci_agent.cli.replay_progress import Progress
from aoci_agent.cli.replay_sessions import opener_of
from aoci_agent.config import environment, load_settings
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.executor import Executor, executor_of, run_cells
from aoci_agent.evals.replay.purse import CAP, Purse
from aoci_agent.evals.replay.run_cell import run_cell, sessions
from aoci_agent.evals.replay.store import Run, RunFolder
from aoci_agent.evals.replay.task import Budget, tasks_of
from aoci_agent.policies.catalog import policy_named

QUESTION = "start {} sessions in full-auto, each in a worktree and a sandbox of its own?"
WATCHED = 0.5  # seconds between looks at the run
PATIENCE = 15.0  # seconds for a cell to put away what it began


def run(arguments: Arguments) -> int:
    """Run every cell that has not ended. Ctrl-C leaves those that have; --resume goes on."""
    repository = repository_of(arguments.cwd)
    places = Places(environment())
    home = runs_home(places, repository)
    if arguments.go_on:
        folder = run_named(home, arguments.name)
        made = folder.run()
    else:
        folder = RunFolder(home / (arguments.name or time.strftime("%Y%m%d-%H%M%S")))
        made = _asked(arguments, tasks_file(arguments, repository), str(repository.root))
        folder.refuse_another()
    cells = list(made.cells())
    waiting = folder.waiting(cells)
    print(f"run {folder.path.name}: {len(waiting)} of {len(cells)} cells to run", file=sys.stderr)
    if waiting:
        found = estimate_of(repository, home, made, waiting, here=arguments.executor == "local")
        print(f"estimate: {found.told}", file=sys.stderr)
        consent(QUESTION.format(len(waiting)), given=arguments.yes)
    if not arguments.go_on:
        folder.create(made)
    with folder.held():
        code = _held(arguments, folder, bases_of(repository, places, no_sandbox=made.no_sandbox))
    if code is Exit.DONE:
        print(f"aoci-agent replay report {folder.path.name}")
    return code


def _held(arguments: Arguments, folder: RunFolder, bases: Bases) -> Exit:
    """Run what waits, between clearing away what a killed run left and what this one leaves."""
    bases.sweep()
    if not folder.waiting():
        return Exit.DONE
    executor = executor_of(arguments.executor)
    try:
        return asyncio.run(_run(arguments, folder, executor))
    finally:
        bases.sweep()


async def _run(arguments: Arguments, folder: RunFolder, executor: Executor) -> Exit:
    outcomes, waiting = folder.outcomes(), folder.waiting()
    purse = Purse(arguments.max_cost, arguments.max_tokens, arguments.jobs, outcomes)
    count = len(list(folder.run().cells()))
    progress = Progress(count - len(waiting), count, purse)
    task = asyncio.ensure_future(
        run_cells(folder, waiting, executor, arguments.jobs, purse, progress.ended)
    )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    go_on = f"aoci-agent replay run --resume --name {folder.path.name}"
    try:
        await task
    except asyncio.CancelledError:
        print(f"interrupted; to go on: {go_on}", file=sys.stderr)
        return Exit.INTERRUPTED
    finally:
        await executor.close()
    left = [folder.outcome(cell) for cell in folder.waiting()]
    if any(outcome is None or outcome.reason == CAP for outcome in left):
        more = "a larger --max-cost or --max-tokens"
        print(f"the cap is reached; to go on: {go_on} with {more}", file=sys.stderr)
        return Exit.LIMIT
    return Exit.FAILED if left else Exit.DONE


def _asked(arguments: Arguments, file: Path, root: str) -> Run:
    """The grid of the command line. Raises BadUsage for what cannot be run."""
    tasks = tasks_of(file)
    only = _split(arguments.only)
    missing = [name for name in only if name not in {task.id for task in tasks}]
    if missing:
        raise BadUsage(f"{file} has no task {missing[0]}", "aoci-agent replay tasks list")
    tasks = [task for task in tasks if not only or task.id in only]
    unjudged = [task.id for task in tasks if not task.check]
    if not tasks or unjudged:
        told = f"nothing judges {', '.join(unjudged[:3])}" if unjudged else f"{file} has no tasks"
        raise BadUsage(told, "give them a check, or replay tasks mine")
    policies = [policy_named(name).name for name in _split(arguments.policies)]
    settings = load_settings(Places(environment()), environment(), {})
    models = _split(arguments.models) or [settings.model]
    if not models[0]:
        raise BadUsage("no model is named", "--models NAME; `gold` and `idle` need no key")
    here = arguments.executor == "local"
    peers = peers_asked(arguments.peers, models, Path(root), here=here)
    return Run(
        repository=root,
        tasks=tuple(tasks),
        solvers=(*policies, *peers),
        models=tuple(models),
        seeds=arguments.seeds,
        settings=settings.model_dump(mode="json", exclude_defaults=True, exclude=_NOT_TOLD),
        no_sandbox=arguments.dangerously_no_sandbox,
        version=__version__,
    )


_NOT_TOLD = {"model", "policy", "mode", "day_max_cost", "day_max_tokens"}


def cell(arguments: Arguments) -> int:
    """Run one cell of a run, as its folder says. It ends when the process that runs the run has ended."""
    folder = RunFolder(arguments.folder)
    if arguments.watch:
        _end_with(folder)
    made = folder.run()
    found = next((one for one in made.cells() if one.id == arguments.target), None)
    if found is None:
        raise BadUsage(f"{arguments.folder} has no cell {arguments.target}", "see its run.json")
    repository = repository_of(Path(made.repository))
    bases = bases_of(repository, Places(environment()), no_sandbox=made.no_sandbox)
    cap = Budget(cost=arguments.max_cost, tokens=arguments.max_tokens)
    solve = peer_solver(found.solver, made, repository) or sessions(opener_of(made, repository))
    outcome = run_cell(folder, found, bases, solve, cap)
    print(f"{outcome.status} {clean(outcome.message)}")
    return Exit.FAILED if outcome.status == "infrastructure" else Exit.DONE


def _end_with(folder: RunFolder) -> None:
    """Interrupt this process soon after its run has ended, however that was; a second time for good."""

    def watch() -> None:
        while folder.is_held():
            time.sleep(WATCHED)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(PATIENCE)
        os._exit(Exit.INTERRUPTED)

    threading.Thread(target=watch, daemon=True).start()


def listed(arguments: Arguments) -> int:
    """One line for each run, the newest first."""
    home = runs_home(Places(environment()), repository_of(arguments.cwd))
    rows = [_row(RunFolder(path.parent)) for path in home.glob("*/run.json")]
    rows.sort(key=lambda row: row["run"], reverse=True)
    if arguments.json:
        print(json.dumps(rows))
        return Exit.DONE
    for row in rows:
        words = f"{row['ended']} of {row['cells']} cells, {row['passed']} passed"
        print(
            clean(
                f"{row['run']}  {words}  {', '.join(row['solvers'])} · {', '.join(row['models'])}"
            )
        )
    if not rows:
        print("no run yet: aoci-agent replay run", file=sys.stderr)
    return Exit.DONE


def _row(folder: RunFolder) -> dict[str, Any]:
    made = folder.run()
    outcomes = folder.outcomes()
    return {
        "run": folder.path.name,
        "cells": len(list(made.cells())),
        "ended": sum(outcome.status != "infrastructure" for outcome in outcomes),
        "passed": sum(outcome.passed for outcome in outcomes),
        "solvers": made.solvers,
        "models": made.models,
    }


def _split(words: str) -> list[str]:
    """`a,b` as a list; a policy's own options follow its name with a comma, and stay with it."""
    found: list[str] = []
    for word in filter(None, (part.strip() for part in words.split(","))):
        if word in ("no-index", "snippets") and found:
            found[-1] += f",{word}"
        else:
            found.append(word)
    return found
