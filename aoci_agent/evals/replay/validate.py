"""Is a candidate a task? Its tests must fail at the base and pass with the fix: both are run."""

import os
import threading
import time
from dataclasses import dataclass

from aoci_agent.base.errors import ForUser, NotPossible
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.checks import check_of, filled
from aoci_agent.evals.replay.task import Task
from aoci_agent.evals.replay.trial import Trial, check, overlay, remove

SECONDS = 300.0  # of one run; a task whose tests take longer is no good one for a grid


@dataclass(frozen=True, slots=True)
class Verdict:
    """`task` is the candidate with its check and the names of its tests; None when it is none."""

    task: Task | None
    why: str  # in one line: why not, or what was seen
    seconds: float
    lasting: bool = False  # the tests were run, and would say so again
    output: str = ""  # what is behind the reason: of the last run of the tests, or of the set-up


def validate(
    candidate: Task,
    bases: Bases,
    changed: dict[str, str],
    stopped: threading.Event | None = None,
) -> Verdict:
    """Run the hidden tests at the base, and twice with the source of the fix. Never raises for a bad one.

    `changed` are the source files of the fix with git's letter: A, M, D or T. No run begins once
    `stopped` is set. What fails in only one
    of the two runs is flaky: it proves nothing, and is held against nobody.
    """
    begun = time.monotonic()
    task, lasting, output = None, False, ""
    try:
        runs = _runs(candidate, bases, changed, stopped or threading.Event())
        why, output = _why_not(runs), (*runs.after, runs.before)[0].output
        if not why:
            task, why = _named(candidate, runs), _told(runs)
        lasting = not (stopped and stopped.is_set())
    except (NotPossible, ForUser) as error:
        output = str(error)
        why = " ".join(output.split())[:300]
    return Verdict(task, why, time.monotonic() - begun, lasting, output)


@dataclass(frozen=True, slots=True)
class _Runs:
    command: str
    before: Trial
    after: tuple[Trial, ...] = ()

    @property
    def known(self) -> tuple[str, ...]:
        """What fails with the fix too, at least once."""
        return tuple(dict.fromkeys(name for trial in self.after for name in trial.failing))

    @property
    def proving(self) -> tuple[str, ...]:
        return tuple(name for name in self.before.failing if name not in self.known)


def _runs(task: Task, bases: Bases, changed: dict[str, str], stopped: threading.Event) -> _Runs:
    name = f"validate-{task.id[:60]}-{os.getpid()}"
    with bases.workplace(task.base, name, task.setup) as (tree, environment):
        box = bases.open_box(tree, (environment.folder,))
        overlay(bases.source, task.fix, task.hidden, tree)
        command = filled(task.check, task.hidden) or check_of(tree, task.hidden)

        def tested() -> Trial:
            if stopped.is_set():
                raise NotPossible("interrupted")
            return check(command, tree, environment, box, SECONDS)

        before = tested()
        if before.passed or before.exit is None:
            return _Runs(command, before)
        come = tuple(path for path, letter in changed.items() if letter != "D")
        overlay(bases.source, task.fix, come, tree)
        remove(tuple(path for path, letter in changed.items() if letter == "D"), tree)
        after = tested()
        if _fails(before, after):
            return _Runs(command, before, (after,))
        return _Runs(command, before, (after, tested()))


def _why_not(runs: _Runs) -> str:
    before = runs.before
    if before.passed:
        return "its tests pass without the fix"
    if before.exit is None:
        return "its tests do not end in time without the fix"
    first, *second = (_fails(before, after) for after in runs.after)
    if first:
        return first
    if second and second[0]:
        return f"flaky: once all was well with the fix, then {second[0]}"
    if before.failing and not runs.proving and not all(after.passed for after in runs.after):
        return "flaky: all that fails without the fix fails with it too, now and then"
    return ""


def _fails(before: Trial, after: Trial) -> str:
    """Why a run with the fix proves nothing, "" where it does."""
    if after.exit is None:
        return "its tests do not end in time with the fix"
    # Where nothing ran before (an import fails), that something passes now is the proof.
    if not after.passed and before.ran and not set(before.failing) - set(after.failing):
        return f"its tests fail with the fix too: {_last(after)}"
    if not after.passed_but_for(frozenset(after.failing)):
        return f"its tests do not run with the fix: {_last(after)}"
    if after.passed and after.ran == 0 and before.ran > 0:
        return "no test runs with the fix"
    return ""


def _named(task: Task, runs: _Runs) -> Task:
    found = {
        "check": runs.command,
        "fail_to_pass": runs.proving,
        "known_failures": runs.known,
    }
    return task.model_copy(update=found)


def _told(runs: _Runs) -> str:
    ran = runs.after[0].ran
    named = f"{len(runs.proving)} of {ran} tests fail before" if runs.proving else "fails before"
    sure = [name for name in runs.known if all(name in after.failing for after in runs.after)]
    known = f", {len(sure)} fail anyway" if sure else ""
    flaky = len(runs.known) - len(sure)
    return f"{named}, pass after{known}" + (f", {flaky} flaky" if flaky else "")


def _last(trial: Trial) -> str:
    """The names of what failed, or the last words."""
    if trial.failing:
        more = f" and {len(trial.failing) - 2} more" if len(trial.failing) > 2 else ""
        return f"{', '.join(trial.failing[:2])}{more}"[:160]
    lines = [line.strip() for line in trial.output.splitlines() if line.strip()]
    return lines[-1][:160] if lines else "no output"
