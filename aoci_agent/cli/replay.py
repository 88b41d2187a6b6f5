"""`aoci-agent replay run|list|cell`: the grid, cell by cell."""

import asyncio
import json
import os
import re
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
from aoci_agent.cli.replay_arguments import SOLVERS
from aoci_agent.cli.replay_estimate import told_ahead
from aoci_agent.cli.replay_peers import peer_solver, peers_asked
from aoci_agent.cli.replay_places import (
    bases_of,
    consent,
    day_of,
    repository_of,
    run_named,
    runs_home,
    runs_in,
    tasks_file,
)
from aoci_agent.cli.replay_progress import Progress
from aoci_agent.cli.replay_sessions import opener_of
from aoci_agent.config import environment, load_settings
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.executor import Executor, executor_of, refuse_unknown, run_cells
from aoci_agent.evals.replay.oracle import GOLD
from aoci_agent.evals.replay.purse import Purse
from aoci_agent.evals.replay.run_cell import run_cell, sessions
from aoci_agent.evals.replay.store import Run, RunFolder, standing
from aoci_agent.evals.replay.task import Budget, tasks_of
from aoci_agent.policies.catalog import policy_named
from aoci_agent.tools.places import counted

QUESTION = (
    "start {} in full-auto, each in a worktree and a sandbox of its own, with network only "
    "where an environment has to be set up?"
)
WATCHED = 0.5  # seconds between looks at the run
PATIENCE = 15.0  # seconds for a cell to put away what it began


def run(arguments: Arguments) -> int:
    """Run every cell that has not ended. Ctrl-C leaves those that have; --resume goes on."""
    _refuse_bounds(arguments)
    refuse_unknown(arguments.executor)
    repository = repository_of(arguments.cwd)
    places = Places(environment())
    home = runs_home(places, repository)
    if arguments.go_on:
        _only_what_is_there(arguments)
        folder = run_named(home, arguments.name)
        made = folder.run()
    else:
        folder = _new(home, arguments.name)
        made = _asked(arguments, tasks_file(arguments, repository), str(repository.root))
    cells = list(made.cells())
    waiting = folder.waiting(cells)
    print(
        f"run {folder.path.name}: {len(waiting)} of {counted(len(cells), 'cell')} to run",
        file=sys.stderr,
    )
    if waiting:
        here = arguments.executor == "local"
        print(
            f"estimate: {told_ahead(repository, home, made, waiting, here=here)}", file=sys.stderr
        )
        consent(QUESTION.format(counted(len(waiting), "session")), given=arguments.yes)
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
    return asyncio.run(_run(arguments, folder, executor_of(arguments.executor), bases))


async def _run(arguments: Arguments, folder: RunFolder, executor: Executor, bases: Bases) -> Exit:
    outcomes, waiting = folder.outcomes(), folder.waiting()
    day = day_of(Places(environment()))
    purse = Purse(arguments.max_cost, arguments.max_tokens, arguments.jobs, outcomes, day)
    count = len(list(folder.run().cells()))
    progress = Progress(count - len(waiting), count, purse, arguments.jobs)
    task = asyncio.ensure_future(
        run_cells(folder, waiting, executor, arguments.jobs, purse, progress.ended)
    )
    alive = asyncio.ensure_future(progress.alive())

    def stop() -> None:
        if not task.cancelling():  # a second one would leave behind what the first puts away
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    go_on = f"aoci-agent replay run --resume --name {folder.path.name}"
    try:
        await task
    except asyncio.CancelledError:
        print(f"interrupted; to go on: {go_on}", file=sys.stderr)
        return Exit.INTERRUPTED
    finally:
        alive.cancel()
        await executor.close()
        await asyncio.to_thread(bases.sweep)  # while signals are heard
    left = len(folder.waiting())
    if left and purse.empty:
        print(f"the cap is reached; to go on: {go_on}, {purse.way_on}", file=sys.stderr)
        return Exit.LIMIT
    if left:
        print(
            f"{counted(left, 'cell')} could not be run; to try them again: {go_on}", file=sys.stderr
        )
    return Exit.FAILED if left else Exit.DONE


def _new(home: Path, name: str) -> RunFolder:
    """Raises BadUsage for a name that is taken, or no name of a folder."""
    if not re.fullmatch(r"(?:\w[\w.-]*)?", name):
        raise BadUsage(f"--name {name}: letters, digits, dots and dashes only")
    folder = RunFolder(home / (name or time.strftime("%Y%m%d-%H%M%S")))
    folder.refuse_another()
    return folder


def _only_what_is_there(arguments: Arguments) -> None:
    """Raises BadUsage for options that would change the grid of a run that has begun."""
    given = {
        "--tasks": arguments.tasks is not None,
        "--only": bool(arguments.only),
        "--policies": arguments.policies != SOLVERS,
        "--peers": bool(arguments.peers),
        "--models": bool(arguments.models),
        "--seeds": arguments.seeds != 1,
        "--dangerously-no-sandbox": arguments.dangerously_no_sandbox,
    }
    for name in (name for name, there in given.items() if there):
        raise BadUsage(f"--resume goes on with the grid as it is: it takes no {name}", "a new run")


def _refuse_bounds(arguments: Arguments) -> None:
    for name, value in (("--seeds", arguments.seeds), ("--jobs", arguments.jobs)):
        if value < 1:
            raise BadUsage(f"{name} {value}: at least 1")
    for name, cap in (("--max-cost", arguments.max_cost), ("--max-tokens", arguments.max_tokens)):
        if cap is not None and not cap >= 0:
            raise BadUsage(f"{name} {cap}: at least 0")


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
    policies = dict.fromkeys(policy_named(name).name for name in _split(arguments.policies))
    settings = load_settings(Places(environment()), environment(), {})
    models = list(dict.fromkeys(_split(arguments.models))) or [settings.model]
    if not models[0]:
        raise BadUsage("no model is named", "--models NAME; `gold` and `idle` need no key")
    unknown = [task.id for task in tasks if not task.fix]
    if GOLD in models and unknown:
        told = f"the model gold cannot work on tasks that name no fix: {', '.join(unknown[:8])}"
        raise BadUsage(told, "--only with the others, or another model")
    here = arguments.executor == "local"
    peers = peers_asked(arguments.peers, models, Path(root), here=here)
    if not policies and not peers:
        raise BadUsage("neither a policy nor another agent is named", "--policies, or --peers")
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
    return Exit.FAILED if outcome.broken else Exit.DONE


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
    rows = [row for run in runs_in(home) if (row := _row(run))]
    if arguments.json:
        print(json.dumps(rows))
        return Exit.DONE
    for row in rows:
        words = f"{row['standing']}, {row['passed']} passed"
        print(
            clean(
                f"{row['run']}  {words}  {', '.join(row['solvers'])} · {', '.join(row['models'])}"
            )
        )
    if not rows:
        print("no run yet: aoci-agent replay run", file=sys.stderr)
    return Exit.DONE


def _row(folder: RunFolder) -> dict[str, Any] | None:
    """None for a run that cannot be read, which is said."""
    try:
        made = folder.run()
    except BadUsage as error:
        print(clean(f"left out: {error}"), file=sys.stderr)
        return None
    outcomes, cells = folder.outcomes(), len(list(made.cells()))
    return {
        "run": folder.path.name,
        "cells": cells,
        "ended": sum(not outcome.broken for outcome in outcomes),
        "standing": standing(outcomes, cells),
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
