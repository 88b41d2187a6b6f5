"""One cell from its base to its outcome: prepare, let the agent work, lay the hidden tests over, judge."""

import asyncio
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aoci_agent.agent.models.model import Model
from aoci_agent.aoci.layers import is_test
from aoci_agent.base.errors import ForModel, ForUser, NotPossible
from aoci_agent.base.excerpt import applied, staged
from aoci_agent.base.files import atomic_write
from aoci_agent.base.git import Repository
from aoci_agent.evals.replay import oracle
from aoci_agent.evals.replay.attempt import Opener, Opening, Worked, attempt
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.cell import Cell, Outcome
from aoci_agent.evals.replay.defects import defects_in
from aoci_agent.evals.replay.gold import Gold, commit_of, gold_of, texts_in
from aoci_agent.evals.replay.purse import CAP
from aoci_agent.evals.replay.score import Patch, patch_of, scores
from aoci_agent.evals.replay.store import CHECK, DIFF, SET_UP, STATE, RunFolder
from aoci_agent.evals.replay.stripping import CARRIED
from aoci_agent.evals.replay.task import Budget, Task
from aoci_agent.evals.replay.trial import Trial, check, overlay, remove

Solver = Callable[[Task, Opening, Model | None], Worked]
_CAPPED = ("cost", "tokens")  # how a turn ends that would have gone beyond


def run_cell(
    folder: RunFolder, cell: Cell, bases: Bases, solve: Solver, cap: Budget | None = None
) -> Outcome:
    """Run it and write down how it ended; one that has ended before is not run again.

    `cap` is what the whole run may still use. What the infrastructure or the cap ended is not
    judged: it says so, and may be run again.
    """
    with folder.alone(cell):
        before = folder.outcome(cell)
        if before is not None and not before.broken:
            return before
        place, earlier, charged = folder.begin(cell)
        task = folder.run().task(cell)
        try:
            outcome = _outcome(task, cell, place, bases, solve, cap or Budget())
        except (NotPossible, ForUser) as error:
            outcome = folder.died(cell, str(error), SET_UP)
        else:
            outcome = outcome.model_copy(update={"charged": charged, "attempts": earlier + 1})
            folder.end(outcome)
        _forget(place)
    return outcome


def sessions(opener: Opener) -> Solver:
    """The solver that is this program."""

    def solve(task: Task, opening: Opening, model: Model | None) -> Worked:
        return asyncio.run(attempt(task.prompt, opening, opener, model))

    return solve


def _outcome(
    task: Task, cell: Cell, place: Path, bases: Bases, solve: Solver, cap: Budget
) -> Outcome:
    base = commit_of(bases.source, task.base)
    gold = gold_of(task, bases.source, base)
    model = _own_model(task, cell, bases.source, base, gold)
    budget, capped = _tighter(task.budget, cap)
    with bases.workplace(base, _neutral(place), task.setup) as (tree, environment):
        opening = Opening(
            tree=tree,
            state=place / STATE,
            policy=cell.solver,
            model="" if model else cell.model,
            budget=budget,
            readable=(environment.folder,),
            variables=environment.variables(),
        )
        worked = solve(task, opening, model)
        try:
            diff = staged(_found(tree), CARRIED)
            atomic_write(place / DIFF, diff.encode("utf-8", "surrogateescape"))
            if worked.reason in _CAPPED and worked.reason in capped:
                return worked.outcome(cell, "infrastructure", reason=CAP)
            if worked.broke:
                return worked.outcome(cell, "infrastructure")
            patch = patch_of(diff)
            found = defects_in(tree, patch.lines, bases.source, base, gold.fix)
            _lay_over(task, bases.source, base, gold.fix, tree)
            box = bases.open_box(tree, opening.readable)
            trial = check(task.check, tree, environment, box)
            atomic_write(place / CHECK, trial.output.encode("utf-8", "surrogateescape"))
        except (ForModel, ForUser, OSError) as error:
            told = f"its work cannot be judged: {error}"
            return worked.outcome(
                cell, "infrastructure", reason=SET_UP, message=" ".join(told.split())[:500]
            )
    passed = trial.passed_but_for(frozenset(task.known_failures))
    judged = _judged(task, gold, patch, trial)
    return worked.outcome(cell, "passed" if passed else "failed", defects=found, **judged)


def _neutral(place: Path) -> str:
    """A name for the tree of a cell: the agent sees it, so it tells nothing, and is always as long."""
    return f"work-{hashlib.blake2b(os.fsencode(place), digest_size=6).hexdigest()}"


def _tighter(own: Budget, cap: Budget) -> tuple[Budget, frozenset[str]]:
    """The budget within the cap, and which bounds are the cap's."""
    binds: dict[str, float] = {}
    for name in _CAPPED:
        mine, most = getattr(own, name), getattr(cap, name)
        if most is not None and (mine is None or most < mine):
            binds[name] = most
    return own.model_copy(update=binds), frozenset(binds)


def _forget(place: Path) -> None:
    """What a session derived can be derived again; its record stays."""
    for name in ("cache", "data/snapshots"):
        shutil.rmtree(place / STATE / name, ignore_errors=True)


def _judged(task: Task, gold: Gold, patch: Patch, trial: Trial) -> dict[str, Any]:
    """Fields of the outcome."""
    found = scores(patch, task.gold_files, gold.blocks, gold.touched)
    expected = {*task.fail_to_pass, *task.known_failures}
    return {
        "check_exit": trial.exit,
        "changed": patch.lines,
        "precision": found.precision,
        "recall": found.recall,
        "answer_recall": found.answer_recall,
        "line_precision": found.line_precision,
        "outside_gold": found.outside,
        "regressions": tuple(name for name in trial.failing if name not in expected),
    }


def _own_model(task: Task, cell: Cell, source: Repository, base: str, gold: Gold) -> Model | None:
    """The harness's own model of that name; None for a real one."""
    if cell.model == oracle.IDLE:
        return oracle.idle()
    if cell.model != oracle.GOLD:
        return None
    if not gold.fix:
        raise NotPossible(f"{task.id} names no fix: the model gold cannot work on it")
    paths = [path for path in gold.touched if path not in task.hidden]
    before, after = texts_in(source, base, paths), texts_in(source, gold.fix, paths)
    return oracle.gold(before, after, _test_of(task, source, base), cell.seed)


def _test_of(task: Task, source: Repository, base: str) -> str:
    """A test file of the base: one of the task's, or else another one; "" for none."""
    there = source.blobs_of(base)
    known = (path for path in (*task.hidden, *sorted(there)) if path in there and is_test(path))
    return next(known, "")


def _lay_over(task: Task, source: Repository, base: str, fix: str, tree: Path) -> None:
    """The hidden tests, over whatever the agent made of them."""
    if task.tests_patch:
        there = source.blobs_of(base)
        overlay(source, base, tuple(path for path in task.hidden if path in there), tree)
        remove(tuple(path for path in task.hidden if path not in there), tree)
        applied(_found(tree), task.tests_patch)
    elif task.hidden:
        overlay(source, fix, task.hidden, tree)


def _found(tree: Path) -> Repository:
    repository = Repository.find(tree)
    if repository is None:
        raise NotPossible(f"{tree} is no repository any more")
    return repository
