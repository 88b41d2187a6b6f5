"""`aoci-agent replay tasks mine|add|import|list`."""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.files import atomic_write
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean, one_line
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_places import bases_of, consent, repository_of, tasks_file
from aoci_agent.config import environment
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.gold import leaks, symbols
from aoci_agent.evals.replay.history import Candidate, candidates
from aoci_agent.evals.replay.imports import imported
from aoci_agent.evals.replay.task import Task, tasks_of, written
from aoci_agent.evals.replay.validate import Verdict, validate
from aoci_agent.evals.replay.wording import prompt_of

MOST = 72  # cells of a prompt


def mine(arguments: Arguments) -> int:
    """Try the newest candidates of the history, and keep those whose tests prove them."""
    repository = repository_of(arguments.cwd)
    file = tasks_file(arguments, repository)
    known = _known(file)
    found = list(islice(candidates(repository, arguments.since or ""), arguments.limit))
    if not found:
        raise BadUsage(
            "no commit changes 1 to 5 source files and tests",
            "an earlier --since, or replay tasks add",
        )
    consent(
        f"run the tests of {len(found)} commits in the sandbox, fetching what they need first?",
        given=arguments.yes,
    )
    bases = bases_of(repository, Places(environment()), no_sandbox=arguments.dangerously_no_sandbox)
    begun, kept = time.monotonic(), 0
    with ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        tried = partial(_tried, repository, bases, arguments.setup)
        verdicts = pool.map(tried, found)
        for number, (candidate, verdict) in enumerate(zip(found, verdicts, strict=True), 1):
            _say(number, len(found), candidate, verdict)
            if verdict.task is not None:
                known[verdict.task.id] = verdict.task
                _keep(file, known)
                kept += 1
    seconds = time.monotonic() - begun
    print(f"{kept} of {len(found)} candidates are tasks, {seconds:.0f} s; {len(known)} in {file}")
    return Exit.DONE


def _tried(repository: Repository, bases: Bases, setup: str, candidate: Candidate) -> Verdict:
    prompt = prompt_of(repository, candidate)
    if not prompt:
        return Verdict(None, "its message says nothing", 0.0)
    named = symbols(repository, candidate.base, candidate.commit, candidate.changed)
    task = Task(
        id=candidate.commit[:10],
        prompt=prompt,
        base=candidate.base,
        fix=candidate.commit,
        setup=setup,
        hidden=candidate.tests,
        gold_files=candidate.changed,
        gold_symbols=named,
        leaks=leaks(prompt, candidate.changed, named),
        date=candidate.date,
    )
    return validate(task, bases, {change.path: change.status for change in candidate.source})


def _say(number: int, count: int, candidate: Candidate, verdict: Verdict) -> None:
    mark = "✓" if verdict.task else "·"
    words = one_line(f"{candidate.commit[:10]} {verdict.why}", 110)
    print(f"  {mark} {number}/{count} {words}  {verdict.seconds:.1f} s", file=sys.stderr)


def add(arguments: Arguments) -> int:
    """Add one task by hand."""
    repository = repository_of(arguments.cwd)
    if not arguments.check:
        raise BadUsage(
            "a task needs --check, a command that judges it", 'for example --check "make test"'
        )
    base = repository.git("rev-parse", "--verify", f"{arguments.base}^{{commit}}").strip()
    task = Task(
        id=arguments.target,
        prompt=arguments.prompt,
        base=base,
        setup=arguments.setup,
        check=arguments.check,
    )
    return _added(tasks_file(arguments, repository), [task])


def import_(arguments: Arguments) -> int:
    """Add the tasks of a file of another shape."""
    repository = repository_of(arguments.cwd)
    base = repository.git("rev-parse", "--verify", f"{arguments.base}^{{commit}}").strip()
    found = imported(Path(arguments.path), base, arguments.check)
    return _added(tasks_file(arguments, repository), found)


def listed(arguments: Arguments) -> int:
    """One line each."""
    file = tasks_file(arguments, repository_of(arguments.cwd))
    tasks = tasks_of(file)
    if arguments.json:
        print(json.dumps([task.model_dump(mode="json", exclude_defaults=True) for task in tasks]))
        return Exit.DONE
    for task in tasks:
        judged = "" if task.check or task.hidden else "  NOT JUDGED"
        leaking = f"  leaks {', '.join(task.leaks)}" if task.leaks else ""
        prompt = one_line(task.prompt.partition("\n")[0], MOST)
        print(clean(f"{task.id}  {task.base[:10]}  {prompt}{leaking}{judged}"))
    return Exit.DONE


def _added(file: Path, tasks: list[Task]) -> int:
    known = _known(file)
    twice = [task.id for task in tasks if task.id in known]
    if twice:
        raise BadUsage(
            f"{file} has a task {twice[0]} already", "take it out there, or choose another ID"
        )
    _keep(file, known | {task.id: task for task in tasks})
    print(f"{len(tasks)} added, {len(known) + len(tasks)} in {file}")
    return Exit.DONE


def _known(file: Path) -> dict[str, Task]:
    return {task.id: task for task in tasks_of(file)} if file.exists() else {}


def _keep(file: Path, tasks: dict[str, Task]) -> None:
    atomic_write(file, written(tasks.values(), file.suffix).encode(), mode=0o644)
