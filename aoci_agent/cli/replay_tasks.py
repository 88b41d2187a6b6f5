"""`aoci-agent replay tasks mine|add|import|list`."""

import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import NoReturn

from aoci_agent.base.errors import BadUsage, Exit, NotPossible
from aoci_agent.base.files import atomic_write
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean, one_line
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_places import bases_of, consent, repository_of, tasks_file
from aoci_agent.config import environment
from aoci_agent.evals.replay.history import Candidate, candidates
from aoci_agent.evals.replay.imports import imported, located, ours
from aoci_agent.evals.replay.mining import Mine, Refused, id_of
from aoci_agent.evals.replay.task import Task, task_of, tasks_of, written
from aoci_agent.evals.replay.validate import Verdict
from aoci_agent.tools.places import counted

MOST = 72  # cells of a prompt


def mine(arguments: Arguments) -> int:
    """Try the newest candidates of the history, and keep those whose tests prove them."""
    repository = repository_of(arguments.cwd)
    file = tasks_file(arguments, repository)
    known = _known(file)
    found = _found(arguments, repository)
    bases = bases_of(repository, Places(environment()), no_sandbox=arguments.dangerously_no_sandbox)
    bases.try_box()
    refused = Refused(bases.home, arguments.setup, arguments.check)
    new = [c for c in found if id_of(c) not in known]
    waiting = new if arguments.again else [c for c in new if c.commit not in refused.known]
    print(_plan(found, new, waiting), file=sys.stderr)
    if not waiting:
        return Exit.DONE
    consent(
        f"run the tests of {len(waiting)} commits in the sandbox, with network to set them up?",
        given=arguments.yes,
    )
    bases.sweep()
    begun, kept = time.monotonic(), 0
    miner = Mine(repository, bases, arguments.setup, arguments.check)

    def alive() -> None:
        minutes = (time.monotonic() - begun) / 60
        print(f"  … at work, {minutes:.0f} min", file=sys.stderr, flush=True)

    number = 0
    try:
        with _interruptible(), closing(miner.try_all(waiting, arguments.jobs, alive)) as verdicts:
            for number, (candidate, verdict) in enumerate(verdicts, 1):
                _say(number, len(waiting), candidate, verdict)
                if verdict.task is not None:
                    known[verdict.task.id] = verdict.task
                    _keep(file, known)
                    kept += 1
                else:
                    refused.add(candidate, verdict)
    except KeyboardInterrupt:
        told = f"interrupted: {number} of {counted(len(waiting), 'candidate')} tried, {kept} kept"
        print(f"{told}; the same command goes on with the rest", file=sys.stderr)
        return Exit.INTERRUPTED
    told = f"kept {kept} of {counted(len(waiting), 'candidate')}, {time.monotonic() - begun:.0f} s"
    print(
        f"{told}; {counted(len(known), 'task')} in {file}: `replay run` works on them"
        if known
        else told
    )
    if kept < len(waiting):
        print(f"why in full, and what the tests said: {refused.folder}", file=sys.stderr)
    if not known:
        told = (
            "--setup prepares what the tests need, --check runs them, --limit N looks further back"
        )
        print(f"there is no task, as is said above; {told}", file=sys.stderr)
    return Exit.DONE if known else Exit.FAILED


def _found(arguments: Arguments, repository: Repository) -> list[Candidate]:
    """Raises BadUsage for bounds that make no sense, and where there is no candidate."""
    for name, value in (("--limit", arguments.limit), ("--jobs", arguments.jobs)):
        if value < 1:
            raise BadUsage(f"{name} {value}: at least 1")
    since = arguments.since or ""
    if since and not _is_date(repository, since):
        raise BadUsage(f"--since {since}: no past day that git knows", "for example 2026-01-31")
    _refuse_empty(repository)
    found = list(islice(candidates(repository, since), arguments.limit))
    if not found:
        raise _no_candidate(repository, since)
    return found


def _refuse_empty(repository: Repository) -> None:
    if not repository.head():
        raise BadUsage(f"{repository.root} has no commit yet", "commit something, or --cwd")


def _no_candidate(repository: Repository, since: str) -> BadUsage:
    """What was looked at, and what of the history may be missing."""
    bound = [f"--since={since}"] if since else []
    count = repository.git("rev-list", "--count", "--first-parent", *bound, "HEAD").strip()
    what = f"of {counted(int(count), 'commit')} none changes 1 to 5 source files that were there, and tests"
    if repository.git("rev-parse", "--is-shallow-repository").strip() == "true":
        return BadUsage(
            f"{what}; the history is cut off (a shallow clone)", "git fetch --unshallow"
        )
    if repository.hardened.setting("remote.origin.promisor") == "true":
        told = f"{what}, of those whose files are here (a partial clone)"
        return BadUsage(told, "git fetch --refetch --no-filter")
    earlier = "an earlier --since, or " if since else ""
    return BadUsage(what, f"{earlier}a task by hand: replay tasks add")


def _is_date(repository: Repository, text: str) -> bool:
    """git takes any words for a date; those it does not understand are now."""
    said = repository.git("rev-parse", f"--since={text}").strip().rpartition("=")[2]
    return not text.startswith("-") and said.isdecimal() and int(said) < time.time() - 2


