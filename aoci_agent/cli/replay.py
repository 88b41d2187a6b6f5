"""`aoci-agent replay run|list|cell`: the grid, cell by cell."""

import asyncio
import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

from aoci_agent import __version__
from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean, one_line
from aoci_agent.bench import Launch
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_places import (
    bases_of,
    consent,
    repository_of,
    run_named,
    runs_home,
    tasks_file,
)
from aoci_agent.config import Settings, environment, load_settings
from aoci_agent.evals.replay.attempt import Opener, Opening
from aoci_agent.evals.replay.cell import Outcome, Spent
from aoci_agent.evals.replay.executor import executor_of, run_cells
from aoci_agent.evals.replay.run_cell import run_cell, sessions
from aoci_agent.evals.replay.store import Run, RunFolder
from aoci_agent.evals.replay.task import tasks_of
from aoci_agent.policies.catalog import policy_named

MARKS = {"passed": "✓", "failed": "✗", "infrastructure": "!"}


def run(arguments: Arguments) -> int:
    """Run every cell that has not ended. Ctrl-C leaves those that have; --resume goes on."""
    repository = repository_of(arguments.cwd)
    home = runs_home(Places(environment()), repository)
    if arguments.go_on:
        folder = run_named(home, arguments.name)
    else:
        made = _asked(arguments, tasks_file(arguments, repository), str(repository.root))
        folder = RunFolder.create(home / (arguments.name or time.strftime("%Y%m%d-%H%M%S")), made)
    waiting = folder.waiting()
    cells = list(folder.run().cells())
    print(f"run {folder.path.name}: {len(waiting)} of {len(cells)} cells to run", file=sys.stderr)
    if waiting:
        consent(_question(len(waiting)), given=arguments.yes)
        code = asyncio.run(_run(arguments, folder, len(cells)))
        if code is not Exit.DONE:
            return code
    print(f"aoci-agent replay report {folder.path.name}")
    return Exit.FAILED if folder.waiting() else Exit.DONE


def _question(count: int) -> str:
    return f"start {count} sessions in full-auto, each in a worktree and a sandbox of its own?"


async def _run(arguments: Arguments, folder: RunFolder, count: int) -> Exit:
    progress = _Progress(folder, count, arguments.max_cost, arguments.max_tokens)
    executor = executor_of(arguments.executor)
    task = asyncio.ensure_future(
        run_cells(folder, folder.waiting(), executor, arguments.jobs, progress.ended)
    )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        print(
            f"interrupted; to go on: aoci-agent replay run --resume --name {folder.path.name}",
            file=sys.stderr,
        )
        return Exit.INTERRUPTED
    finally:
        await executor.close()
    return Exit.LIMIT if progress.capped else Exit.DONE


class _Progress:
    """A line for each cell that ends, with what was used so far; the hard cap."""

    def __init__(
        self, folder: RunFolder, count: int, cost: float | None, tokens: int | None
    ) -> None:
        there = [outcome for outcome in folder.outcomes() if outcome.status != "infrastructure"]
        self._done, self._count = len(there), count
        self._spent = sum((outcome.total for outcome in there), Spent())
        self._cost, self._tokens = cost, tokens
        self.capped = False

    def ended(self, outcome: Outcome) -> bool:
        """Say it; whether another cell may begin."""
        self._done += outcome.status != "infrastructure"
        self._spent += outcome.total
        tokens = "?" if self._spent.tokens is None else f"{self._spent.tokens.all:,}"
        dollars = "?" if self._spent.dollars is None else f"{self._spent.dollars:.2f}"
        cell = outcome.cell
        what = f"{cell.task} · {cell.solver} · {cell.model} · {cell.seed}"
        why = f"  {outcome.message}" if outcome.status == "infrastructure" else ""
        line = one_line(f"{MARKS[outcome.status]} {what}{why}", 120)
        print(
            f"  {line}  [{self._done}/{self._count}, {tokens} tokens, ${dollars}]", file=sys.stderr
        )
        self.capped = self._reached()
        if self.capped:
            print("  the cap is reached: no further cell begins", file=sys.stderr)
        return not self.capped

    def _reached(self) -> bool:
        dollars, tokens = self._spent.dollars, self._spent.tokens
        over_cost = self._cost is not None and (dollars is None or dollars >= self._cost)
        over_tokens = self._tokens is not None and (tokens is None or tokens.all >= self._tokens)
        return over_cost or over_tokens


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
    models = _split(arguments.models) or [
        load_settings(Places(environment()), environment(), {}).model
    ]
    if not models[0]:
        raise BadUsage("no model is named", "--models NAME; `gold` and `idle` need no key")
    return Run(
        repository=root,
        tasks=tuple(tasks),
        solvers=tuple(policies),
        models=tuple(models),
        seeds=arguments.seeds,
        settings={"no_sandbox": "yes"} if arguments.dangerously_no_sandbox else {},
        version=__version__,
    )


def cell(arguments: Arguments) -> int:
    """Run one cell of a run, as its folder says."""
    folder = RunFolder(arguments.folder)
    made = folder.run()
    found = next((one for one in made.cells() if one.id == arguments.target), None)
    if found is None:
        raise BadUsage(f"{arguments.folder} has no cell {arguments.target}", "see its run.json")
    repository = repository_of(Path(made.repository))
    no_sandbox = "no_sandbox" in made.settings
    bases = bases_of(repository, Places(environment()), no_sandbox=no_sandbox)
    outcome = run_cell(folder, found, bases, sessions(_opener(no_sandbox=no_sandbox)))
    print(f"{outcome.status} {clean(outcome.message)}")
    return Exit.FAILED if outcome.status == "infrastructure" else Exit.DONE


def _opener(*, no_sandbox: bool) -> Opener:
    def opened(opening: Opening) -> Session:
        env = environment()
        flags: dict[str, Any] = {
            "model": opening.model,
            "policy": opening.policy,
            "mode": Mode.FULL_AUTO,
            **{f"max_{name}": value for name, value in opening.budget if value is not None},
        }
        settings = load_settings(Places(env), env, flags) if opening.model else Settings(**flags)
        own = env | {"AOCI_AGENT_HOME": str(opening.state)}
        launch = Launch(
            opening.tree, settings, Places(own), own,
            trust=True, attended=False, no_sandbox=no_sandbox,
            readable=opening.readable, variables=opening.variables,
        )  # fmt: skip
        return open_session(launch, DenyAll())

    return opened


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
