"""One cell from its base to its outcome: prepare, let the agent work, lay the hidden tests over, judge."""

import asyncio
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from aoci_agent.agent.models.model import Model
from aoci_agent.aoci.layers import is_test
from aoci_agent.base.errors import ForUser, NotPossible
from aoci_agent.base.excerpt import applied, staged
from aoci_agent.base.files import atomic_write
from aoci_agent.base.git import Repository
from aoci_agent.evals.policies_score import Span
from aoci_agent.evals.replay import oracle
from aoci_agent.evals.replay.attempt import Opener, Opening, Worked, attempt
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.cell import Cell, Outcome
from aoci_agent.evals.replay.environment import CARRIED
from aoci_agent.evals.replay.purse import CAP
from aoci_agent.evals.replay.score import patch_of, scores
from aoci_agent.evals.replay.store import CHECK, DIFF, SET_UP, STATE, RunFolder
from aoci_agent.evals.replay.task import Budget, Task
from aoci_agent.evals.replay.trial import Trial, check, overlay
from aoci_agent.views.syntax.outline import outline_of

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
        if before is not None and before.status != "infrastructure":
            return before
        place, earlier, charged = folder.begin(cell)
        task = folder.run().task(cell)
        try:
            outcome = _outcome(task, cell, place, bases, solve, cap or Budget())
        except (NotPossible, ForUser) as error:
            told = " ".join(str(error).split())[:500]
            outcome = Outcome(cell=cell, status="infrastructure", reason=SET_UP, message=told)
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
    base = bases.commit(task.base)
    environment = bases.environment(base, task.setup)
    model = _own_model(task, cell, bases.source, base)
    budget, capped = _tighter(task.budget, cap)
    with bases.tree(base, _neutral(place), environment) as tree:
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
        diff = staged(_found(tree), CARRIED)
        atomic_write(place / DIFF, diff.encode("utf-8", "surrogateescape"))
        stopped = worked.reason in _CAPPED and worked.reason in capped
        if worked.broke or stopped:
            return _broken(cell, worked, CAP if stopped else worked.reason)
        _lay_over(task, bases.source, tree)
        box = bases.open_box(tree, opening.readable)
        trial = check(task.check, tree, environment, box, {})
        atomic_write(place / CHECK, trial.output.encode("utf-8", "surrogateescape"))
    return _judged(task, cell, worked, diff, trial, _blocks(task, bases.source, base))


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


def _broken(cell: Cell, worked: Worked, reason: str) -> Outcome:
    return Outcome(
        cell=cell,
        status="infrastructure",
        reason=reason,
        message=worked.message,
        steps=worked.steps,
        seconds=worked.seconds,
        commands=worked.commands,
        failed_edits=worked.failed_edits,
        spent=worked.spent,
    )


def _judged(
    task: Task, cell: Cell, worked: Worked, diff: str, trial: Trial, blocks: tuple[Span, ...]
) -> Outcome:
    patch = patch_of(diff)
    found = scores(patch, task.gold_files, blocks)
    passed = trial.passed_but_for(frozenset(task.known_failures))
    expected = {*task.fail_to_pass, *task.known_failures}
    return Outcome(
        cell=cell,
        status="passed" if passed else "failed",
        reason=worked.reason,
        message=worked.message,
        check_exit=trial.exit,
        changed=patch.lines,
        precision=found.precision,
        recall=found.recall,
        answer_recall=found.answer_recall,
        line_precision=found.line_precision,
        outside_gold=found.outside,
        regressions=tuple(name for name in trial.failing if name not in expected),
        steps=worked.steps,
        seconds=worked.seconds,
        commands=worked.commands,
        failed_edits=worked.failed_edits,
        spent=worked.spent,
    )


def _own_model(task: Task, cell: Cell, source: Repository, base: str) -> Model | None:
    """The harness's own model of that name; None for a real one."""
    if cell.model == oracle.IDLE:
        return oracle.idle()
    if cell.model != oracle.GOLD:
        return None
    if not task.fix:
        raise NotPossible(f"{task.id} names no fix: the model gold cannot work on it")
    listed = source.git("diff-tree", "-r", "--name-only", "-z", "--no-renames", base, task.fix)
    paths = [path for path in listed.split("\0") if path and path not in task.hidden]
    before = {path: _text(source, base, path) for path in paths}
    after = {path: _text(source, task.fix, path) for path in paths}
    return oracle.gold(before, after, _test_of(task, source, base), cell.seed)


def _test_of(task: Task, source: Repository, base: str) -> str:
    """A test file of the base: one of the task's, or else another one; "" for none."""
    there = source.blobs_of(base)
    known = (path for path in (*task.hidden, *sorted(there)) if path in there and is_test(path))
    return next(known, "")


def _text(source: Repository, commit: str, path: str) -> str | None:
    """The text of a file in a commit, None when it is not there. NotPossible for a binary one."""
    blob = source.blobs_of(commit, Path(path).parent).get(PurePosixPath(path).name)
    if blob is None:
        return None
    ((_, data),) = source.contents([blob])
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotPossible(f"{path} is no text: the model gold cannot write it") from error


def _lay_over(task: Task, source: Repository, tree: Path) -> None:
    """The hidden tests, over whatever the agent made of them."""
    if task.tests_patch:
        applied(_found(tree), task.tests_patch)
    elif task.hidden:
        overlay(source, task.fix, task.hidden, tree)


def _found(tree: Path) -> Repository:
    repository = Repository.find(tree)
    if repository is None:
        raise NotPossible(f"{tree} is no repository any more")
    return repository


def _blocks(task: Task, source: Repository, base: str) -> tuple[Span, ...]:
    """The lines of the gold's definitions at the base."""
    found: dict[Span, None] = {}
    for symbol in task.gold_symbols:
        path, _, name = symbol.rpartition(":")
        text = _text(source, base, path)
        for item in outline_of(path, (text or "").encode()).definitions:
            if item.qualified == name:
                found[Span(path, item.start, item.end)] = None
    return tuple(found)