def _plan(found: list[Candidate], new: list[Candidate], waiting: list[Candidate]) -> str:
    dates = f"{found[-1].date} to {found[0].date}"
    known = f", {len(found) - len(new)} are tasks already" if len(new) < len(found) else ""
    before = len(new) - len(waiting)
    refused = f", {before} were refused before (--again tries them)" if before else ""
    ahead = (
        f"{len(waiting)} to try, each with a set-up where its dependencies changed, and three runs of tests"
        if waiting
        else "none to try: a larger --limit looks further back"
    )
    return f"{counted(len(found), 'candidate')} of {dates}{known}{refused}; {ahead}"


@contextmanager
def _interruptible() -> Generator[None]:
    """What ends a program ends this one as Ctrl-C does, so that it can clear up."""

    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    earlier = [signal.signal(number, interrupt) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, earlier, strict=True):
            signal.signal(number, handler)


def _say(number: int, count: int, candidate: Candidate, verdict: Verdict) -> None:
    mark = "✓" if verdict.task else "·"
    leaks = verdict.task.leaks if verdict.task else ()
    leaking = f"; the prompt leaks {', '.join(leaks)}" if leaks else ""
    words = one_line(f"{id_of(candidate)} {verdict.why}{leaking}", 150)
    print(f"  {mark} {number}/{count} {words}  {verdict.seconds:.1f} s", file=sys.stderr)


def add(arguments: Arguments) -> int:
    """Add one task by hand."""
    repository = repository_of(arguments.cwd)
    if not arguments.check:
        raise BadUsage(
            "a task needs --check, a command that judges it", 'for example --check "make test"'
        )
    row = {
        "id": arguments.target,
        "prompt": arguments.prompt.strip(),
        "base": _commit(repository, arguments.base),
        "setup": arguments.setup,
        "check": arguments.check,
    }
    file = tasks_file(arguments, repository)
    if arguments.target in _known(file):
        raise BadUsage(
            f"{file} has a task {arguments.target} already",
            "take it out there, or choose another ID",
        )
    return _added(file, [task_of("the task", row)])


def import_(arguments: Arguments) -> int:
    """Add the tasks of a file of another shape, as far as they are of this repository."""
    repository = repository_of(arguments.cwd)
    base = _commit(repository, arguments.base)
    every = imported(Path(arguments.path), base, arguments.check)
    if not every:
        raise BadUsage(f"{arguments.path} holds no task")
    mine = ours(every, repository)
    if len(mine) < len(every):
        print(f"{len(every) - len(mine)} of other repositories are left out", file=sys.stderr)
    if not mine:
        names = ", ".join(sorted({task.repository for task in every})[:5])
        raise BadUsage(
            f"none of the tasks ({len(every)}) is of {repository.root.name}: they are of {names}",
            "import them in a clone of it",
        )
    kept: list[Task] = []
    for task in mine:
        try:
            kept.append(located(task, repository))
        except NotPossible as error:
            print(one_line(f"{task.id} is left out: {error}", 150), file=sys.stderr)
    return _added(tasks_file(arguments, repository), kept)


def listed(arguments: Arguments) -> int:
    """One line each."""
    file = tasks_file(arguments, repository_of(arguments.cwd))
    tasks = tasks_of(file)
    if arguments.json:
        print(json.dumps([task.model_dump(mode="json", exclude_defaults=True) for task in tasks]))
        return Exit.DONE
    for task in tasks:
        judged = "" if task.check else "  NOT JUDGED"
        leaking = f"  leaks {', '.join(task.leaks)}" if task.leaks else ""
        prompt = one_line(task.prompt.partition("\n")[0], MOST)
        print(clean(f"{task.id}  {task.base[:10]}  {prompt}{leaking}{judged}"))
    return Exit.DONE


def _commit(repository: Repository, name: str) -> str:
    """The full id of a commit. Raises BadUsage."""
    _refuse_empty(repository)
    found = repository.commit(name)
    if not found:
        raise BadUsage(f"--base {name}: there is no such commit", "git log --oneline")
    return found


def _added(file: Path, tasks: Iterable[Task]) -> int:
    known = _known(file)
    new: dict[str, Task] = {}
    there: list[str] = []
    for task in tasks:
        if task.id in known or task.id in new:
            there.append(task.id)
        else:
            new[task.id] = task
    _keep(file, known | new)
    print(f"{len(new)} added, {len(known) + len(new)} in {file}")
    if there:
        print(f"{len(there)} were there already: {', '.join(there[:5])}", file=sys.stderr)
    leaking = Counter(kind for task in new.values() for kind in task.leaks)
    if leaking:
        told = ", ".join(f"{kind} {count}" for kind, count in leaking.items())
        print(f"prompts that name what is to be found: {told}", file=sys.stderr)
    unjudged = sum(not task.check for task in new.values())
    if unjudged:
        print(f"{unjudged} have nothing that judges them: give --check", file=sys.stderr)
    return Exit.DONE


def _known(file: Path) -> dict[str, Task]:
    return {task.id: task for task in tasks_of(file)} if file.exists() else {}


def _keep(file: Path, tasks: dict[str, Task]) -> None:
    atomic_write(file, written(tasks.values(), file.suffix).encode(), mode=0o644)
