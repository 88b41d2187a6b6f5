"""Is a candidate a task? Its tests must fail at the base and pass with the fix: both are run."""

import os
import time
from dataclasses import dataclass

from aoci_agent.base.errors import ForUser, NotPossible
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.checks import check_of
from aoci_agent.evals.replay.task import Task
from aoci_agent.evals.replay.trial import Trial, check, overlay, remove


@dataclass(frozen=True, slots=True)
class Verdict:
    """`task` is the candidate with its check and the names of its tests; None when it is none."""

    task: Task | None
    why: str  # in one line: why not, or what was seen
    seconds: float


def validate(candidate: Task, bases: Bases, changed: dict[str, str]) -> Verdict:
    """Run the hidden tests at the base, then with the source of the fix. Never raises for a bad one.

    `changed` are the source files of the fix with git's letter: A, M or D.
    """
    begun = time.monotonic()
    task: Task | None = None
    try:
        before, after, command = _runs(candidate, bases, changed)
        why = _why_not(before, after)
        if not why:
            task, why = _named(candidate, before, after, command), _told(before, after)
    except (NotPossible, ForUser) as error:
        why = " ".join(str(error).split())[:300]
    return Verdict(task, why, time.monotonic() - begun)


def _runs(task: Task, bases: Bases, changed: dict[str, str]) -> tuple[Trial, Trial, str]:
    environment = bases.environment(task.base, task.setup)
    with bases.tree(task.base, f"validate-{task.id[:60]}-{os.getpid()}", environment) as tree:
        box = bases.open_box(tree, (environment.folder,))
        overlay(bases.source, task.fix, task.hidden, tree)
        command = task.check or check_of(tree, task.hidden)
        before = check(command, tree, environment, box, {})
        if before.passed:
            return before, before, command
        come = tuple(path for path, letter in changed.items() if letter != "D")
        overlay(bases.source, task.fix, come, tree)
        remove(tuple(path for path, letter in changed.items() if letter == "D"), tree)
        return before, check(command, tree, environment, box, {}), command


def _why_not(before: Trial, after: Trial) -> str:
    if before.passed:
        return "its tests pass without the fix"
    if before.exit is None or after.exit is None:
        return "its tests do not end in time"
    if not after.passed and not set(before.failing) - set(after.failing):
        return f"its tests fail with the fix too: {_last(after.output)}"
    if not after.passed_but_for(frozenset(after.failing)):
        return f"its tests do not run with the fix: {_last(after.output)}"
    if after.passed and after.ran == 0 and before.ran > 0:
        return "no test runs with the fix"
    return ""


def _named(task: Task, before: Trial, after: Trial, command: str) -> Task:
    fails = tuple(name for name in before.failing if name not in after.failing)
    found = {"check": command, "fail_to_pass": fails, "known_failures": after.failing}
    return task.model_copy(update=found)


def _told(before: Trial, after: Trial) -> str:
    fails = len(set(before.failing) - set(after.failing))
    named = f"{fails} of {after.ran} tests fail before" if fails else "fails before"
    known = f", {len(after.failing)} fail anyway" if after.failing else ""
    return f"{named}, pass after{known}"


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:160] if lines else "no output"
